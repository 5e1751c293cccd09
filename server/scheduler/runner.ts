import {withPlace} from "../../shared/api/plugin-views.ts"
import type {FiringTarget, Job, JobTarget} from "../../shared/api/scheduled/jobs.ts"
import type {Log} from "../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {persist, writeIf} from "../database/persist.ts"
import {Lanes} from "../runtime/flow/lanes.ts"
import {TimeLimitExceeded} from "../runtime/flow/time-limit.ts"
import {assertRunning, beginning, type End, ending, failingInterrupted, type QueuedRun, readQueued} from "./run-rows.ts"

export interface RunnerOptions {
  readonly database: Database
  readonly log: Log
  readonly runtimeId: string
  readonly now: () => number
  /** While this returns true, no job fires and no run starts. */
  readonly isPaused: () => boolean
  /** Removes the values of secrets from stored text, because an error may contain one. */
  readonly scrub: (text: string) => string
  readonly jobOf: (id: string) => Job | undefined
  readonly targetOf: (target: JobTarget) => FiringTarget
}

/** How many jobs run at the same time. The runs of one job never do. */
const width = 32

class Cancelled extends Error {}

/** A run is durably `running` before its target is called, and its end one batch. A run is never started twice. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #lanes: Lanes<QueuedRun>
  /** Runs that are queued or running, by job. */
  readonly #open = new Map<string, number>()
  /** Runs that wait for ingress to open. */
  #held: QueuedRun[] = []
  readonly #running = new Map<string, AbortController>()
  #stopping = false

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#lanes = new Lanes(width, run => this.#take(run))
  }

  /** Fails the runs that an earlier run of the Host left running, and continues with those that it left queued. */
  async start(): Promise<void> {
    const {database, log, now} = this.#options
    const isLeft = "EXISTS (SELECT 1 FROM job_runs WHERE state IN ('queued', 'running') AND state = 'running')"
    const [failed] = await writeIf(database, isLeft, [failingInterrupted(now())])
    for (const {run_id, job} of failed?.rows ?? []) {
      log.error(`a run of job ${job} was interrupted when the Host ended`, {runId: run_id})
    }
    for (const run of await readQueued(database)) this.push(run)
  }

  openRuns(job: string): number {
    return this.#open.get(job) ?? 0
  }

  /** Accepts a run that is durably queued. */
  push(run: QueuedRun): void {
    this.#open.set(run.job, this.openRuns(run.job) + 1)
    this.#lanes.push(run.job, run)
  }

  /** Call it when ingress is open: the waiting runs continue, in order. */
  resume(): void {
    for (const run of this.#held.splice(0)) this.#lanes.push(run.job, run)
  }

  /** Cancels a run that has not ended. Throws `run_state`, and `run_unknown` if there is none. */
  async cancel(runId: string): Promise<void> {
    const {database, now} = this.#options
    const [row] = await database.read("SELECT job, state FROM job_runs WHERE run_id = ?", [runId])
    if (row === undefined) throw new Problem("run_unknown", `there is no run ${runId}`)
    const [ended] = await database.write([ending(runId, {state: "cancelled", reason: "requested"}, now())])
    if (ended?.rows.length !== 1) throw new Problem("run_state", `the run has ended: it is ${row.state}`)
    this.#running.get(runId)?.abort(new Cancelled("the run was cancelled"))
  }

  /** Starts no more runs. Resolves when the running ones have ended. */
  async drain(): Promise<void> {
    this.#stopping = true
    this.#lanes.pause()
    await this.#lanes.idle()
  }

  /** True if nothing runs, and nothing waits that could run. */
  get isIdle(): boolean {
    return this.#lanes.isIdle
  }

  /** Resolves when everything that can start now has ended. */
  idle(): Promise<void> {
    return this.#lanes.idle()
  }

  async #take(run: QueuedRun): Promise<void> {
    if (this.#options.isPaused()) {
      this.#held.push(run)
      return
    }
    try {
      await this.#run(run)
    } catch (error) {
      if (!isProblem(error, "stopping"))
        this.#options.log.error(`job ${run.job} could not continue: ${messageOf(error)}`, {error, runId: run.runId})
    }
    const open = this.openRuns(run.job) - 1
    if (open > 0) this.#open.set(run.job, open)
    else this.#open.delete(run.job)
  }

  async #run(run: QueuedRun): Promise<void> {
    const {database, now, jobOf, runtimeId} = this.#options
    const job = jobOf(run.job)
    if (job === undefined) return this.#end(run, {state: "cancelled", reason: "job_removed"})
    if (job.enabled === false && run.trigger !== "manual") {
      return this.#end(run, {state: "cancelled", reason: "job_paused"})
    }
    const [begun] = await this.#persist(run, () => database.write([beginning(run.runId, runtimeId, now())]))
    if (begun?.rows.length !== 1) return
    const abort = new AbortController()
    this.#running.set(run.runId, abort)
    try {
      await this.#fire(run, job, abort.signal)
    } catch (error) {
      if (!(error instanceof Cancelled)) await this.#fail(run, job, error)
    } finally {
      this.#running.delete(run.runId)
    }
  }

  async #fire(run: QueuedRun, {target}: Job, signal: AbortSignal): Promise<void> {
    const {database, now, targetOf} = this.#options
    const effect = await targetOf(target).fire({...run, target, signal})
    const batch = [assertRunning(run.runId), ...effect.statements, ending(run.runId, {state: "succeeded"}, now())]
    try {
      await this.#persist(run, () => database.write(batch))
    } catch (refusal) {
      if (!isProblem(refusal, "database_refused")) throw refusal
      // Its own statements are wrong, it was cancelled, or a write whose response was lost has already stored it.
      const [row] = await this.#persist(run, () =>
        database.read("SELECT state FROM job_runs WHERE run_id = ?", [run.runId]),
      )
      if (row?.state === "running") throw refusal
      if (row?.state !== "succeeded") return
    } finally {
      effect.release?.()
    }
    effect.stored?.()
  }

  async #fail(run: QueuedRun, {target}: Job, error: unknown): Promise<void> {
    const reason = this.#stopping ? "host_stopped" : reasonOf(error)
    this.#options.log.error(`job ${run.job} failed: ${messageOf(error)}`, {error, runId: run.runId, job: run.job})
    const text = withPlace(messageOf(error), this.#options.targetOf(target).positionOf?.(target, error))
    await this.#end(run, {state: "failed", reason, error: this.#options.scrub(text)})
  }

  async #end(run: QueuedRun, end: End): Promise<void> {
    const {database, now} = this.#options
    await this.#persist(run, () => database.write([ending(run.runId, end, now())]))
  }

  #persist<T>(run: QueuedRun, work: () => Promise<T>): Promise<T> {
    return persist(`run ${run.runId}`, this.#options.log, work)
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof TimeLimitExceeded) return "timed_out"
  // Its plugin instance was disposed, so the abort carries no reason.
  if (error instanceof DOMException && error.name === "AbortError") return "interrupted"
  return error instanceof Problem ? error.code : "error"
}
