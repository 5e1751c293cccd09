import {toJson} from "../../shared/json.ts"
import type {Statement} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import type {Outbox} from "../outbox/outbox.ts"
import {notingIf} from "../outbox/rows.ts"
import type {Span} from "../runtime/flow/clock.ts"
import {ageOf} from "./intake/age.ts"
import type {AgeNotice, Dispatch, InboxEvent} from "./intake/handling.ts"
import type {IntakeOptions} from "./intake/intake.ts"

export interface ExpiryOptions extends Pick<IntakeOptions, "database" | "log" | "runtimeId" | "clock"> {
  readonly outbox: Pick<Outbox, "stored">
  /** The pauses of ingress that do not count as age. */
  readonly pauses: () => readonly Span[]
}

/** The handlers of an event, as a dispatch nests them. */
export type Nested = ReturnType<Dispatch["nest"]>

/** Has the handler neither ended, nor begun in another run, nor been run again by a person? The argument is the run. */
const isOpen = "any_age = 0 AND (+state = 'pending' OR (+state = 'running' AND runtime_id = ?))"

/** SQL for `notingIf`: a handler of the event has just expired. */
const hasExpired = `EXISTS (SELECT 1 FROM inbox_marks m JOIN inbox USING (seq)
  WHERE m.seq = ?7 AND m.state = 'expired' AND m.ended_at = ?6)`

/** Ends handlers whose event is older than their limit. They do not run. */
export class Expiry {
  readonly #options: ExpiryOptions

  constructor(options: ExpiryOptions) {
    this.#options = options
  }

  /** Returns the age of an event, in milliseconds. */
  ageOf({event, since = event.timestamp}: InboxEvent): number {
    return ageOf(since, this.#options.clock.now(), this.#options.pauses())
  }

  isTooOld({ages}: Dispatch, stored: InboxEvent, handler: string): boolean {
    const limit = ages?.limitOf(stored.endpoint, handler)
    return limit !== undefined && this.ageOf(stored) > limit
  }

  /** Ends an event's handlers that are too old, and a middleware if all inside it have so ended. Resolves to them. */
  async endAll(dispatch: Dispatch, stored: InboxEvent, {around, within}: Nested): Promise<readonly string[]> {
    const old = within.filter(handler => this.isTooOld(dispatch, stored, handler))
    const isAlone = within.length === 0
    const outside = isAlone ? around.filter(handler => this.isTooOld(dispatch, stored, handler)) : around
    if (isAlone ? outside.length < around.length : old.length < within.length) return []
    return this.#end(dispatch, stored, {around: outside, within: old})
  }

  /** Ends one handler if it is too old. Resolves to whether it did. */
  async end(dispatch: Dispatch, stored: InboxEvent, handler: string): Promise<boolean> {
    return (await this.#end(dispatch, stored, {around: [], within: [handler]})).length > 0
  }

  async #end(dispatch: Dispatch, stored: InboxEvent, {around, within}: Nested): Promise<readonly string[]> {
    const {database, log, outbox, clock} = this.#options
    const {sn} = stored.event
    const at = clock.now()
    const error = `${Math.round(this.ageOf(stored) / 1000)} s old`
    const notice = await this.#noticeOf(dispatch, stored, within)
    const batch = [
      this.#ending(sn, within, {at, error}),
      ...(around.length === 0 ? [] : [this.#ending(sn, around, {at, error, inside: within})]),
      ...(notice === undefined ? [] : [notingIf(hasExpired, notice.draft, {seq: sn, at})]),
    ]
    const results = await persist(`event ${sn}`, log, () => database.write(batch))
    const ended = results
      .flatMap(({rows}) => rows)
      .flatMap(({handler}) => (handler === undefined ? [] : [`${handler}`]))
    if (notice === undefined || ended.length === 0) return ended
    notice.stored()
    outbox.stored([notice.draft])
    return ended
  }

  async #noticeOf({ages}: Dispatch, stored: InboxEvent, handlers: readonly string[]): Promise<AgeNotice | undefined> {
    for (const handler of handlers) {
      const notice = await ages?.noticeOf(stored, handler)
      if (notice !== undefined) return notice
    }
    return undefined
  }

  /** Returns the ended handlers as rows. `inside` are the handlers that must have ended. */
  #ending(
    seq: number,
    handlers: readonly string[],
    {at, error, inside = []}: {readonly at: number; readonly error: string; readonly inside?: readonly string[]},
  ): Statement {
    return {
      sql: `UPDATE inbox_marks SET state = 'expired', ended_at = ?, error = ?
        WHERE seq = ? AND handler IN (SELECT value FROM json_each(?)) AND ${isOpen} AND NOT EXISTS (
          SELECT 1 FROM inbox_marks o WHERE o.seq = inbox_marks.seq AND o.state IN ('pending', 'running')
            AND o.handler IN (SELECT value FROM json_each(?))) RETURNING handler`,
      args: [at, error, seq, toJson(handlers), this.#options.runtimeId, toJson(inside)],
    }
  }
}
