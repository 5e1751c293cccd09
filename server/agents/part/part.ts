import type {Binding} from "../../../shared/agents/binding.ts"
import type {FiringTarget} from "../../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../../shared/problems.ts"
import {channelType} from "../../../shared/sdk/content/satori.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import type {Snapshot} from "../../generation/generation.ts"
import type {BuiltIn} from "../../generation/plugins/load.ts"
import type {RunningGeneration} from "../../generation/running-generation.ts"
import {foldOf} from "../../messages/command/permissions.ts"
import {OnceAMinute} from "../../messages/session/once-a-minute.ts"
import {builtInTexts} from "../../messages/texts/host-texts.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import {every} from "../../runtime/flow/remember.ts"
import type {Part} from "../../runtime/part.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {Timers} from "../../scheduler/timers/timers.ts"
import type {Workroom} from "../../workroom/workroom.ts"
import type {Agents, AgentsOptions} from "../agents.ts"
import {Bindings} from "../bindings/bindings.ts"
import {findOwn, forgetOwn} from "../memory/forget.ts"
import {agentMetrics} from "../metrics.ts"
import {isInstalled} from "../providers/packages.ts"
import {readAgentEnds} from "../runs/figures.ts"
import {AgentMeter} from "../runs/meter.ts"
import type {AgentService} from "../runs/service.ts"
import {dayLimitsIn} from "../runs/spending.ts"
import type {MessageIndex} from "../search/message-index.ts"
import {createStrangers, type Strangers} from "../strangers/strangers.ts"
import type {ToolTable} from "../tools/table.ts"
import type {AgentDesk} from "../triggers/plugin.ts"
import {readAgentAttention} from "./attention.ts"

export interface AgentOptions extends Pick<AgentsOptions, "database" | "log" | "clock" | "runtimeId" | "standIns"> {
  readonly paths: ProjectPaths
  readonly logs: {scrub(text: string): string; hide(secrets: readonly string[]): void}
}

export interface AgentNeeds extends Pick<AgentsOptions, "outbox" | "languageOf"> {
  readonly running: RunningGeneration
  readonly endpoints: Endpoints
  readonly workroom: Workroom
  readonly files: DraftFiles
  readonly ingress: Ingress
  readonly timers: Timers
}

export interface AgentsPart extends AgentService, AgentDesk, Pick<Strangers, "seeing">, Part {
  readonly bindings: Bindings
  readonly meter: AgentMeter
  /** The built-in plugin `agents`. Loading it also loads the tools. */
  plugin(): Promise<BuiltIn>
  /** Handles `target: {agent, text}` of a scheduled job. */
  readonly target: FiringTarget
}

