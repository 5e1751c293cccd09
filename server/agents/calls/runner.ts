import {toJson} from "../../../shared/json.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {persist, writeIf} from "../../database/persist.ts"
import {DueClock} from "../../runtime/flow/due-clock.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {Attempt} from "../runs/attempt.ts"
import {fail} from "../runs/end.ts"
import {AttemptOver, type Engine} from "../runs/engine.ts"
import {
  type AgentRun,
  claiming,
  forgettingStreamed,
  holdingCutOff,
  runOf,
  selectNextDue,
  selectQueued,
  selectStreamed,
  someLeft,
  someWaitForIngress,
  takingOver,
  wakingDue,
  wakingIngress,
  wakingRetry,
} from "../runs/run-rows.ts"
import {queueingSummaries, selectNextSummary} from "../runs/summaries.ts"
import {longestPause} from "./model-failure.ts"
import {work} from "./run.ts"

/** The most runs at a time, over all agents. */
const width = 256

const never = Number.POSITIVE_INFINITY

/** How long a tool's call may take to end when the Host stops, in milliseconds. */
const patience = 3000

interface Active {
  readonly agent: string
  readonly abort: AbortController
  ended: Promise<void>
}

/** Starts queued runs, as many at a time as their bindings allow, and wakes waiting ones. */
export class Runner {
  readonly #engine: Engine
  readonly #due: DueClock
  readonly #active = new Map<number, Active>()
  readonly #wakes = new Set<() => void>()
  #considering: Promise<void> | undefined
  #isDirty = false
  #isRunning = false

