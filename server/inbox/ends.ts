import type {Database} from "../database/database.ts"
import {Gather} from "../database/gather.ts"
import {type Departure, inserting, type NewRow, newRows} from "../outbox/rows.ts"
import {handlerKeyOf, type MarkKey} from "./marks.ts"

/** The end of an attempt that leaves nothing behind but what it sends. */
export interface HandledEnd {
  readonly key: MarkKey
  readonly departures: readonly Departure[]
}

const handled = `UPDATE inbox_marks SET state = 'handled', ended_at = ?2, error = NULL
  FROM (SELECT value ->> 0 AS s, value ->> 1 AS h, value ->> 2 AS a FROM json_each(?1))
  WHERE seq = s AND handler = h AND state = 'running' AND attempt = a RETURNING seq, handler`

/**
 * Stores what attempts send together with their marks, many at a time. The answer is how it was stored, by the ids of
 * the messages; undefined, and nothing was, where the attempt does not run any more.
 */
export const gatherEnds = (database: Database): Gather<HandledEnd, ReadonlyMap<string, NewRow> | undefined> =>
  new Gather(database, {
    sizeOf: ({departures}) => departures.reduce((size, {content}) => size + content.length, 0),
    // The messages first: they are stored for marks that are running.
    statements: ends => [
      inserting(ends.flatMap(({departures}) => departures)),
      {
        sql: handled,
        args: [JSON.stringify(ends.map(({key: {seq, handler, attempt}}) => [seq, handler, attempt])), Date.now()],
      },
    ],
    answers: ([inserted, ended]) => {
      const keys = new Set(
        (ended?.rows ?? []).map(({seq, handler}) => handlerKeyOf({seq: Number(seq), handler: String(handler)})),
      )
      const rows = newRows(inserted)
      return ({key}) => (keys.has(handlerKeyOf(key)) ? rows : undefined)
    },
  })
