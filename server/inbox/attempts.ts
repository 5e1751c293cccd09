import {withPlace} from "../../shared/api/plugin-views.ts"
import {toJson} from "../../shared/json.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../shared/sdk/adapter/backoff.ts"
import type {Statement} from "../database/database.ts"
import type {Gather} from "../database/gather.ts"
import {groupCommitted, persist} from "../database/persist.ts"
import type {OutboxDraft} from "../outbox/draft.ts"
import {selectEarly} from "../outbox/look-ups.ts"
import type {MarkKey} from "../outbox/mark-key.ts"
import type {Outbox} from "../outbox/outbox.ts"
import {findOwn, insertion, locate, type NewRow} from "../outbox/rows.ts"
import {Expiry, type ExpiryOptions} from "./expiry.ts"
import type {Attempt, Dispatch, InboxEvent, Outcome, Work} from "./intake/handling.ts"
import type {IntakeOptions} from "./intake/intake.ts"
import {assertRunning, ending, readIsRunning, repeating, stopping} from "./intake/marks.ts"
import {channelsOf, forgetting, type Question} from "./intake/prompts.ts"
import {
  type Claim,
  type Claimed,
  gatherClaims,
  gatherEnds,
  type HandledEnd,
  insertingWhileRunning,
} from "./mark-batches.ts"

export interface AttemptsOptions extends ExpiryOptions, Pick<IntakeOptions, "prompts"> {
  readonly outbox: Outbox
  /** The pauses before a handler with `retries` runs again. */
  readonly retry: Backoff
  readonly isStopping: () => boolean
}

/** How an attempt ended, for what follows it. */
export type Ended =
  | {readonly is: "over"}
  /** Run it again after this pause, in milliseconds. `byClock` is false for the pause that separates two handlers. */
  | {readonly is: "again"; readonly pause: number; readonly byClock: boolean}
  /** A middleware has stopped its event. */
  | {readonly is: "stopped"}
  /** The Host is stopping. The handler runs again in the next run. */
  | {readonly is: "left"}

/** The handlers inside a middleware. */
export interface Inside {
  next(): Promise<unknown>
  /** The handlers that do not run if the middleware stops the event. */
  readonly inside: readonly string[]
}

/** One handler of one event. */
export interface Run {
  readonly dispatch: Dispatch
  readonly stored: InboxEvent
  readonly handler: string
  /** Its first attempt was claimed when the event was stored. */
  readonly isClaimed: boolean
}

/** After this number of attempts, an outdated handler has failed. */
const mostAttempts = 200

/** Handlers that changed the same value retry after different random pauses. The longest one, in milliseconds. */
const longestYield = 20

const first: Claimed = {attempt: 1, failures: 0, byPerson: false}

/** Runs handlers. Stores a mark before a handler, and one batch afterwards with everything that it leaves behind. */
export class Attempts {
  readonly expiry: Expiry
  readonly #options: AttemptsOptions
  readonly #claims: Gather<Claim, Claimed | undefined>
  readonly #ends: Gather<HandledEnd, ReadonlyMap<string, NewRow> | undefined>

  constructor(options: AttemptsOptions) {
    this.#options = options
    this.expiry = new Expiry(options)
    this.#claims = gatherClaims(options.database, options.runtimeId, options.clock)
    this.#ends = gatherEnds(options.database, options.clock)
  }

