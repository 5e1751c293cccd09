import type {Log} from "../../../shared/log.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import type {Database, Statement} from "../../database/database.ts"
import {type Counts, countsOf, emptySample, merge, type Sample, sampleOf, sampleText} from "./sample.ts"
import {hour, kept, minute, spans} from "./spans.ts"
import type {Uptimes} from "./uptimes.ts"
import type {Watch} from "./watch.ts"

/** Counts since the Host started, or since counting began. */
export interface Totals extends Counts, Pick<Sample, "bytes" | "memory"> {
  /** Cumulative counts for each of `secondsBuckets`, then the total. */
  readonly handlers: readonly number[]
  readonly commits: readonly number[]
}

export interface RecorderOptions {
  readonly database: Pick<Database, "read" | "write">
  readonly log: Log
  readonly totals: () => Promise<Totals>
  readonly watch: Pick<Watch, "start" | "look" | "take" | "stop">
  /** Receives each stored row. */
  readonly uptimes?: Pick<Uptimes, "follow" | "add">
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

const store = `INSERT INTO metric_history (span, at, data) VALUES (?, ?, ?)
  ON CONFLICT (span, at) DO UPDATE SET data = excluded.data`

/** Also deletes rows in the future, which a clock that was set back would leave. */
const forget = "DELETE FROM metric_history WHERE span = ? AND (at < ? OR at > ?)"

/**
 * Stores what the Host did: a row for each minute and one for each hour, of which the newest grows. Guarantees nothing:
 * an interval that cannot be stored is missing from the history, and shown as missing.
 */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #now: () => number
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopping = false
  #last: Totals | undefined
  #recording: Promise<void> = Promise.resolve()

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Resolves once the starting values are taken: earlier counts belong to no row. */
  async start(): Promise<void> {
    this.#options.watch.start()
    this.#last = await this.#options.totals().catch(() => undefined)
    this.#recording = this.#follow().catch(error =>
      this.#options.log.debug(`could not read uptimes: ${messageOf(error)}`),
    )
    this.#schedule()
  }

  /** Stores the rest since the last row. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    this.#options.watch.stop()
    await this.record()
  }

  /** Stores what happened since the last call. After a failure of the database, the next row contains it. */
  record(): Promise<void> {
    this.#recording = this.#recording
      .then(() => this.#record())
      .catch(error => {
        if (!isProblem(error, "stopping"))
          this.#options.log.debug(`an interval is missing from the metric history: ${messageOf(error)}`)
      })
    return this.#recording
  }

  /** Runs at the end of each minute of the clock. */
  #schedule(): void {
    if (this.#isStopping) return
    this.#timer = setTimeout(() => void this.record().then(() => this.#schedule()), minute - (this.#now() % minute))
    this.#timer.unref()
  }

  async #follow(): Promise<void> {
    await this.#options.uptimes?.follow(this.#options.database, this.#now())
  }

  async #record(): Promise<void> {
    const {database, watch} = this.#options
    watch.look()
    const totals = await this.#options.totals()
    const sample: Sample = {...differenceOf(totals, this.#last), ...watch.take()}
    if (sample.ran === 0) return
    // The middle of the interval, since the timer runs after the minute has ended.
    const at = this.#now() - sample.ran * 500
    const places = spans.map(span => ({span, at: Math.floor(at / span) * span}))
    const known = await Promise.all(places.map(({span, at}) => database.read(readOne, [span, at])))
    await database.write([
      ...places.map(({span, at}, index): Statement => {
        const before = known[index]?.[0]
        const whole = before === undefined ? sample : merge(sampleOf(String(before.data)), sample)
        return {sql: store, args: [span, at, sampleText(whole)]}
      }),
      ...spans.map((span): Statement => ({sql: forget, args: [span, at - kept(span), at + hour]})),
    ])
    this.#last = totals
    this.#options.uptimes?.add(sample, at, this.#now())
    await this.#follow()
  }
}

const readOne = "SELECT data FROM metric_history WHERE span = ? AND at = ?"

const differenceOf = (now: Totals, before: Totals | undefined): Sample => ({
  ...emptySample,
  ...countsOf(name => Math.max(0, now[name] - (before?.[name] ?? now[name]))),
  handlers: bucketsOf(now.handlers, before?.handlers),
  commits: bucketsOf(now.commits, before?.commits),
  bytes: now.bytes,
  memory: now.memory,
})

/** Returns the difference of two readings of a histogram, by bucket, without the empty buckets at the end. */
const bucketsOf = (now: readonly number[], before: readonly number[] = []): readonly number[] => {
  const more = now.map((count, index) => count - (before[index] ?? 0))
  const own = more.map((count, index) => count - (more[index - 1] ?? 0))
  return own.slice(0, own.findLastIndex(count => count > 0) + 1)
}
