import type {Log} from "../../shared/log.ts"
import type {Statement} from "../../shared/plugin.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import {type Backoff, pauseAfter} from "../runtime/backoff.ts"
import type {Attempt, Dispatch, Outcome, StoredEvent, Work} from "./handling.ts"
import {assertRunning, claiming, ending, type MarkKey, readIsRunning, repeating} from "./marks.ts"
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

/** Runs handlers: a durable mark before, and one batch after, with everything that the handler leaves behind. */
export class Attempts {
  readonly #options: AttemptsOptions

  constructor(options: AttemptsOptions) {
    this.#options = options
  }

  /** One handler of one event; resolves to the pause after which it is to run again, in milliseconds. */
  async run(dispatch: Dispatch, stored: StoredEvent, handler: string): Promise<number | undefined> {
    const seq = stored.event.sn
    const {database, runtimeId, isStopping} = this.#options
    // Durable before the handler begins: a crash leaves the mark behind.
    const [claimed] = await this.#persist(seq, () => database.write([claiming(seq, handler, runtimeId)]))
    const row = claimed?.rows[0]
    if (row === undefined) return undefined
    const key: MarkKey = {seq, handler, attempt: Number(row.attempt)}
    let answered: Question | undefined
    const outcome = await dispatch.run(stored, handler, {
      sendNow: (draft, ordinal) => this.#sendNow(key, draft, ordinal),
      question: async () => {
        answered = await this.#options.prompts.answeredBy(seq, handler)
        return answered
      },
    })
    if (outcome.is === "interrupted" && isStopping()) return undefined
    if (outcome.is !== "handled") return this.#fail(key, outcome, Number(row.failures), reasonOf(outcome))
    const done = [...(answered === undefined ? [] : [forgetting(seq, handler)])]
    const refusal = await this.#store(key, outcome, done)
    return refusal && this.#fail(key, outcome, Number(row.failures), refusal.message)
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
      if (!isRefused(refusal) || (await readIsRunning(database, key))) throw refusal
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
      if (!isRefused(refusal)) throw refusal
      // What the handler wrote is at fault; or it is stored already, by an attempt whose answer was lost.
      if (await this.#persist(key.seq, () => readIsRunning(database, key))) return refusal
    }
    for (const question of questions) await prompts.recheck(question)
    outbox.stored(sends)
    return undefined
  }

  async #fail(key: MarkKey, {retries = 0}: Outcome, failures: number, error: string): Promise<number | undefined> {
    const {database, log, retry} = this.#options
    const again = failures < retries
    const batch = again ? repeating(key, error) : [ending(key, "failed", error)]
    const results = await this.#persist(key.seq, () => database.write(batch))
    if (!again || results.at(-1)?.rows.length === 0) return undefined
    const pause = Math.round(pauseAfter(failures + 1, retry))
    log.warn(`${key.handler} is run again: ${error}`, {event: key.seq, failures: failures + 1, retries, pause})
    return pause
  }

  #persist<T>(seq: number, work: () => Promise<T>): Promise<T> {
    return persist(`event ${seq}`, this.#options.log, work)
  }
}

const isRefused = (error: unknown): error is Problem => error instanceof Problem && error.code === "database_refused"

const reasonOf = (outcome: Exclude<Outcome, {is: "handled"}>): string =>
  outcome.is === "failed" ? outcome.error : "its plugin instance was disposed before it had ended"
