import {v7 as uuid} from "uuid"
import type {AgentCheck} from "../../shared/api/agents/agents.ts"
import type {Log} from "../../shared/log.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import type {Permission} from "../../shared/sdk/permission.ts"
import type {Row, Statement} from "../../shared/sdk/plugin/database.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import type {TimerPlace} from "../../shared/sdk/timer.ts"
import type {Static} from "../../shared/type.ts"
import {assertThat, type Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import {groupCommitted} from "../database/write-if.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import {OnceAMinute} from "../messages/once-a-minute.ts"
import type {PermissionOf} from "../messages/permissions.ts"
import {HostTexts, type Say} from "../messages/texts/host-texts.ts"
import type {Outbox} from "../outbox/outbox.ts"
import {actionHandle} from "../plugins/action-handle.ts"
import type {Clock} from "../runtime/flow/clock.ts"
import {Turns} from "../runtime/flow/turns.ts"
import type {Workroom} from "../workroom/workroom.ts"
import {decide, readApprovalById} from "./approval/approvals.ts"
import type {Binding} from "./bindings/binding.ts"
import type {Bindings} from "./bindings/bindings.ts"
import {checkModel} from "./providers/check-model.ts"
import type {Model} from "./providers/model.ts"
import {openModel} from "./providers/open-model.ts"
import {estimateTokens} from "./providers/tokens.ts"
import {sayingOf, storing} from "./runs/answer.ts"
import {giveBack, itemTaken} from "./runs/end.ts"
import type {CallMeter, Engine} from "./runs/engine.ts"
import {type AgentRun, closingSteps, endingRun, queueing, runOf, selectKnown} from "./runs/run-rows.ts"
import {Runner} from "./runs/runner.ts"
import {dayLimitOf, dayOf, spending} from "./runs/spending.ts"
import type {AgentService, Decision, RunRequest} from "./service.ts"
import {itemBlock} from "./tools/item-block.ts"
import {resolveTools} from "./tools/resolve.ts"
import type {ToolTable} from "./tools/table.ts"
import type {AgentTool} from "./tools/tool.ts"
import {ItemWatch} from "./triggers/items.ts"
import {type AgentDesk, decideAction} from "./triggers/plugin.ts"

export interface AgentsOptions {
  readonly database: Database
  readonly log: Log
  readonly clock: Clock
  readonly runtimeId: string
  /** The project's folder. */
  readonly project: string
  readonly outbox: Outbox
  readonly endpoints: Pick<Endpoints, "get" | "hasFeature" | "typing">
  readonly workroom: Pick<Workroom, "run" | "item" | "items" | "journalOf" | "observe">
  /** Of the running generation, as is all that is asked for below. */
  readonly bindings: Bindings
  readonly tools: () => ToolTable
  readonly permissionOf: PermissionOf
  readonly languageOf: (place: TimerPlace) => Promise<string>
  readonly texts: () => HostTexts | undefined
  readonly meter: CallMeter
  /** Takes the values of secrets out of a text. */
  readonly hide: (text: string) => string
  readonly isPaused: () => boolean
  /** Throws `ingress_paused`. */
  readonly requireOpen: () => void
}

/** A run that is about to be stored. */
export interface PreparedRun {
  readonly statements: readonly Statement[]
  /** They are durable. */
  stored(): void
}

/** A question has so many characters at most. */
const longestInput = 100_000

const builtInTexts = new HostTexts()

/** The agents of a Host: their runs, and what is asked of them. */
export class Agents implements AgentService, AgentDesk {
  readonly #options: AgentsOptions
  readonly #runner: Runner
  readonly #items: ItemWatch
  readonly #turns = new Turns()
  readonly #notes: OnceAMinute
  readonly #models = new WeakMap<Binding, Promise<Model>>()
  readonly #tools = new WeakMap<Binding, {readonly table: ToolTable; readonly tools: ReadonlyMap<string, AgentTool>}>()
  #isStopping = false

  constructor(options: AgentsOptions) {
    const {database, workroom, log, clock} = options
    this.#options = options
    this.#notes = new OnceAMinute(() => clock.elapsed())
    this.#runner = new Runner(this.#engine())
    this.#items = new ItemWatch({
      database,
      workroom,
      log,
      bindingOf: agent => this.#enabled(agent),
      queue: request => this.queue(request),
      drop: runId => this.#cancel(runId, itemTaken),
    })
  }

  /** Goes on with what earlier Hosts left. Call it once the first generation is committed and endpoints are there. */
  async start(): Promise<void> {
    await this.#runner.start()
    this.#items.start()
  }

  /** Takes up nothing more; resolves when each run has left, after the step that it is at. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#items.stop()
    await this.#runner.stop()
  }

  /** No run works, and none waits that could. */
  get isQuiet(): boolean {
    return this.#runner.isQuiet && this.#items.isQuiet
  }

  /** Resolves when no run works. */
  settled(): Promise<void> {
    return this.#runner.settled()
  }

  generationChanged(): void {
    this.#items.consider()
    this.#runner.consider()
  }

  ingressChanged(): void {
    if (this.#options.isPaused()) return
    this.#runner.ingressOpened().catch(error => this.#options.log.error("runs of agents do not go on", {error}))
    this.#items.consider()
  }

  async queue(request: RunRequest): Promise<string> {
    const {database, log, requireOpen} = this.#options
    const binding = this.#requireReady(request.agent)
    requireOpen()
    const input = requireInput(request.input, this.#options.hide)
    const id = uuid()
    const runId = await this.#turns.take(request.agent, () =>
      persist("a run of an agent", log, async () => {
        // A try whose answer was lost may have stored it.
        const known = await this.#known(request.request, id)
        if (known !== undefined) return known
        await database.write(await this.#queueing(id, {...request, input}, binding))
        return id
      }),
    )
    this.#runner.consider()
    return runId
  }

  /**
   * The statements of a run for a batch of somebody else's, such as a job's; `stored` is told once they are durable. Throws what `queue`
   * throws.
   */
  async prepare(request: RunRequest): Promise<PreparedRun> {
    const input = requireInput(request.input, this.#options.hide)
    const statements = await this.#queueing(uuid(), {...request, input}, this.#requireReady(request.agent))
    return {statements, stored: () => this.#runner.consider()}
  }

  cancel(runId: string, by: string): Promise<void> {
    return this.#cancel(runId, `by ${by}`)
  }

  async #cancel(runId: string, why: string): Promise<void> {
    const {database, clock, log, outbox} = this.#options
    const run = runOf(await this.#requireRow(runId, isOpen, "has ended"))
    if (run.item !== undefined) await giveBack(this.#options, run, run.item, `cancelled ${why}`)
    const say = await this.#sayFor(run)
    const said = sayingOf(run, [say("agent.cancelled", {run: runId})])
    const sends = said === undefined ? [] : [said]
    const at = clock.now()
    const end = {state: "cancelled", reason: "cancelled", error: why} as const
    const batch = [
      assertThat(
        "EXISTS (SELECT 1 FROM agent_runs WHERE seq = ? AND state NOT IN ('succeeded', 'failed', 'cancelled'))",
        [run.seq],
      ),
      ...closingSteps(run.seq, "cancelled", at),
      ...storing(sends, at),
      endingRun(run.seq, end, at),
    ]
    let tries = 0
    await persist(`the end of run ${runId}`, log, async () => {
      tries++
      await database.write(batch).catch(async error => {
        if (!isProblem(error, "database_refused")) throw error
        await groupCommitted(database)
        const row = await this.#requireRow(runId, () => true, "")
        // An earlier try has stored it, and its answer was lost.
        if (tries > 1 && row.state === "cancelled" && Number(row.ended_at) === at) return
        await this.#requireRow(runId, isOpen, "has ended")
        throw error
      })
    })
    outbox.stored(sends)
    this.#runner.abort(run.seq, new Error("the run was cancelled"))
    this.#items.consider()
  }

  async decide(approval: string, decision: Decision): Promise<void> {
    const {database, clock} = this.#options
    const {reason} = decision
    const said = reason === undefined ? decision : {...decision, reason: this.#options.hide(reason)}
    // Where the answer was lost, it may be stored all the same.
    await decide(database, approval, said, clock.now()).finally(() => this.#runner.consider())
  }

  approval(id: string) {
    return readApprovalById(this.#options.database, id)
  }

  async actOnHeld(action: "release" | "discard", on: {readonly runId: string} | "held"): Promise<number> {
    const {database, clock} = this.#options
    if (on !== "held") await this.#requireRow(on.runId, state => state === "held", "is not held")
    const which = on === "held" ? "" : " AND run_id = ?"
    const args = on === "held" ? [] : [on.runId]
    const ofRuns = `run IN (SELECT seq FROM agent_runs WHERE state = 'held'${which})`
    const at = clock.now()
    const batch =
      action === "release"
        ? [
            {sql: `UPDATE agent_approvals SET state = 'waiting' WHERE state = 'held' AND ${ofRuns}`, args},
            {
              sql: `UPDATE agent_runs SET state = 'queued', reason = NULL, waits_for = NULL, due_at = NULL WHERE state = 'held'${which}`,
              args,
            },
          ]
        : [
            {
              sql: `UPDATE agent_approvals SET state = 'cancelled', decided_at = ? WHERE state = 'held' AND ${ofRuns}`,
              args: [at, ...args],
            },
            {
              sql: `UPDATE agent_runs SET state = 'cancelled', reason = 'discarded', ended_at = ? WHERE state = 'held'${which}`,
              args: [at, ...args],
            },
          ]
    const results = await database.write(batch).finally(() => {
      this.#runner.consider()
      this.#items.consider()
    })
    return results.at(-1)?.changes ?? 0
  }

  async check(agent: string, signal: AbortSignal): Promise<Static<typeof AgentCheck>> {
    const {project, hide} = this.#options
    return checkModel(this.#requireReady(agent), {project, hide, signal})
  }

  maySay(endpoint: string, channel: string): boolean {
    return this.#notes.take(`${endpoint}/${channel}`)
  }

  texts(): HostTexts | undefined {
    return this.#options.texts()
  }

  #engine(): Engine {
    const {database, log, clock, runtimeId, outbox, endpoints, workroom, meter, hide, isPaused} = this.#options
    const buttons = actionHandle(decideAction.name, decideAction.id, decideAction.definition)
    return {
      ...{database, log, clock, runtimeId, outbox, endpoints, workroom, meter, hide, isPaused},
      bindingOf: agent => this.#enabled(agent),
      toolsOf: (binding, run) => this.#toolsOf(binding, run),
      modelOf: binding => this.#modelOf(binding),
      estimate: estimateTokens,
      permissionOf: (run, binding) => this.#permissionOf(run, binding),
      sayFor: run => this.#sayFor(run),
      decisionButtons: (approval, say) => [
        buttons.button({approval, approve: true}, say("agent.approve"), {style: "primary"}),
        buttons.button({approval, approve: false}, say("agent.deny"), {style: "danger"}),
      ],
      isStopping: () => this.#isStopping,
      inTurn: (agent, work) => this.#turns.take(agent, work),
      wakeIn: (run, pause) => this.#runner.wakeIn(run, pause),
      considerItems: () => this.#items.consider(),
    }
  }

  #enabled(agent: string): Binding | undefined {
    const binding = this.#options.bindings.find(agent)
    return binding?.config.enabled === true ? binding : undefined
  }

  /** Throws `agent_unknown`, `agent_disabled`, `agent_misconfigured`. */
  #requireReady(agent: string): Binding {
    const {bindings} = this.#options
    const binding = bindings.require(agent)
    if (!binding.config.enabled) throw new Problem("agent_disabled", `agents.${agent} is disabled`)
    const standing = bindings.standingOf(binding)
    if (!standing.configured) throw new Problem("agent_misconfigured", `agents.${agent}: ${standing.message}`)
    return binding
  }

  #modelOf(binding: Binding): Promise<Model> {
    const {project, hide} = this.#options
    const known = this.#models.get(binding)
    if (known !== undefined) return known
    const opened = openModel(binding, {project, hide})
    this.#models.set(binding, opened)
    // What did not open is tried again.
    opened.catch(() => this.#models.delete(binding))
    return opened
  }

  #toolsOf(binding: Binding, {item}: AgentRun): ReadonlyMap<string, AgentTool> {
    const table = this.#options.tools()
    const known = this.#tools.get(binding)
    const tools = known?.table === table ? known.tools : resolveTools(binding, table).tools
    if (known?.table !== table) this.#tools.set(binding, {table, tools})
    if (item === undefined) return tools
    const block = itemBlock(this.#options.workroom, item)
    return new Map([...tools, [block.name, block]])
  }

  #permissionOf({endpoint, place}: AgentRun, {config}: Binding): Permission | undefined {
    const {user, channel, permission} = place
    if (endpoint !== undefined && user !== undefined) {
      const event: SatoriEvent = {
        sn: 0,
        type: "message-created",
        timestamp: 0,
        login: {platform: endpoint},
        user,
        ...(channel === undefined ? {} : {channel}),
      }
      return this.#options.permissionOf(endpoint, event)
    }
    if (permission !== undefined) return permission
    return config.permission === "none" ? undefined : config.permission
  }

  async #sayFor({endpoint, channel, place}: Pick<AgentRun, "endpoint" | "channel" | "place">): Promise<Say> {
    const {texts, languageOf} = this.#options
    const known = texts() ?? builtInTexts
    if (endpoint === undefined) return known.in("en")
    const user = place.user?.id
    const language = await languageOf({
      endpoint,
      ...(channel === undefined ? {} : {channel}),
      ...(user === undefined ? {} : {user}),
    })
    return known.in(language)
  }

  /** Throws `agent_limit`. */
  async #queueing(id: string, request: RunRequest, {config}: Binding): Promise<readonly Statement[]> {
    const {database, clock} = this.#options
    const {agent, endpoint, channel} = request
    const at = clock.now()
    const place = {agent, endpoint, channel: channel?.id, place: request}
    const passed = await dayLimitOf(database, place, config, dayOf(at), {runs: 1})
    if (passed !== undefined) throw new Problem("agent_limit", `${agent} has reached a limit: ${passed}`)
    return [queueing(id, request, at), spending(place, dayOf(at), {runs: 1})]
  }

  async #known(request: string | undefined, id: string): Promise<string | undefined> {
    const [row] = await this.#options.database.read(selectKnown, [request ?? null, id])
    return row && String(row.run_id)
  }

  /** Throws `agent_run_unknown`, `agent_run_state`. */
  async #requireRow(runId: string, fits: (state: string) => boolean, why: string): Promise<Row> {
    const [row] = await this.#options.database.read("SELECT * FROM agent_runs WHERE run_id = ?", [runId])
    if (row === undefined) throw new Problem("agent_run_unknown", `there is no run ${runId} of an agent`)
    if (!fits(String(row.state)))
      throw new Problem("agent_run_state", `the run ${runId} ${why}: it is ${String(row.state)}`)
    return row
  }
}

const isOpen = (state: string): boolean => !["succeeded", "failed", "cancelled"].includes(state)

/** What is stored and asked holds no value of a secret, whoever wrote it. */
const requireInput = (input: unknown, hide: (text: string) => string): string => {
  if (typeof input === "string" && input.trim() !== "" && input.length <= longestInput)
    return hide(input.toWellFormed().replaceAll("\0", ""))
  throw new Problem("request_invalid", `an agent is asked something: text of 1 to ${longestInput} characters`)
}
