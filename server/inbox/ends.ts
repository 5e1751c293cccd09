import type {Database} from "../database/database.ts"
import {Gather} from "../database/gather.ts"
import {manyRows} from "../database/many-rows.ts"
import {handlerKeyOf, type MarkKey} from "../outbox/mark-key.ts"
import {type Departure, inserting, type NewRow, newRows} from "../outbox/rows.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"

/** The end of an attempt that leaves nothing behind but what it sends. */
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
 * Stores what attempts send together with their marks, many at a time. The answer is how it was stored, by the ids of
 * the messages; undefined, and nothing was, where the attempt does not run any more.
 */
export const gatherEnds = (
  database: Database,
  clock: Clock = systemClock,
): Gather<HandledEnd, ReadonlyMap<string, NewRow> | undefined> =>
  new Gather(database, {
    sizeOf: ({departures}) => departures.reduce((size, {content}) => size + content.length, 0),
    // The messages first: they are stored for marks that are running.
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
