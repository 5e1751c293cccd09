import type {Database} from "../database/database.ts"
import {manyRows} from "../database/engine/many-rows.ts"
import {Gather} from "../database/gather.ts"
import {handlerKeyOf, type MarkKey} from "../outbox/mark-key.ts"
import {type Departure, insertingIf, type NewRow, newRows} from "../outbox/rows.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"

/** The end of an attempt that leaves only its messages behind. */
export interface HandledEnd {
  readonly key: MarkKey
  readonly departures: readonly Departure[]
}

/** Stores drafts, those of a handler only while that attempt runs. */
export const insertingWhileRunning = insertingIf(`d.seq IS NULL OR EXISTS (SELECT 1 FROM inbox_marks m
    WHERE m.seq = d.seq AND m.handler = d.handler AND m.state = 'running' AND m.attempt = d.attempt)`)

const handled = manyRows(
  ["seq", "handler", "attempt"],
  source => `UPDATE inbox_marks SET state = 'handled', ended_at = ?1, error = NULL
  FROM ${source} e
  WHERE inbox_marks.seq = e.seq AND inbox_marks.handler = e.handler AND +state = 'running'
    AND inbox_marks.attempt = e.attempt RETURNING seq, handler`,
  1,
)

/**
 * Stores the messages of attempts together with their marks, many at a time. The answer contains the new rows by
 * message id. It is undefined, and nothing was stored, if the attempt no longer runs.
 */
export const gatherEnds = (
  database: Database,
  clock: Clock = systemClock,
): Gather<HandledEnd, ReadonlyMap<string, NewRow> | undefined> =>
  new Gather(database, {
    sizeOf: ({departures}) => departures.reduce((size, {content}) => size + content.length, 0),
    // The messages first: they are stored only for running marks.
    statements: ends => [
      insertingWhileRunning(ends.flatMap(({departures}) => departures)),
      handled(
        ends.map(({key}) => key),
        [clock.now()],
      ),
    ],
    answers: ([inserted, ended], ends) => {
      const keys = new Set(
        (ended?.rows ?? []).map(({seq, handler}) => handlerKeyOf({seq: Number(seq), handler: String(handler)})),
      )
      const rows = newRows(inserted?.rows)
      return ends.map(({key}) => (keys.has(handlerKeyOf(key)) ? rows : undefined))
    },
  })

/** A handler of an event that is about to run. */
export type Claim = Pick<MarkKey, "seq" | "handler">

/** The number of the attempt, and how many have failed since somebody last released the handler. */
export interface Claimed {
  readonly attempt: number
  readonly failures: number
  /** A person had it run again. */
  readonly byPerson: boolean
}

/** Also matches a claim whose first outcome was unknown. */
const claim = manyRows(
  ["seq", "handler"],
  source => `UPDATE inbox_marks SET state = 'running', attempt = attempt + 1, runtime_id = ?1, started_at = ?2,
    ended_at = NULL
  FROM ${source} c WHERE inbox_marks.seq = c.seq AND inbox_marks.handler = c.handler
    AND (+state = 'pending' OR (+state = 'running' AND runtime_id = ?1))
  RETURNING seq, handler, attempt, failures, any_age`,
  2,
)

/** Marks handlers as running, many at a time. The answer is undefined for a handler that has already ended. */
export const gatherClaims = (
  database: Database,
  runtimeId: string,
  clock: Clock = systemClock,
): Gather<Claim, Claimed | undefined> =>
  new Gather(database, {
    statements: claims => [claim(claims, [runtimeId, clock.now()])],
    answers: ([claimed], claims) => {
      const byKey = new Map(
        (claimed?.rows ?? []).map(({seq, handler, attempt, failures, any_age}) => [
          handlerKeyOf({seq: Number(seq), handler: String(handler)}),
          {attempt: Number(attempt), failures: Number(failures), byPerson: any_age === 1},
        ]),
      )
      return claims.map(claim => byKey.get(handlerKeyOf(claim)))
    },
  })
