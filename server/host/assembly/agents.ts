import type {Binding} from "../../../shared/agents/binding.ts"
import type {FiringTarget} from "../../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../../shared/problems.ts"
import {channelType} from "../../../shared/sdk/satori.ts"
import type {Agents, AgentsOptions} from "../../agents/agents.ts"
import {Bindings} from "../../agents/bindings/bindings.ts"
import {isProviderInstalled} from "../../agents/providers/packages.ts"
import type {MessageIndex} from "../../agents/search/message-index.ts"
import type {AgentService} from "../../agents/service.ts"
import type {ToolTable} from "../../agents/tools/table.ts"
import type {AgentDesk} from "../../agents/triggers/plugin.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import type {Snapshot} from "../../generation/generation.ts"
import type {Generations} from "../../generation/generations.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import type {BuiltIn} from "../../plugins/load.ts"
import type {Timers} from "../../scheduler/timers/timers.ts"
import type {Workroom} from "../../workroom/workroom.ts"

export interface HostAgentsOptions
  extends Pick<
    AgentsOptions,
    "database" | "log" | "clock" | "runtimeId" | "project" | "outbox" | "languageOf" | "hide" | "meter"
  > {
  readonly endpoints: Endpoints
  readonly workroom: Workroom
  readonly files: DraftFiles
  readonly ingress: Ingress
  readonly generations: () => Pick<Generations, "current">
  readonly timers: () => Timers
}

export interface HostAgents extends AgentService, AgentDesk {
  readonly bindings: Bindings
  /** The built-in plugin `agents`. Loading it also loads the tools. */
  readonly plugin: () => Promise<BuiltIn>
  /** Handles `target: {agent, text}` of a scheduled job. */
  readonly target: FiringTarget
  start(): Promise<void>
  stop(): Promise<void>
  readonly isQuiet: boolean
  /** Resolves when no run is in progress. */
  settled(): Promise<void>
  /** A new generation runs. */
  generationChanged(): void
  ingressChanged(): void
}

/** The agents of a Host. The first enabled binding, or the first request about agents, loads their code. */
export const createAgents = (options: HostAgentsOptions): HostAgents => {
  const {generations, log, project, ingress, endpoints, timers} = options
  const snapshot = () => generations().current?.snapshot
  const privateHosts = () => generations().current?.config.config.files.allowPrivate ?? []
  let tables: ((snapshot: Snapshot) => ToolTable) | undefined
  const tools = (): ToolTable => {
    const current = snapshot()
    return (current && tables?.(current)) ?? noTools
  }
  const bindings = new Bindings({
    current: () => snapshot()?.agents ?? new Map(),
    tools,
    isInstalled: provider => isProviderInstalled(provider, project),
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
    const loaded = await import("../../agents/agents.ts")
    agents = new loaded.Agents({
      ...options,
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
  const desk: AgentService & AgentDesk = {
    queue: async request => (await open()).queue(request),
    cancel: async (runId, by) => (await open()).cancel(runId, by),
    decide: async (approval, decision) => (await open()).decide(approval, decision),
    act: async (action, on) => (await open()).act(action, on),
    check: async (agent, signal) => (await open()).check(agent, signal),
    approval: async id => (await open()).approval(id),
    maySay: (endpoint, channel) => agents?.maySay(endpoint, channel) ?? true,
    texts: () => snapshot()?.messages.texts,
  }
  return {
    ...desk,
    bindings,
    plugin: async () => {
      const [{agentsPluginOf}, {createTables}, searching] = await Promise.all([
        import("../../agents/triggers/plugin.ts"),
        import("../../agents/tools/tables.ts"),
        import("../../agents/search/message-index.ts"),
      ])
      index ??= new searching.MessageIndex(options)
      tables ??= createTables({
        ...options,
        index,
        privateHosts,
        timers: {prepare: (...args) => timers().prepare(...args)},
        requireTarget: address => endpoints.requireTarget(address),
      })
      return agentsPluginOf(() => desk)()
    },
    target: createTarget(bindings, open),
    start: async () => {
      isStarted = true
      openIfNeeded()
      await indexWhileNeeded()
      await opened
      if (agents !== undefined) await begin(agents)
    },
    stop: async () => {
      isStarted = false
      await indexWhileNeeded()
      await (await opened?.catch(() => undefined))?.stop()
    },
    get isQuiet() {
      return agents === undefined ? opened === undefined : agents.isQuiet
    },
    settled: async () => agents?.settled(),
    generationChanged: () => {
      openIfNeeded()
      indexWhileNeeded().catch(error => log.error("messages are not indexed for search", {error}))
      agents?.generationChanged()
    },
    ingressChanged: () => agents?.ingressChanged(),
  }
}

const noTools: ToolTable = {get: () => undefined, names: []}

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
    const prepared = await agents.prepare({
      agent,
      trigger: "job",
      input: text,
      request: `job/${runId}`,
      ...(endpoint === undefined || channel === undefined
        ? {}
        : {endpoint, channel: {id: channel, type: channelType.text}}),
    })
    return {statements: prepared.statements, stored: () => prepared.stored()}
  },
})
