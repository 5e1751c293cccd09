import type {SqlValue, Statement} from "../../shared/sdk/plugin-database.ts"
import type {Database} from "../database/database.ts"
import {Gather} from "../database/gather.ts"

/** An event that is to be stored, with one mark for each of its handlers. */
export interface Arrival {
  readonly endpoint: string
  /** The platform's; well-formed, so that it is found again as it is stored. */
  readonly id: string
  readonly conversation: string
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** JSON, as is `raw`. */
  readonly event: string
  readonly raw: string | null
  readonly handlers: readonly string[]
  /** Those of them that begin as soon as it is stored: their marks are stored as `running`, in the first attempt. */
  readonly claimed: readonly string[]
  /** It is from before a restore: its marks are stored as `held (restored)`, for an operator. */
  readonly isHeld: boolean
  /** What belongs to its storing. The first returns a row where it was done. */
  readonly also: readonly Statement[]
}

/** The sequence of a stored event; undefined where its endpoint and id were stored before. */
export interface Stored {
  readonly seq: number | undefined
  readonly didAlso: boolean
}

/** Arrivals that stand twice in one batch are stored once: the first of them. One that was dropped is not stored again. */
const insertEvents = `INSERT INTO inbox (endpoint, event_id, conversation, type, received_at, event, raw)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 FROM json_each(?)
  WHERE NOT EXISTS (SELECT 1 FROM inbox i WHERE i.endpoint = value ->> 0 AND i.event_id = value ->> 1)
    AND NOT EXISTS (SELECT 1 FROM inbox_keys k WHERE k.endpoint = value ->> 0 AND k.event_id = value ->> 1)
  RETURNING seq, endpoint, event_id`

/** Of the events that the statement before has stored: their sequences follow each other. */
const insertMarks = `INSERT INTO inbox_marks (seq, handler, state, attempt, runtime_id, started_at, error)
  SELECT i.seq, h.value ->> 0, iif(h.value ->> 1, 'running', iif(e.value ->> 3, 'held', 'pending')), h.value ->> 1,
    iif(h.value ->> 1, ?2, NULL), iif(h.value ->> 1, i.received_at, NULL), iif(e.value ->> 3, 'restored', NULL)
  FROM json_each(?1) e JOIN inbox i ON i.endpoint = e.value ->> 0 AND i.event_id = e.value ->> 1
    JOIN json_each(e.value, '$[2]') h
  WHERE i.seq > (SELECT last_insert_rowid() - changes() WHERE changes() > 0)`

/** Stores events, many at a time. */
export const gatherArrivals = (database: Database, runtimeId: string): Gather<Arrival, Stored> =>
  new Gather(database, {
    sizeOf: ({event, raw}) => event.length + (raw?.length ?? 0),
    statements: arrivals => {
      const events = [...Map.groupBy(arrivals, keyOf).values()].flatMap(same => same.slice(0, 1))
      return [
        {sql: insertEvents, args: [JSON.stringify(events.map(valuesOf))]},
        {sql: insertMarks, args: [JSON.stringify(events.map(marksOf)), runtimeId]},
        ...arrivals.flatMap(({also}) => also),
      ]
    },
    answers: ([inserted, , ...others]) => {
      const stored = new Map(
        (inserted?.rows ?? []).map(({seq, endpoint, event_id}) => [
          keyOf({endpoint: String(endpoint), id: String(event_id)}),
          Number(seq),
        ]),
      )
      return arrival => {
        const key = keyOf(arrival)
        const seq = stored.get(key)
        stored.delete(key)
        const [also] = others.splice(0, arrival.also.length)
        const didAlso = also?.rows.length === 1
        return {seq, didAlso}
      }
    },
  })

const valuesOf = ({endpoint, id, conversation, type, at, event, raw}: Arrival): readonly SqlValue[] => [
  endpoint,
  id,
  conversation.toWellFormed(),
  type.toWellFormed(),
  at,
  event,
  raw,
]

const marksOf = ({endpoint, id, handlers, claimed, isHeld}: Arrival) => [
  endpoint,
  id,
  handlers.map(handler => [handler, claimed.includes(handler) ? 1 : 0]),
  isHeld ? 1 : 0,
]

/** What tells one event from another, in memory. */
export const keyOf = ({endpoint, id}: Pick<Arrival, "endpoint" | "id">): string => JSON.stringify([endpoint, id])
