import type {EventAbout, EventData, EventType} from "../../shared/events.ts"
import type {Statement} from "../../shared/plugin-database.ts"

/** Longer data has its texts cut: one event must not be what a client falls behind by. In characters. */
const longest = {data: 16_384, text: 1000} as const

/**
 * The statement that raises an event. It belongs into the batch of the change that it tells of, so that either both are
 * stored or none is; run and generation are stamped when it is stored.
 */
export const telling = <T extends EventType>(type: T, data: EventData<T>, about: EventAbout = {}): Statement => ({
  sql: `INSERT INTO events (type, at, context, endpoint, run_id, data)
    VALUES (?, ?, (SELECT max(id) FROM event_contexts), ?, ?, ?)`,
  args: Object.values(toRow(type, data, about)),
})

/** The columns of an event; what `tellingAll` takes. */
export interface EventRow {
  readonly type: EventType
  readonly at: number
  readonly endpoint: string | null
  readonly runId: string | null
  /** JSON text. */
  readonly data: string
}

/** `hide` takes the values of secrets out of JSON: an error may repeat one. */
export const toRow = <T extends EventType>(
  type: T,
  data: EventData<T>,
  about: EventAbout = {},
  hide: (json: string) => string = json => json,
): EventRow => ({
  type,
  at: about.at ?? Date.now(),
  endpoint: about.endpoint ?? null,
  runId: about.runId ?? null,
  data: encodeData(data, hide),
})

/** One statement for many events, in their order. */
export const tellingAll = (rows: readonly EventRow[]): Statement => ({
  sql: `INSERT INTO events (type, at, context, endpoint, run_id, data)
    SELECT value ->> 'type', value ->> 'at', (SELECT max(id) FROM event_contexts), value ->> 'endpoint', value ->> 'runId',
      value ->> 'data' FROM json_each(?)`,
  args: [JSON.stringify(rows)],
})

const encodeData = (data: unknown, hide: (json: string) => string): string => {
  const json = hide(JSON.stringify(data))
  return json.length <= longest.data ? json : JSON.stringify(JSON.parse(json), (_, value) => clip(value))
}

const clip = (value: unknown) =>
  typeof value === "string" && value.length > longest.text ? `${value.slice(0, longest.text)}…` : value
