import type {Trail} from "./trail.ts"

/** One step in the handling of an inbox event. `at` is in ISO 8601. */
export type TrailEntry = {readonly at: string} & (
  | {readonly what: "received"; readonly endpoint: string; readonly text: string}
  | {readonly what: "began"; readonly handler: string; readonly attempt: number}
  | {readonly what: "stored"; readonly message: Trail["sent"][number]}
  | {readonly what: "event"; readonly event: Trail["events"]["items"][number]}
  | {readonly what: "log"; readonly record: Trail["logs"]["items"][number]}
)

/** Entries of the same millisecond are shown in this order. */
const order: readonly TrailEntry["what"][] = ["received", "began", "log", "stored", "event"]

/** Returns the trail as one list, sorted by time. */
export const entriesOf = ({event, sent, events, logs}: Trail): readonly TrailEntry[] => {
  const entries: TrailEntry[] = [
    {
      at: event.receivedAt,
      what: "received",
      endpoint: event.endpoint,
      text: event.event.message?.content ?? event.type,
    },
    ...event.marks.flatMap(({handler, attempt, startedAt}): TrailEntry[] =>
      startedAt === null ? [] : [{at: startedAt, what: "began", handler, attempt}],
    ),
    ...sent.map((message): TrailEntry => ({at: message.createdAt, what: "stored", message})),
    ...events.items
      .filter(({type}) => type !== "message.received")
      .map((told): TrailEntry => ({at: told.at, what: "event", event: told})),
    ...logs.items.map((record): TrailEntry => ({at: record.time, what: "log", record})),
  ]
  return entries.sort((one, other) => compare(one.at, other.at) || order.indexOf(one.what) - order.indexOf(other.what))
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