  /** Runs a handler once. Skips a handler that has already ended, and ends one that is too old. */
  async run({dispatch, stored, handler, isClaimed}: Run, around: Inside = alone): Promise<Ended> {
    const {next, inside} = around
    const seq = stored.event.sn
    const expires = () => this.expiry.isTooOld(dispatch, stored, handler) && this.expiry.end(dispatch, stored, handler)
    if (around === alone && (await expires())) return {is: "over"}
    // Durable before the handler begins, so that a crash leaves the mark behind.
    const claimed = isClaimed ? first : await this.#persist(seq, () => this.#claims.store({seq, handler}))
    if (claimed === undefined) return {is: "over"}
    const {attempt, failures, byPerson} = claimed
    const key: MarkKey = {seq, handler, attempt}
    let answered: Question | undefined
    const outcome = await dispatch.run(stored, handler, {
      age: this.expiry.ageOf(stored),
      byPerson,
      maxAge: dispatch.ages?.limitOf(stored.endpoint, handler),
      ...(around === alone ? {expires} : {}),
      sendNow: (draft, ordinal) => this.#sendNow(key, draft, ordinal),
      sent: id => this.#persist(seq, () => locate(this.#options.database, id)),
      own: platform => {
        const place = {endpoint: stored.endpoint, channels: channelsOf(stored.event)}
        return this.#persist(seq, () => findOwn(this.#options.database, {...place, platform}))
      },
      question: async () => {
        answered = await this.#options.prompts.answeredBy(seq, handler)
        return answered
      },
      next: async () => void (await next()),
    })
    if (outcome.is === "interrupted" && this.#options.isStopping()) return {is: "left"}
    if (outcome.is !== "handled") return this.#fail(key, outcome, failures, reasonOf(outcome))
    const isStop = outcome.stops === true
    const done = [
      ...(answered === undefined ? [] : [forgetting(seq, handler)]),
      ...(isStop ? stopping(key, inside, this.#options.clock.now()) : []),
    ]
    const refusal = await this.#store(key, outcome, done).finally(outcome.release)
    if (refusal !== undefined) {
      return (await this.#isOutdated(key, outcome))
        ? this.#repeat(key)
        : this.#fail(key, outcome, failures, refusal.message)
    }
    return {is: isStop ? "stopped" : "over"}
  }

  async #sendNow(key: MarkKey, draft: Parameters<Attempt["sendNow"]>[0], ordinal: number): Promise<string> {
    const {database, outbox, clock} = this.#options
    const {seq, handler} = key
    const batch: Statement[] = [
      assertRunning(key),
      insertion(draft, {seq, handler, ordinal, isEarly: true}, clock.now()),
      selectEarly(key, ordinal),
    ]
    const results = await this.#persist(seq, () => database.write(batch)).catch(async refusal => {
      if (!isProblem(refusal, "database_refused") || (await readIsRunning(database, key))) throw refusal
      throw new Problem("late", "this attempt has ended; the Host rejects what it sends now")
    })
    outbox.stored([draft])
    return String(results.at(-1)?.rows[0]?.id)
  }

  /** Stores what a handler leaves behind, with its mark. Resolves to the reason if the database refused it. */
  async #store(key: MarkKey, work: Work, done: readonly Statement[]): Promise<Problem | undefined> {
    const {database, outbox, prompts, clock} = this.#options
    const {sends, writes = [], questions = [], note} = work
    const isPlain = note === undefined && [done, writes, questions].every(({length}) => length === 0)
    if (isPlain && sends.every(isBindable)) return this.#storeSends(key, sends)
    const at = clock.now()
    const batch: Statement[] = [
      assertRunning(key),
      ...sends.map((draft, ordinal) => insertion(draft, {...key, ordinal}, at)),
      ...questions.flatMap(question => prompts.storing(question, key.seq)),
      ...done,
      ...writes,
      ending(key, {state: "handled", at, ...(note === undefined ? {} : {error: note})}),
    ]
    const refusal = await this.#refusalOf(key, () => database.write(batch))
    if (refusal instanceof Problem) return refusal
    for (const question of questions) await prompts.recheck(question)
    for (const tell of work.afterwards ?? []) tell()
    outbox.stored(sends)
    return undefined
  }

