import type {Log} from "../../shared/log.ts"
import type {Statement} from "../../shared/plugin-database.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import {type Backoff, pauseAfter} from "../runtime/backoff.ts"
import type {Attempt, Dispatch, Outcome, StoredEvent, Work} from "./handling.ts"
import {assertRunning, claiming, ending, type MarkKey, readIsRunning, repeating, stopping} from "./marks.ts"
import type {Outbox} from "./outbox.ts"
import {forgetting, type Prompts, type Question} from "./prompts.ts"

export interface AttemptsOptions {
  readonly database: Database
  readonly outbox: Outbox
  readonly prompts: Prompts
  readonly runtimeId: string
  readonly log: Log
  /** The pauses before a handler with `retries` runs again. */
  readonly retry: Backoff
  readonly isStopping: () => boolean
}

/** How an attempt ended, for what comes after it. */
export type Ended =
  | {readonly is: "over"}
  /** To be run again after so many milliseconds. */
  | {readonly is: "again"; readonly pause: number}
  /** A middleware that has stopped its event. */
  | {readonly is: "stopped"}
  /** The Host stops: it runs again next time. */
  | {readonly is: "left"}

/** What a middleware is around. */
export interface Inside {
  next(): Promise<unknown>
  /** The handlers that do not run where it stops the event. */
  readonly inside: readonly string[]
}

/** Runs handlers: a durable mark before, and one batch after, with everything that the handler leaves behind. */
export class Attempts {
  readonly #options: AttemptsOptions

  constructor(options: AttemptsOptions) {
    this.#options = options
  }

  /** One handler of one event. One that has ended before is not run. */
  async run(
    dispatch: Dispatch,
    stored: StoredEvent,
    handler: string,
    {next, inside}: Inside = {next: async () => {}, inside: []},
  ): Promise<Ended> {
    const seq = stored.event.sn
    const {database, runtimeId, isStopping} = this.#options
    // Durable before the handler begins: a crash leaves the mark behind.
    const [claimed] = await this.#persist(seq, () => database.write([claiming(seq, handler, runtimeId)]))
    const row = claimed?.rows[0]
    if (row === undefined) return {is: "over"}
    const key: MarkKey = {seq, handler, attempt: Number(row.attempt)}
    let answered: Question | undefined
    const outcome = await dispatch.run(stored, handler, {
      sendNow: (draft, ordinal) => this.#sendNow(key, draft, ordinal),
      question: async () => {
        answered = await this.#options.prompts.answeredBy(seq, handler)
        return answered
      },
      next: async () => void (await next()),
    })
    if (outcome.is === "interrupted" && isStopping()) return {is: "left"}
    if (outcome.is !== "handled") return this.#fail(key, outcome, Number(row.failures), reasonOf(outcome))
    const isStop = outcome.stops === true
    const done = [
      ...(answered === undefined ? [] : [forgetting(seq, handler)]),
      ...(isStop ? stopping(key, inside) : []),
    ]
    const refusal = await this.#store(key, outcome, done)
    if (refusal !== undefined) return this.#fail(key, outcome, Number(row.failures), refusal.message)
    return {is: isStop ? "stopped" : "over"}
  }

  async #sendNow(key: MarkKey, draft: Parameters<Attempt["sendNow"]>[0], ordinal: number): Promise<string> {
    const {database, outbox} = this.#options
    const {seq, handler} = key
    const batch: Statement[] = [
      assertRunning(key),
      outbox.insertion(draft, {seq, handler, ordinal, isEarly: true}),
      {
        sql: "SELECT id FROM outbox WHERE inbox_seq = ? AND handler = ? AND ordinal = ? AND early = 1",
        args: [seq, handler, ordinal],
      },
    ]
    const results = await this.#persist(seq, () => database.write(batch)).catch(async refusal => {
      if (!isProblem(refusal, "database_refused") || (await readIsRunning(database, key))) throw refusal
      throw new Problem("late", "this attempt has ended; what it sends now is refused")
    })
    outbox.stored([draft])
    return String(results.at(-1)?.rows[0]?.id)
  }

  /** Everything that a handler leaves behind, with its mark; resolves to why the database refused it. */
  async #store(key: MarkKey, work: Work, done: readonly Statement[]): Promise<Problem | undefined> {
    const {database, outbox, prompts} = this.#options
    const {sends, writes = [], questions = []} = work
    const batch: Statement[] = [
      assertRunning(key),
      ...sends.map((draft, ordinal) => outbox.insertion(draft, {...key, ordinal})),
      ...questions.flatMap(question => prompts.storing(question, key.seq)),
      ...done,
      ...writes,
      ending(key, "handled"),
    ]
    try {
      await this.#persist(key.seq, () => database.write(batch))
    } catch (refusal) {
      if (!isProblem(refusal, "database_refused")) throw refusal
      // What the handler wrote is at fault; or it is stored already, by an attempt whose answer was lost.
      if (await this.#persist(key.seq, () => readIsRunning(database, key))) return refusal
    }
    for (const question of questions) await prompts.recheck(question)
    outbox.stored(sends)
    return undefined
  }

  async #fail(key: MarkKey, {retries = 0}: Outcome, failures: number, error: string): Promise<Ended> {
    const {database, log, retry} = this.#options
    const again = failures < retries
    const batch = again ? repeating(key, error) : [ending(key, "failed", error)]
    const results = await this.#persist(key.seq, () => database.write(batch))
    if (!again || results.at(-1)?.rows.length === 0) return {is: "over"}
    const pause = Math.round(pauseAfter(failures + 1, retry))
    log.warn(`${key.handler} is run again: ${error}`, {event: key.seq, failures: failures + 1, retries, pause})
    return {is: "again", pause}
  }

  #persist<T>(seq: number, work: () => Promise<T>): Promise<T> {
    return persist(`event ${seq}`, this.#options.log, work)
  }
}

const reasonOf = (outcome: Exclude<Outcome, {is: "handled"}>): string =>
  outcome.is === "failed" ? outcome.error : "its plugin instance was disposed before it had ended"
