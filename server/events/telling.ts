import type {EventAbout, EventData, EventType} from "../../shared/events.ts"
import {fromJson, toJson} from "../../shared/json.ts"
import type {Statement} from "../../shared/sdk/plugin/database.ts"

/** Longer data has its texts cut: one event must not be what a client falls behind by. In characters. */
const longest = {data: 16_384, text: 1000} as const

/** Takes the values of secrets out of JSON, which stays JSON. */
export type Hide = (json: string) => string

/**
 * The statement that raises an event. It belongs into the batch of the change that it tells of, so that either both are
 * stored or none is; run and generation are stamped when it is stored. Whoever quotes an error gives `hide`.
 */
export const telling = <T extends EventType>(
  type: T,
  data: EventData<T>,
  about: EventAbout = {},
  hide?: Hide,
): Statement => tellingAll([toRow(type, data, about, hide)])

/** The columns of an event; what `tellingAll` takes. */
export interface EventRow {
  readonly type: EventType
  readonly at: number
  readonly endpoint: string | null
  readonly runId: string | null
  /** JSON text. */
  readonly data: string
}

/** An error may repeat the value of a secret: without `hide` the data is stored whole, and cut when it is shown. */
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

/** Without secrets, then within the limit: a cut through a secret would leave a part that nothing finds any more. */
export const fitting = (json: string, hide: Hide): string => {
  const hidden = hide(json)
  return hidden.length <= longest.data ? hidden : toJson(fromJson(hidden), (_, value) => clip(value))
}

const clip = (value: unknown) =>
  typeof value === "string" && value.length > longest.text ? `${value.slice(0, longest.text)}…` : value
