import type {Binding} from "../../shared/agents/binding.ts"
import type {AgentCheck} from "../../shared/api/agents/agents.ts"
import type {AgentContext} from "../../shared/api/agents/context.ts"
import type {FiringEffect} from "../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../shared/problems.ts"
import type {Statement} from "../database/database.ts"
import {isAccepted, persist} from "../database/persist.ts"
import {actionHandle} from "../generation/kinds/action-handle.ts"
import type {Outbox} from "../outbox/outbox.ts"
import {Turns} from "../runtime/flow/turns.ts"
import {uuid} from "../runtime/uuid.ts"
import type {Workroom} from "../workroom/workroom.ts"
import {actOnRuns} from "./act.ts"
import {decide, readApprovalById} from "./approval/approvals.ts"
import {Runner} from "./calls/runner.ts"
import {cancelRun} from "./cancel.ts"
import {viewContext} from "./context/view.ts"
import {requireRun} from "./find-run.ts"
import type {McpServer} from "./mcp/server.ts"
import {McpServers} from "./mcp/servers.ts"
import {Embedder, noEmbeddings} from "./memory/embedder.ts"
import {MemoryIndex} from "./memory/memory-index.ts"
import {checkModel} from "./providers/check-model.ts"
import {openEmbedding} from "./providers/embedding.ts"
import {modelsOf} from "./providers/models.ts"
import {createRunning, type RunningOptions} from "./running.ts"
import {itemTaken} from "./runs/end.ts"
import type {Engine} from "./runs/engine.ts"
import {queueing, selectKnown} from "./runs/run-rows.ts"
import {saying, selectHearing} from "./runs/said.ts"
import type {AgentService, Decision, RunAction, RunRequest, RunSelection} from "./runs/service.ts"
import {dayLimitOf, dayOf, spending} from "./runs/spending.ts"
import {isInput, longestInput} from "./triggers/input.ts"
import {ItemWatch} from "./triggers/items.ts"
import {decideAction} from "./triggers/plugin.ts"

export interface AgentsOptions
  extends Omit<RunningOptions, "workroom" | "mcp">,
    Pick<Engine, "database" | "log" | "clock" | "runtimeId" | "endpoints" | "meter"> {
  readonly learnSecrets: (values: readonly string[]) => void
  readonly outbox: Outbox
  readonly workroom: Pick<Workroom, "run" | "item" | "items" | "journalOf" | "observe">
  readonly isPaused: () => boolean
  /** Throws `ingress_paused`. */
  readonly requireOpen: () => void
}

/** The agents of a Host: their runs and commands. */
export class Agents implements AgentService {
  readonly #options: AgentsOptions
  readonly #engine: Engine
  readonly #runner: Runner
  readonly #items: ItemWatch
  readonly #turns = new Turns()
  readonly #embedder: Embedder
  readonly mcp: McpServers
  #isStopping = false

