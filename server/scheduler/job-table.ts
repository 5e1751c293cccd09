import {setImmediate as turn} from "node:timers/promises"
import type {Job} from "../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../shared/json.ts"
import {DueQueue} from "./due-queue.ts"
import {type JobState, scheduleKey} from "./job-states.ts"
import {Calculator, jitterOf, type Times} from "./times/calculator.ts"

export interface Entry {
  readonly job: Job
  /** The job as text, to detect changes. */
  readonly text: string
  readonly times: Times
}

/** A job's next due time, and when it fires. */
export interface Next {
  readonly entry: Entry
  readonly due: number
  readonly at: number
}

/** After this many milliseconds, long work yields to the event loop. */
const slice = 10

/** Calls `work` for each item, and yields to the event loop in between. Stops if `work` returns false. */
export const inSlices = async <T>(items: Iterable<T>, work: (item: T) => boolean | undefined): Promise<void> => {
  let begun = performance.now()
  for (const item of items) {
    if (work(item) === false) return
    if (performance.now() - begun < slice) continue
    await turn()
    begun = performance.now()
  }
}

/** The active jobs, and which of them is due next. */
export class JobTable {
  readonly #calculator = new Calculator()
  readonly #queue = new DueQueue<Next>()
  #entries: ReadonlyMap<string, Entry> = new Map()
  #next = new Map<string, Next>()

  get jobs(): readonly Job[] {
    return [...this.#entries.values()].map(({job}) => job)
  }

  /** Returns the jobs that may fall due before a time. A disabled job does not. */
  *comingBefore(at: number): Iterable<Entry> {
    for (const [id, entry] of this.#entries) {
      const next = this.#next.get(id)
      if (entry.job.enabled !== false && (next === undefined || next.due < at)) yield entry
    }
  }

  job(id: string): Job | undefined {
    return this.#entries.get(id)?.job
  }

  next(id: string): Next | undefined {
    return this.#next.get(id)
  }

  /** Returns the earliest due time of all jobs. */
  peek(): Next | undefined {
    return this.#queue.peek()
  }

  /** Removes the earliest. Its job has no next due time until `awaitAfter`. */
  pop(): Next | undefined {
    const next = this.#queue.pop()
    if (next !== undefined) this.#next.delete(next.entry.job.id)
    return next
  }

  /** Schedules a job for its first due time after `at`. */
  awaitAfter(entry: Entry, at: number): void {
    const due = entry.job.enabled === false ? undefined : entry.times.after(at)
    if (due !== undefined) this.#await({entry, due, at: due + jitterOf(entry.job, due)})
  }

  /** Returns what to store before these jobs become active: new, enabled, rescheduled ones are handled up to `now`. */
  plan(jobs: readonly Job[], known: ReadonlyMap<string, JobState>, now: number) {
    const states = jobs.map((job): JobState => {
      const schedule = scheduleKey(job)
      const state = known.get(job.id)
      return state?.schedule === schedule ? state : {job: job.id, schedule, consideredAt: now}
    })
    const ids = new Set(jobs.map(({id}) => id))
    return {
      states,
      changed: states.filter(state => known.get(state.job) !== state),
      gone: [...known.keys()].filter(id => !ids.has(id)),
    }
  }

  /** Replaces the jobs, each handled up to what its state says. */
  async take(jobs: readonly Job[], states: readonly JobState[]): Promise<void> {
    const before = {entries: this.#entries, next: this.#next}
    const entries = jobs.map(job => this.#entryOf(job, before.entries.get(job.id)))
    this.#entries = new Map(entries.map(entry => [entry.job.id, entry]))
    this.#next = new Map()
    this.#queue.clear()
    const consideredAt = new Map(states.map(state => [state.job, state.consideredAt]))
    await inSlices(entries, entry => {
      const {id} = entry.job
      const next = before.next.get(id)
      const considered = consideredAt.get(id) ?? 0
      if (next?.entry === entry && next.due > considered) this.#await(next)
      else this.awaitAfter(entry, considered)
      return undefined
    })
  }

  #entryOf(job: Job, before: Entry | undefined): Entry {
    const text = toJson(job)
    if (before?.text === text) return before
    return {job, text, times: this.#calculator.times(job.schedule, job.timezone)}
  }

  #await(next: Next): void {
    this.#next.set(next.entry.job.id, next)
    this.#queue.push(next)
  }
}
