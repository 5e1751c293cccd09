import {Option} from "clipanion"
import {entriesOf, type TrailEntry} from "../../shared/api/trail/entries.ts"
import type {Trail} from "../../shared/api/trail/trail.ts"
import {shorten, table} from "../kit/print.ts"
import {getCommand} from "../kit/rows.ts"

export const trail = getCommand({
  description: "show everything that happened to one inbox event, in order",
  details: `
      Shows the event's arrival, each handler with its attempts, the messages that they sent with their fate, and the log records of all this.

      The search of the event log covers the time from the event's arrival to its last change. The last lines say how far the search went; \`--cursor\` continues it.
    `,
  examples: [
    ["An event that got no answer", "svc inbox trail 42"],
    ["Later events, after an incomplete search", "svc inbox trail 42 --cursor 31999"],
  ],
  options: {
    seq: Option.String({name: "seq"}),
    cursor: Option.String("--cursor", {description: "The cursor that an earlier call printed, to continue its search"}),
  },
  path: "/api/inbox/:seq/trail",
  describe: trail => `${describeEntries(trail)}\n\n${describeSearch(trail)}`,
})

const describeEntries = (trail: Trail): string =>
  table(
    ["at", "what", "of", "details"],
    entriesOf(trail).map(entry => [entry.at, ...cellsOf(entry)]),
  )

const width = 100

const cellsOf = (entry: TrailEntry): readonly [string, string, string] => {
  switch (entry.what) {
    case "received":
      return ["received", entry.endpoint, shorten(entry.text, width)]
    case "began":
      return ["begins", entry.handler, `attempt ${entry.attempt}`]
    case "stored": {
      const {id, endpoint, channel, text, kind} = entry.message
      return [kind, id, shorten(`to ${endpoint} ${channel}: ${text}`, width)]
    }
    case "event": {
      const {handler, message, attempt, reason, error} = entry.event.data as Readonly<Record<string, unknown>>
      const said = [attempt === undefined ? "" : `attempt ${attempt}`, reason, error].filter(
        part => part !== "" && part !== null && part !== undefined,
      )
      return [entry.event.type, String(handler ?? message ?? ""), shorten(said.join(", "), width)]
    }
    case "log":
      return [`log ${entry.record.level}`, String(entry.record.plugin ?? ""), shorten(entry.record.message, width)]
  }
}

const describeSearch = ({events, logs}: Trail): string =>
  [
    `event log: searched from ${events.from ?? "its start"} to ${events.to ?? "its end"}`,
    ...(events.isWhole ? [] : ["  the earliest events have been deleted"]),
    ...(events.next === null ? [] : [`  later events were not searched; --cursor ${events.next} continues`]),
    logs.from === null ? "log: the Host keeps no records" : `log: searched from ${logs.from}`,
    ...(logs.isWhole ? [] : ["  older records are no longer in memory; the Host's standard output has them"]),
  ].join("\n")
