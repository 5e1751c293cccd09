import type {Database} from "../database/database.ts"
import {Gather} from "../database/gather.ts"
import {manyRows} from "../database/many-rows.ts"
import {handlerKeyOf, type MarkKey} from "../outbox/mark-key.ts"
import {type Departure, inserting, type NewRow, newRows} from "../outbox/rows.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"

/** The end of an attempt that leaves only its messages behind. */
export interface HandledEnd {
  readonly key: MarkKey
  readonly departures: readonly Departure[]
}

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
      inserting(ends.flatMap(({departures}) => departures)),
      handled(
        ends.map(({key}) => key),
        [clock.now()],
      ),
    ],
    answers: ([inserted, ended], ends) => {
      const keys = new Set(
        (ended?.rows ?? []).map(({seq, handler}) => handlerKeyOf({seq: Number(seq), handler: String(handler)})),
      )
      const rows = newRows(inserted)
      return ends.map(({key}) => (keys.has(handlerKeyOf(key)) ? rows : undefined))
    },
  })
