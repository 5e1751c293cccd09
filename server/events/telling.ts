import type {EventAbout, EventData, EventType} from "../../shared/events/events.ts"
import {fromJson, toJson} from "../../shared/json.ts"
import type {Statement} from "../../shared/sdk/session/database.ts"

/** The limits of an event, in characters. Longer texts are cut, so that one event cannot make a client fall behind. */
const longest = {data: 16_384, text: 1000} as const

/** Removes the values of secrets from JSON, which stays valid. */
export type Hide = (json: string) => string

/**
 * Returns the statement that raises an event. Put it into the batch of its change, so that both are stored or neither.
 * The run and the generation are stamped when it is stored. A caller that quotes an error passes `hide`.
 */
export const telling = <T extends EventType>(...event: Parameters<typeof toRow<T>>): Statement =>
  tellingAll([toRow(...event)])

/** The columns of an event, for `tellingAll`. */
export interface EventRow {
  readonly type: EventType
  readonly at: number
  readonly endpoint: string | null
  readonly runId: string | null
  /** JSON text. */
  readonly data: string
}

/** An error may contain a secret. Without `hide` the data is stored unchanged, and cut when it is shown. */
export const toRow = <T extends EventType>(
  type: T,
  data: EventData<T>,
  about: EventAbout = {},
  hide?: Hide,
): EventRow => ({
  type,
  at: about.at ?? Date.now(),
  endpoint: about.endpoint ?? null,
  runId: about.runId ?? null,
  data: hide === undefined ? toJson(data) : fitting(toJson(data), hide),
})

/** One statement for many events, in their order. */
export const tellingAll = (rows: readonly EventRow[]): Statement => ({
  sql: `INSERT INTO events (type, at, context, endpoint, run_id, data)
    SELECT value ->> 'type', value ->> 'at', (SELECT max(id) FROM event_contexts), value ->> 'endpoint', value ->> 'runId',
      value ->> 'data' FROM json_each(?)`,
  args: [toJson(rows)],
})

/** SQL that raises `retention.dropped` for rows that nobody had decided about. `rows` selects one column of that name. */
export const tellingUndelivered = (part: "inbox" | "outbox", rows: string): string =>
  `INSERT INTO events (type, at, context, data) SELECT 'retention.dropped', ?6, (SELECT max(id) FROM event_contexts),
    json_object('part', '${part}', 'rows', rows) FROM (${rows}) WHERE rows > 0`

/** Removes secrets, then cuts to the limit: a cut through a secret would leave a part that no longer matches. */
export const fitting = (json: string, hide: Hide): string => {
  const hidden = hide(json)
  return hidden.length <= longest.data ? hidden : toJson(fromJson(hidden), (_, value) => clip(value))
}

const clip = (value: unknown) =>
  typeof value === "string" && value.length > longest.text ? `${value.slice(0, longest.text)}…` : value