  constructor(given: AgentsOptions) {
    // Providers, tools and users send what the database refuses, and a secret may hide behind it.
    const hide = (text: string) => given.hide(text.toWellFormed().replaceAll("\0", ""))
    const options = {...given, hide}
    const {database, workroom, log, clock} = options
    this.#options = options
    this.mcp = new McpServers(options)
    this.#embedder = new Embedder({
      ...options,
      // An evaluation asks no other servers.
      bindings: () => (options.standIns === undefined ? options.bindings.list() : []),
      open: model => openEmbedding(model, options),
    })
    this.#engine = this.#createEngine()
    this.#runner = new Runner(this.#engine)
    this.#items = new ItemWatch({
      database,
      workroom,
      log,
      clock,
      bindingOf: agent => this.#engine.bindingOf(agent),
      queue: request => this.queue(request),
      drop: runId => this.#cancel(runId, itemTaken),
    })
  }

  /** Continues runs of earlier Hosts. Call it once the first generation is committed and the endpoints exist. */
  async start(): Promise<void> {
    this.#keepMcp()
    await this.#runner.start()
    this.#items.start()
    this.#embedder.consider()
  }

  /** Starts no more runs. Resolves once each run has stopped after its current step. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#items.stop()
    await this.#runner.stop()
    await this.#embedder.stop()
    await this.mcp.keep([])
  }

  /** Whether no run is working, and none is waiting that could work. */
  get isIdle(): boolean {
    return this.#runner.isIdle && this.#items.isIdle
  }

  idle(): Promise<void> {
    return this.#runner.idle()
  }

  generationChanged(): void {
    this.#keepMcp()
    this.#items.consider()
    this.#runner.consider()
    this.#embedder.consider()
  }

  #keepMcp(): void {
    const {bindings, log} = this.#options
    this.mcp
      .keep(bindings.list().filter(({config}) => config.enabled))
      .catch(error => log.error("an MCP server did not end, or its sign-in is unreadable", {error}))
  }

  ingressChanged(): void {
    if (this.#options.isPaused()) return
    this.#runner.ingressOpened().catch(error => this.#options.log.error("could not continue the agent runs", {error}))
    this.#items.consider()
  }

  async queue(request: RunRequest): Promise<string> {
    const {database, log, requireOpen} = this.#options
    const binding = this.#options.bindings.requireReady(request.agent)
    requireOpen()
    const input = requireInput(request.input, this.#options.hide)
    const id = uuid()
    const runId = await this.#turns.take(request.agent, () =>
      persist("a run of an agent", log, async () => {
        // An earlier attempt may have stored it although its answer was lost.
        const [known] = await database.read(selectKnown, [request.request ?? null, id])
        if (known !== undefined) return String(known.run_id)
        const told = await this.#tell({...request, input}, binding)
        if (told !== undefined) return told
        await database.write(await this.#queueing(id, {...request, input}, binding))
        return id
      }),
    )
    this.#runner.consider()
    return runId
  }

  /** Returns a run's statements for a caller's batch. Call its `stored` once they are durable. Throws as `queue`. */
  async prepare(request: RunRequest): Promise<FiringEffect> {
    const {bindings, hide} = this.#options
    const input = requireInput(request.input, hide)
    const statements = await this.#queueing(uuid(), {...request, input}, bindings.requireReady(request.agent))
    return {statements, stored: () => this.#runner.consider()}
  }

  cancel(runId: string, by: string): Promise<void> {
    return this.#cancel(runId, `by ${by}`)
  }

  async #cancel(runId: string, why: string): Promise<void> {
    const seq = await cancelRun(this.#engine, runId, why)
    this.#runner.abort(seq, new Error("the run was cancelled"))
    this.#runner.consider()
    this.#items.consider()
  }

  async decide(approval: string, decision: Decision): Promise<void> {
    const {database, clock} = this.#options
    const {reason} = decision
    const said = reason === undefined ? decision : {...decision, reason: this.#options.hide(reason)}
    // The decision may be stored even if the answer was lost.
    await decide(database, approval, said, clock.now()).finally(() => this.#runner.consider())
  }

  approval(id: string) {
    return readApprovalById(this.#options.database, id)
  }

  async act(action: RunAction, on: RunSelection): Promise<number> {
    const {database, clock} = this.#options
    return actOnRuns(database, action, on, clock.now()).finally(() => {
      this.#runner.consider()
      this.#items.consider()
    })
  }

  async mcpServer(binding: Binding, server: string): Promise<McpServer> {
    return this.mcp.require(binding, server)
  }

  async check(agent: string, signal: AbortSignal): Promise<AgentCheck> {
    const {project, hide, bindings} = this.#options
    const binding = bindings.requireReady(agent)
    const checks = modelsOf(binding).map(async model => {
      const check = await checkModel(binding, model, {project, hide, signal})
      if (check.ok) bindings.cooling.succeeded(model)
      return check
    })
    const [usual, ...fallbacks] = await Promise.all(checks)
    if (usual === undefined) throw new Problem("agent_misconfigured", `agents.${agent} has no model`)
    return {...usual, fallbacks}
  }

  async context(runId: string): Promise<AgentContext> {
    const {database, bindings} = this.#options
    const row = await requireRun(database, runId, () => true, "")
    return viewContext(this.#engine, row, bindings.require(String(row.agent)))
  }

  #createEngine(): Engine {
    const {database, log, clock, runtimeId, outbox, endpoints, workroom, meter, hide, isPaused} = this.#options
    const buttons = actionHandle(decideAction.name, decideAction.id, decideAction.definition)
    return {
      ...{database, log, clock, runtimeId, outbox, endpoints, workroom, meter, hide, isPaused},
      ...createRunning({...this.#options, mcp: this.mcp}),
      cooling: this.#options.bindings.cooling,
      embeddings: this.#options.standIns === undefined ? this.#embedder : noEmbeddings,
      memoryIndex: new MemoryIndex(this.#options),
      decisionButtons: (approval, say) => [
        buttons.button({approval, approve: true}, say("agent.approve"), {style: "primary"}),
        buttons.button({approval, approve: false}, say("agent.deny"), {style: "danger"}),
      ],
      isStopping: () => this.#isStopping,
      inTurn: begin => this.#turns.take("", begin),
      wakeIn: (run, pause) => this.#runner.wakeIn(run, pause),
      considerItems: () => this.#items.consider(),
    }
  }

  /** Tells a message to the open run of its user and conversation. Resolves to its id; undefined if there is none. */
  async #tell(request: RunRequest, binding: Binding): Promise<string | undefined> {
    const {database, clock} = this.#options
    const select = selectHearing(request)
    const [hearing] = select === undefined ? [] : await database.read(select.sql, select.args)
    if (hearing === undefined) return undefined
    const counted = await this.#counting(request, binding, clock.now())
    // The run may have ended in the meantime.
    const isTold = await isAccepted(database.write([...saying(Number(hearing.seq), request), counted]))
    return isTold ? String(hearing.run_id) : undefined
  }

  /** Throws `agent_limit`. */
  async #queueing(id: string, request: RunRequest, binding: Binding): Promise<readonly Statement[]> {
    const at = this.#options.clock.now()
    return [queueing(id, request, at), await this.#counting(request, binding, at)]
  }

  /** Counts a run for the limits of the day. Throws `agent_limit`. */
  async #counting(request: RunRequest, {config}: Binding, at: number): Promise<Statement> {
    const {database} = this.#options
    const {agent, endpoint, channel} = request
    const place = {agent, endpoint, channel: channel?.id, place: request}
    const passed = await dayLimitOf(database, place, config, dayOf(at), {runs: 1})
    if (passed !== undefined) throw new Problem("agent_limit", `${agent} has reached a limit: ${passed}`)
    return spending(place, dayOf(at), {runs: 1})
  }
}

/** Returns the input without values of secrets, for the database and the model. */
const requireInput = (input: unknown, hide: (text: string) => string): string => {
  if (typeof input === "string" && isInput(input)) return hide(input)
  throw new Problem("request_invalid", `the input of an agent must be text of 1 to ${longestInput} characters`)
}