/** The agents of a Host. The first enabled binding, or the first request about agents, loads their code. */
export const createAgents = ({paths: {project}, logs, ...options}: AgentOptions, needs: AgentNeeds): AgentsPart => {
  const {running, ingress, endpoints, timers} = needs
  const {log, database} = options
  const meter = new AgentMeter()
  const notes = new OnceAMinute(() => options.clock.elapsed())
  const snapshot = () => running.current?.snapshot
  const privateHosts = () => running.current?.config.config.files.allowPrivate ?? []
  let tables: ((snapshot: Snapshot) => ToolTable) | undefined
  const tools = (): ToolTable => {
    const current = snapshot()
    return (current && tables?.(current)) ?? {get: () => undefined, names: []}
  }
  const bindings = new Bindings({
    current: () => snapshot()?.agents ?? new Map(),
    tools,
    isInstalled: name => isInstalled(name, project),
    mcpStateOf: (agent, entry) => agents?.mcp.stateOf(agent, entry) ?? {is: "idle"},
    clock: options.clock,
  })
  const names = () => bindings.list().map(({name}) => name)
  const strangers = createStrangers({
    ...options,
    outbox: needs.outbox,
    isNeeded: () => bindings.list().some(({config}) => config.enabled && config.triggers.permission === "member"),
    isLocal: endpoint => endpoints.get(endpoint)?.spec.slot === "sandbox",
    fold: (endpoint, id) => foldOf(snapshot()?.idRules.get(endpoint))(id),
    sayIn: async place => (snapshot()?.messages.texts ?? builtInTexts).in(await needs.languageOf(place)),
  })
  let opened: Promise<Agents> | undefined
  let agents: Agents | undefined
  let index: MessageIndex | undefined
  let isStarted = false
  let started: Promise<void> | undefined
  /** An event that an earlier Host left behind may ask an agent before `start` is called. */
  const begin = (loaded: Agents): Promise<void> => {
    started ??= loaded.start()
    return started
  }
  /** Messages are indexed as long as an enabled binding has the search tool. */
  const indexWhileNeeded = async (): Promise<void> => {
    const isNeeded = ({config}: Binding) => config.enabled && Object.hasOwn(config.tools, "search")
    if (isStarted && bindings.list().some(isNeeded)) index?.start()
    else await index?.stop()
  }
  const load = async (): Promise<Agents> => {
    const loaded = await import("../agents.ts")
    agents = new loaded.Agents({
      ...options,
      ...needs,
      project,
      meter,
      hide: text => logs.scrub(text),
      learnSecrets: values => logs.hide(values),
      bindings,
      tools,
      permissionOf: (endpoint, event) => snapshot()?.messages.permissionOf(endpoint, event) ?? "user",
      texts: () => snapshot()?.messages.texts,
      isPaused: () => ingress.isPaused,
      requireOpen: () => ingress.requireOpen("no agent runs"),
    })
    if (isStarted) await begin(agents)
    return agents
  }
  const open = (): Promise<Agents> => {
    opened ??= load()
    return opened
  }
  const openIfNeeded = (): void => {
    if (!isStarted || agents !== undefined || !bindings.list().some(({config}) => config.enabled)) return
    open().catch(error => log.error("the Host cannot run agents", {error}))
  }
  const desk: AgentService & AgentDesk & Strangers = {
    queue: async request => (await open()).queue(request),
    cancel: async (runId, by) => (await open()).cancel(runId, by),
    decide: async (approval, decision) => (await open()).decide(approval, decision),
    act: async (action, on) => (await open()).act(action, on),
    mcpServer: async (binding, server) => (await open()).mcpServer(binding, server),
    check: async (agent, signal) => (await open()).check(agent, signal),
    context: async runId => (await open()).context(runId),
    approval: async id => (await open()).approval(id),
    ...strangers,
    maySay: (endpoint, channel) => notes.take(`${endpoint}/${channel}`),
    texts: () => snapshot()?.messages.texts,
    ownMemories: async places => (await Promise.all(places.map(place => findOwn(database, place, "here")))).flat(),
    forgetMemories: (places, which) => forgetOwn(database, places, which),
  }
  running.onCommit(() => {
    openIfNeeded()
    indexWhileNeeded().catch(error => log.error("messages are not indexed for search", {error}))
    agents?.generationChanged()
  })
  ingress.onChange(() => agents?.ingressChanged())
  return {
    ...desk,
    name: "the agents",
    metrics: agentMetrics(database, bindings, meter),
    facts: {
      agents: () => readAgentAttention(bindings, database),
      agentEnds: every(60_000, () => readAgentEnds(database, names(), Date.now())),
    },
    bindings,
    meter,
    plugin: async () => {
      const [{agentsPluginOf}, {createTables}, searching] = await Promise.all([
        import("../triggers/plugin.ts"),
        import("../tools/tables.ts"),
        import("../search/message-index.ts"),
      ])
      index ??= new searching.MessageIndex({...options, ...needs})
      tables ??= createTables({
        ...options,
        ...needs,
        index,
        privateHosts,
        timers,
        requireTarget: address => endpoints.requireTarget(address),
      })
      return agentsPluginOf(desk)
    },
    target: createTarget(bindings, open),
    start: async () => {
      isStarted = true
      for (const {name, config} of bindings.list())
        if (config.enabled) log.info(`agent ${name}: limits of a day: ${dayLimitsIn(config)}`)
      openIfNeeded()
      await indexWhileNeeded()
      await opened
      if (agents !== undefined) await begin(agents)
    },
    drain: async () => {
      isStarted = false
      await indexWhileNeeded()
      await (await opened?.catch(() => undefined))?.stop()
    },
    isIdle: () => (agents === undefined ? opened === undefined : agents.isIdle),
    idle: () => agents?.idle(),
    routes: async () => {
      const [{permissionRoutes}, {agentRoutes}, {approvalRoutes}, {pairingRoutes}] = await Promise.all([
        import("./permissions.ts"),
        import("./agents.ts"),
        import("./approvals.ts"),
        import("./pairings.ts"),
      ])
      return [
        ...permissionRoutes({current: () => running.require(), bindings, isMember: desk.isMember}),
        ...pairingRoutes(desk),
        ...agentRoutes(desk, bindings, database),
        ...approvalRoutes(desk, database),
      ]
    },
  }
}

/** A scheduled job asks an agent. The agent's run is stored in the same batch as the end of the job's run. */
const createTarget = (bindings: Bindings, open: () => Promise<Agents>): FiringTarget => ({
  problem: ({agent = ""}) => {
    const binding = bindings.find(agent)
    if (binding === undefined) return `there is no agent ${agent}`
    const standing = bindings.standingOf(binding)
    return standing.configured ? undefined : standing.message
  },
  fire: async ({runId, target}) => {
    const {agent, text = "", endpoint, channel} = target
    if (agent === undefined) throw new Problem("agent_unknown", "the job names no agent")
    const agents = await open()
    return agents.prepare({
      agent,
      trigger: "job",
      input: text,
      request: `job/${runId}`,
      ...(endpoint === undefined || channel === undefined
        ? {}
        : {endpoint, channel: {id: channel, type: channelType.text}}),
    })
  },
})
