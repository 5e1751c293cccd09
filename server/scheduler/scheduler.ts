import type {CalendarView} from "../../shared/api/scheduled/job-calendar.ts"
import type {Job} from "../../shared/api/scheduled/jobs.ts"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import {persist} from "../database/persist.ts"
import type {Clock} from "../runtime/flow/clock.ts"
import {calendarOf, type Span} from "./calendar.ts"
import {consider, mostQueued} from "./consider.ts"
import {readJobStates, storingStates} from "./job-states.ts"
import {inSlices, JobTable} from "./job-table.ts"
import {type Claim, claiming, claimOf} from "./run-rows.ts"
import {Runner, type RunnerOptions} from "./runner.ts"

export interface SchedulerOptions extends Omit<RunnerOptions, "now" | "jobOf"> {
  readonly clock: Clock
}

/** A job that is this late, in milliseconds, has missed its due time: the machine slept, or its clock was set. */
const grace = 60_000

/** The most due times that one batch claims. */
const largestBatch = 500

/**
 * Fires jobs: one timer for the next due time, a durable claim of each due time before anything is called, and the
 * policy for missed ones. The handled time of a job only grows, so that a clock that is set back fires nothing twice.
 */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #clock: Clock
  readonly #table = new JobTable()
  readonly runner: Runner
  /** Due times before this were missed. */
  #openSince = 0
  #isOpen = false
  #cancelTimer = () => {}
  /** Changes and ticks run one after the other; this counts the unfinished ones. */
  #works = 0
  #working: Promise<unknown> = Promise.resolve()

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#clock = options.clock
    this.runner = new Runner({...options, now: () => options.clock.now(), jobOf: id => this.#table.job(id)})
  }

  get jobs(): readonly Job[] {
    return this.#table.jobs
  }

  job(id: string): Job | undefined {
    return this.#table.job(id)
  }

  /** Returns when a job fires next, in milliseconds since 1970; undefined if it does not. */
  nextOf(id: string): number | undefined {
    return this.#table.next(id)?.at
  }

  /** Returns what falls due within some days, from now on by default. */
  calendar({from = this.#clock.now(), ...span}: Omit<Span, "from"> & {from?: number}): Promise<CalendarView> {
    // A day may have 25 hours.
    const end = from + (span.days + 1) * 90_000_000
    return calendarOf(this.#table.comingBefore(end), {...span, from})
  }

  /** Starts with the runs that earlier runs of the Host left queued, and with missed due times. */
  async start(jobs: readonly Job[]): Promise<void> {
    this.#openSince = this.#clock.now()
    await this.apply(jobs)
    await this.runner.start()
    this.#isOpen = true
    this.#wake()
  }

  /** Replaces the jobs. Resolves once that is durable. */
  apply(jobs: readonly Job[]): Promise<void> {
    return this.#enqueue(async () => {
      const {database, log} = this.#options
      const known = await persist("the jobs", log, () => readJobStates(database))
      const {states, changed, gone} = this.#table.plan(jobs, known, this.#clock.now())
      await persist("the jobs", log, () => database.write(storingStates(changed, gone)))
      await this.#table.take(jobs, states)
      this.#arm()
    })
  }

  /** Call it when ingress was opened or paused. Due times in between were missed. */
  ingressChanged(): void {
    if (!this.#isOpen || this.#options.isPaused()) return
    void this.#enqueue(async () => {
      this.#openSince = this.#clock.now()
      this.runner.resume()
    })
    this.#wake()
  }

  /** Starts a run that is not due. Resolves to its `runId` once it is durable. Throws `job_unknown`, `conflict`. */
  async runNow(id: string): Promise<string> {
    const {database, log} = this.#options
    const job = this.#table.job(id)
    if (job === undefined) throw new Problem("job_unknown", `there is no job ${id}`)
    const open = this.runner.openRuns(id)
    if (open > (job.overlap === "queue" ? mostQueued : 0)) {
      throw new Problem("conflict", `a run of ${id} is open, and its overlap is ${job.overlap ?? "skip"}`)
    }
    const claim = claimOf(id, {scheduledFor: this.#clock.now(), trigger: "manual"})
    await persist(`a run of ${id}`, log, () => database.write(claiming([claim], new Map(), claim.scheduledFor)))
    this.runner.push(claim)
    return claim.runId
  }

  /** Stops firing. Resolves when running jobs have ended. */
  async drain(): Promise<void> {
    this.#isOpen = false
    this.#cancelTimer()
    await this.#working.catch(() => {})
    await this.runner.drain()
  }

  /** True if everything due has been claimed, and everything that can start has ended. */
  get isIdle(): boolean {
    return this.#works === 0 && this.runner.isIdle
  }

  /** Resolves when everything due has been claimed. */
  async claimed(): Promise<void> {
    await this.#working.catch(() => {})
  }

  /** Resolves when everything due has been claimed, and everything that can start has ended. */
  async idle(): Promise<void> {
    await this.claimed()
    await this.runner.idle()
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#works++
    const done = this.#working.then(work).finally(() => this.#works--)
    this.#working = done.catch(() => {})
    return done
  }

  #arm(): void {
    this.#cancelTimer()
    const next = this.#table.peek()
    // `ingressChanged` sets the timer once ingress is open again.
    if (!this.#isOpen || next === undefined || this.#options.isPaused()) return
    const wait = Math.min(Math.max(next.at - this.#clock.now(), 0), this.#clock.longestWait)
    this.#cancelTimer = this.#clock.wait(wait, () => this.#wake())
  }

  #wake(): void {
    void this.#enqueue(() => this.#tick()).catch(error => {
      if (!this.#isOpen || isProblem(error, "stopping")) return
      this.#options.log.error(`due jobs could not be fired: ${messageOf(error)}`, {error})
      this.#cancelTimer = this.#clock.wait(this.#clock.longestWait, () => this.#wake())
    })
  }

  async #tick(): Promise<void> {
    while (this.#isOpen && !this.#options.isPaused()) {
      const now = this.#clock.now()
      // If the clock was set back, due times from now on are on time.
      this.#openSince = Math.min(this.#openSince, now)
      const {claims, upTo} = await this.#collect(now)
      if (claims.length === 0) break
      await this.#claim(claims, upTo, now)
    }
    this.#arm()
  }

  /** Returns what to do about everything that has fallen due. */
  async #collect(now: number): Promise<{claims: readonly Claim[]; upTo: ReadonlyMap<string, number>}> {
    const missedUpTo = Math.max(this.#openSince - 1, now - grace)
    const claims: Claim[] = []
    const upTo = new Map<string, number>()
    const planning = new Map<string, number>()
    await inSlices(this.#due(now), ({entry, due}) => {
      const {id} = entry.job
      const openRuns = this.runner.openRuns(id) + (planning.get(id) ?? 0)
      const considered = consider(entry.job, {times: entry.times, due, missedUpTo, now, openRuns})
      claims.push(...considered.planned.map(planned => claimOf(id, planned)))
      const begun = considered.planned.filter(({skipped}) => skipped === undefined).length
      planning.set(id, (planning.get(id) ?? 0) + begun)
      upTo.set(id, considered.upTo)
      this.#table.awaitAfter(entry, considered.upTo)
      return claims.length < largestBatch
    })
    return {claims, upTo}
  }

  *#due(now: number) {
    for (let next = this.#table.peek(); next !== undefined && next.at <= now; next = this.#table.peek()) {
      this.#table.pop()
      yield next
    }
  }

  /** Claims due times durably before any target is called, so that no due time is claimed again, whatever happens. */
  async #claim(claims: readonly Claim[], upTo: ReadonlyMap<string, number>, now: number): Promise<void> {
    const {database, log} = this.#options
    const results = await persist(`${claims.length} runs`, log, () => database.write(claiming(claims, upTo, now)))
    const own = new Set(results.at(-1)?.rows.map(row => String(row.run_id)))
    for (const claim of claims) if (own.has(claim.runId)) this.runner.push(claim)
    const skipped = claims.filter(({runId, skipped}) => skipped !== undefined && !own.has(runId))
    const alike = Map.groupBy(skipped, ({job, skipped}) => `${job} ${skipped}`)
    for (const each of alike.values()) this.#tellSkipped(each)
  }

  /** Logs one line for the due times of one job that were skipped for the same reason. */
  #tellSkipped(alike: readonly Claim[]): void {
    const [first, last] = [alike[0], alike.at(-1)]
    if (first === undefined || last === undefined) return
    const from = first.missedFrom ?? (first === last ? undefined : first.scheduledFor)
    this.#options.log.warn(`job ${first.job} was skipped: ${first.skipped}`, {
      scheduledFor: new Date(last.scheduledFor).toISOString(),
      ...(from === undefined ? {} : {missedFrom: new Date(from).toISOString()}),
    })
  }
}