  async #storeSends(key: MarkKey, sends: readonly OutboxDraft[]): Promise<Problem | undefined> {
    const {outbox} = this.#options
    const departures = outbox.reserve(sends, key)
    try {
      const stored = await this.#refusalOf(key, () => this.#ends.store({key, departures: departures.items}))
      if (stored instanceof Problem) return stored
      // The attempt had already ended, or an earlier try stored it but its answer was lost.
      if (stored === undefined) await outbox.recheck(departures)
      else departures.commit(stored)
      return undefined
    } finally {
      departures.release()
    }
  }

  /** Resolves to the result of `work`, the database's refusal, or undefined if the attempt no longer runs. */
  async #refusalOf<T>(key: MarkKey, work: () => Promise<T>): Promise<T | Problem | undefined> {
    try {
      return await this.#persist(key.seq, work)
    } catch (refusal) {
      if (!isProblem(refusal, "database_refused")) throw refusal
      // Either a write of the handler is at fault, or an earlier try stored it but its answer was lost.
      const isRunning = await this.#persist(key.seq, () => readIsRunning(this.#options.database, key))
      return isRunning ? refusal : undefined
    }
  }

  async #isOutdated({seq, attempt}: MarkKey, {isOutdated}: Work): Promise<boolean> {
    if (isOutdated === undefined || attempt >= mostAttempts) return false
    await this.#persist(seq, () => groupCommitted(this.#options.database))
    return this.#persist(seq, isOutdated)
  }

  /** Runs the handler again soon. Nothing of this attempt was stored, and it does not count as a failure. */
  async #repeat(key: MarkKey): Promise<Ended> {
    const results = await this.#persist(key.seq, () => this.#options.database.write(repeating(key)))
    return results.at(-1)?.rows.length === 0
      ? {is: "over"}
      : {is: "again", pause: Math.random() * longestYield, byClock: false}
  }

  async #fail(key: MarkKey, outcome: Outcome, failures: number, error: string): Promise<Ended> {
    const {database, log, retry, clock} = this.#options
    const {retries = 0} = outcome
    if (failures >= retries) return this.#failForGood(key, outcome, error)
    const results = await this.#persist(key.seq, () => database.write(repeating(key, {error, at: clock.now()})))
    if (results.at(-1)?.rows.length === 0) return {is: "over"}
    const pause = Math.round(pauseAfter(failures + 1, retry))
    log.warn(`retrying ${key.handler}: ${error}`, {event: key.seq, failures: failures + 1, retries, pause})
    return {is: "again", pause, byClock: true}
  }

  /** Stores the failed mark, and in the same batch the message to the user. */
  async #failForGood(key: MarkKey, outcome: Outcome, error: string): Promise<Ended> {
    const {database, outbox, clock} = this.#options
    const at = clock.now()
    const note = outcome.is === "failed" ? outcome.note?.() : undefined
    const batch = [ending(key, {state: "failed", error, at})]
    if (note !== undefined && isBindable(note)) {
      const departure = {draft: note, content: toJson(note.content), at, turn: undefined, from: {...key, ordinal: 0}}
      batch.unshift(insertingWhileRunning([departure]))
    }
    await this.#persist(key.seq, () => database.write(batch))
    if (note !== undefined) outbox.stored([note])
    return {is: "over"}
  }

  #persist<T>(seq: number, work: () => Promise<T>): Promise<T> {
    return persist(`event ${seq}`, this.#options.log, work)
  }
}

const alone: Inside = {next: async () => {}, inside: []}

/**
 * False for values that a plugin in JavaScript may pass, and for text with a NUL: such drafts are stored separately, so
 * that the refusal says why.
 */
const isBindable = ({endpoint, channel, user = "", content}: OutboxDraft): boolean =>
  content !== undefined && [endpoint, channel, user].every(text => typeof text === "string" && !text.includes("\0"))

const reasonOf = (outcome: Exclude<Outcome, {is: "handled"}>): string =>
  outcome.is === "failed" ? withPlace(outcome.error, outcome.at) : "its plugin instance was disposed before it ended"