  constructor(engine: Engine) {
    this.#engine = engine
    const {log, clock} = engine
    this.#due = new DueClock({
      what: "a run of an agent",
      log,
      clock,
      next: () => this.#nextDue(),
      fire: now => this.#fire(now),
    })
  }

  /** Continues runs that earlier Hosts left. */
  async start(): Promise<void> {
    const now = this.#engine.clock.now()
    const limits = this.#engine.resumeLimits()
    const held = limits.length === 0 ? [] : [holdingCutOff(limits, now)]
    const statements = [...held, takingOver(now, longestPause)]
    await this.#wait(database => writeIf(database, held.length === 0 ? someLeft : "true", statements))
    await this.#forgetStreamed()
    this.#isRunning = true
    this.#due.start()
    this.consider()
  }

  async #forgetStreamed(): Promise<void> {
    const rows = await this.#wait(database => database.read(selectStreamed))
    const names = rows.map(({endpoint}) => String(endpoint))
    const inside = names.filter(name => this.#engine.endpoints.get(name)?.spec.history === "inside")
    if (inside.length > 0) await this.#wait(database => database.write([forgettingStreamed(inside)]))
  }

  /** Starts no more runs. Resolves once each working run has stopped after its current step. */
  async stop(): Promise<void> {
    this.#isRunning = false
    for (const cancel of this.#wakes) cancel()
    await this.#due.stop()
    await this.#considering
    const left = Promise.all([...this.#active.values()].map(({ended}) => ended))
    await withTimeLimit(patience, () => left).catch(() => {})
    for (const {abort} of this.#active.values()) abort.abort(new Error("the Host is stopping"))
    await left
  }

  /** Resolves once no run is working. */
  async idle(): Promise<void> {
    await Promise.all([this.#considering, ...[...this.#active.values()].map(({ended}) => ended)])
  }

  get isIdle(): boolean {
    return this.#active.size === 0 && this.#considering === undefined && !this.#due.isFiring
  }

  /** Call it when runs may have been queued, or may be able to start. */
  consider(): void {
    if (!this.#isRunning) return
    this.#isDirty = true
    this.#considering ??= this.#takeUp()
      .catch(error => this.#engine.log.error(`could not start agent runs: ${messageOf(error)}`, {error}))
      .finally(() => {
        this.#considering = undefined
        if (this.#isDirty) this.consider()
      })
  }

  async ingressOpened(): Promise<void> {
    if (!this.#isRunning) return
    await this.#wait(database => writeIf(database, someWaitForIngress, [wakingIngress]))
    this.#due.consider(0)
    this.consider()
  }

  /** Notes that a run waits until this time. */
  waits(until: number): void {
    this.#due.consider(until)
  }

  wakeIn(run: Pick<AgentRun, "seq" | "attempt">, pause: number): void {
    const {log, clock} = this.#engine
    const cancel = clock.wait(pause, () => {
      this.#wakes.delete(cancel)
      this.#wait(database => database.write([wakingRetry(run)])).then(
        () => this.consider(),
        error => log.debug(`could not wake an agent run: ${messageOf(error)}`),
      )
    })
    this.#wakes.add(cancel)
  }

  /** Aborts the current work of a cancelled run. */
  abort(seq: number, reason: Error): void {
    this.#active.get(seq)?.abort.abort(reason)
  }

  /** Resolves once no attempt works on the run. */
  async left(seq: number): Promise<void> {
    await this.#active.get(seq)?.ended
  }

  async #takeUp(): Promise<void> {
    while (this.#isDirty && this.#isRunning && !this.#engine.isPaused()) {
      this.#isDirty = false
      await this.#takeUpSome()
    }
    if (this.#engine.isPaused()) this.#isDirty = false
  }

  async #takeUpSome(): Promise<void> {
    for (;;) {
      const full = [...this.#agents()]
        .filter(([agent, active]) => active.length >= this.#parallelOf(agent))
        .map(([agent]) => agent)
      const rows = await this.#wait(database => database.read(selectQueued, [toJson(full)]))
      let begun = 0
      for (const row of rows) {
        const {seq, agent, attempt} = {seq: Number(row.seq), agent: String(row.agent), attempt: Number(row.attempt)}
        if (this.#active.size >= width || !this.#isRunning) return
        if (this.#active.has(seq) || (this.#agents().get(agent)?.length ?? 0) >= this.#parallelOf(agent)) continue
        this.#begin(seq, agent, attempt + 1)
        begun++
      }
      if (begun === 0) return
    }
  }

  #agents(): ReadonlyMap<string, readonly Active[]> {
    return Map.groupBy(this.#active.values(), ({agent}) => agent)
  }

  /** A run whose binding no longer exists is started so that it fails. */
  #parallelOf(agent: string): number {
    return this.#engine.bindingOf(agent)?.config.limits.parallel ?? width
  }

  #begin(seq: number, agent: string, attempt: number): void {
    const abort = new AbortController()
    const active: Active = {agent, abort, ended: Promise.resolve()}
    this.#active.set(seq, active)
    const {log} = this.#engine
    active.ended = this.#run(seq, attempt, abort.signal)
      .catch(error => {
        if (!isProblem(error, "stopping")) log.error(`could not start a run of ${agent}: ${messageOf(error)}`, {error})
      })
      .finally(() => {
        this.#active.delete(seq)
        this.consider()
      })
  }

  async #run(seq: number, attempt: number, signal: AbortSignal): Promise<void> {
    const {log, runtimeId, clock} = this.#engine
    const [claimed] = await this.#wait(database => database.write([claiming(seq, attempt, runtimeId, clock.now())]))
    const row = claimed?.rows[0]
    if (row === undefined) return
    const run = runOf(row)
    const opened = await Attempt.open(this.#engine, run)
    const left = await work(opened, signal).catch(async error => {
      if (signal.aborted || error instanceof AttemptOver || isProblem(error, "stopping")) return undefined
      log.error(`run ${run.runId} of ${run.agent} failed: ${messageOf(error)}`, {error, runId: run.runId})
      await fail(opened, "internal", messageOf(error)).catch(cause =>
        log.error(`could not end run ${run.runId}: ${messageOf(cause)}`, {error: cause, runId: run.runId}),
      )
      return undefined
    })
    // Ingress may have opened before the run's wait for it was stored.
    if (left === "waits for ingress" && !this.#engine.isPaused()) await this.ingressOpened()
    if (run.item !== undefined) this.#engine.considerItems()
    this.#due.consider(clock.now())
    this.#engine.embeddings.consider()
  }

  async #nextDue(): Promise<number | undefined> {
    if (this.#engine.isPaused()) return undefined
    const read = (sql: string) => this.#wait(database => database.read(sql))
    const [[due], [summary]] = await Promise.all([read(selectNextDue), read(selectNextSummary)])
    const next = Math.min(Number(due?.at ?? never), Number(summary?.at ?? never))
    return next === never ? undefined : next
  }

  async #fire(now: number): Promise<void> {
    const agents = this.#engine.summarizing()
    await this.#wait(database => database.write([...wakingDue(now), ...queueingSummaries(now, {now, agents})]))
    this.consider()
  }

  /** Waits while the database fails. */
  #wait<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return persist("the runs of agents", this.#engine.log, () => work(this.#engine.database))
  }
}
