import {toJson} from "../../../shared/json.ts"
import type {Database, Result, Statement} from "../../database/database.ts"
import {manyRows} from "../../database/engine/many-rows.ts"
import {firstOfEach, Gather} from "../../database/gather.ts"
import {storingCursor} from "../../endpoints/cursors.ts"
import type {OutageReason} from "./age.ts"

/** An event to store, with one mark for each of its handlers. */
export interface Arrival {
  readonly endpoint: string
  /** The platform's id; well-formed, so that a lookup finds it as stored. */
  readonly id: string
  readonly conversation: string
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Since when a platform without times may have kept it, in milliseconds since 1970. */
  readonly keptSince?: number | null
  /** JSON, like `raw`. */
  readonly event: string
  readonly raw: string | null
  /** From `contentHash`; null for an event of the Host itself. */
  readonly content: string | null
  readonly handlers: readonly string[]
  /** Handlers that begin as soon as the event is stored: their marks are stored as `running`, in the first attempt. */
  readonly claimed: readonly string[]
  /** Its marks are stored as held, for this reason: a restore or an outage. Not held when left out. */
  readonly held?: "restored" | OutageReason | undefined
  /** More statements for its batch. The first returns a row if it took effect. */
  readonly also: readonly Statement[]
}

/** What one call of `endpoint.receive` stores: everything or nothing. */
export interface Delivery {
  readonly endpoint: string
  readonly arrivals: readonly Arrival[]
  /** The cursor of the platform. */
  readonly cursor: string | undefined
  /** How many events were too old to recognize a repetition. */
  readonly dropped: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The sequence of a stored event; undefined if its endpoint and id were stored before. */
export interface Stored {
  readonly seq: number | undefined
  readonly didAlso: boolean
}

/** Stores the first of equal arrivals in one batch. Does not store an event again that retention has deleted. */
const insertEvents = manyRows(
  ["endpoint", "id", "conversation", "type", "at", "event", "raw", "content", "keptSince"],
  source => `INSERT INTO inbox (endpoint, event_id, conversation, type, received_at, event, raw, content_hash,
    kept_since)
  SELECT a.endpoint, a.id, a.conversation, a.type, a.at, a.event, a.raw, a.content, a.keptSince FROM ${source} a
  WHERE NOT EXISTS (SELECT 1 FROM inbox i WHERE i.endpoint = a.endpoint AND i.event_id = a.id)
    AND NOT EXISTS (SELECT 1 FROM inbox_keys k WHERE k.endpoint = a.endpoint AND k.event_id = a.id)
  RETURNING seq, endpoint, event_id`,
)

/** Finds the events of the previous statement by their sequences, which are consecutive. */
const insertMarks = manyRows(
  ["endpoint", "id", "handler", "isClaimed", "held"],
  source => `INSERT INTO inbox_marks (seq, handler, state, attempt, runtime_id, started_at, error)
  SELECT i.seq, m.handler, iif(m.isClaimed, 'running', iif(m.held IS NULL, 'pending', 'held')), m.isClaimed,
    iif(m.isClaimed, ?1, NULL), iif(m.isClaimed, i.received_at, NULL), m.held
  FROM ${source} m CROSS JOIN inbox i ON i.endpoint = m.endpoint AND i.event_id = m.id
  WHERE i.seq > (SELECT last_insert_rowid() - changes() WHERE changes() > 0)`,
  1,
)

const cursorOf = ({endpoint, cursor, dropped, at}: Delivery): readonly Statement[] =>
  cursor === undefined && dropped === 0 ? [] : [storingCursor(endpoint, cursor ?? null, dropped, at)]

/** Returns the statements that store events and their marks. The result of the first one is for `sequencesOf`. */
export const storing = (arrivals: readonly Arrival[], runtimeId: string): readonly Statement[] => {
  const events = firstOfEach(arrivals, eventKeyOf)
  return [insertEvents(events.map(rowOf)), insertMarks(events.flatMap(marksOf), [runtimeId])]
}

/** Returns the sequences of the stored events. Of two arrivals with the same key, the first one gets it. */
export const sequencesOf = (inserted: Result | undefined) => {
  const stored = new Map(
    (inserted?.rows ?? []).map(({seq, endpoint, event_id}) => [
      eventKeyOf({endpoint: String(endpoint), id: String(event_id)}),
      Number(seq),
    ]),
  )
  return {
    get: (arrival: Arrival): number | undefined => {
      const key = eventKeyOf(arrival)
      const seq = stored.get(key)
      stored.delete(key)
      return seq
    },
  }
}

/** Stores deliveries, many at a time. Each answer has one entry for each arrival. */
export const gatherDeliveries = (database: Database, runtimeId: string): Gather<Delivery, readonly Stored[]> =>
  new Gather(database, {
    sizeOf: ({arrivals}) => arrivals.reduce((sum, {event, raw}) => sum + event.length + (raw?.length ?? 0), 0),
    statements: deliveries => {
      const arrivals = deliveries.flatMap(delivery => delivery.arrivals)
      return [...storing(arrivals, runtimeId), ...arrivals.flatMap(({also}) => also), ...deliveries.flatMap(cursorOf)]
    },
    answers: ([inserted, , ...others], deliveries) => {
      const stored = sequencesOf(inserted)
      let next = 0
      const answerOf = (arrival: Arrival): Stored => {
        const seq = stored.get(arrival)
        const didAlso = arrival.also.length > 0 && others[next]?.rows.length === 1
        next += arrival.also.length
        return {seq, didAlso}
      }
      return deliveries.map(({arrivals}): readonly Stored[] => arrivals.map(answerOf))
    },
  })

const rowOf = (arrival: Arrival) => ({
  ...arrival,
  keptSince: arrival.keptSince ?? null,
  conversation: arrival.conversation.toWellFormed(),
  type: arrival.type.toWellFormed(),
})

const marksOf = ({endpoint, id, handlers, claimed, held}: Arrival) =>
  handlers.map(handler => ({endpoint, id, handler, isClaimed: claimed.includes(handler) ? 1 : 0, held: held ?? null}))

/** Returns a key for one event, in memory. */
export const eventKeyOf = ({endpoint, id}: Pick<Arrival, "endpoint" | "id">): string => toJson([endpoint, id])
