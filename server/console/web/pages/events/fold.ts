import type {Envelope} from "../../../../../shared/events/event-stream.ts"
import {dataOf} from "../../host/links.ts"
import type {Told} from "../../state/live.svelte.ts"
import {hrefOf} from "../../state/router.svelte.ts"
import {time} from "../../texts/format.ts"
import {texts} from "../../texts/texts.ts"
import {fill, type Part} from "./sentence.ts"

/** State changes of one endpoint in close succession, the newest first. */
export interface Flaps {
  readonly is: "flaps"
  readonly endpoint: string
  readonly events: readonly Envelope[]
}

export type Row = Told | Flaps

/** Up to this many state events of an endpoint have a row each; more are folded into one row. */
const mostAlone = 3

/** Two events belong together if at most this time lies between them, in milliseconds. */
const closest = 10 * 60_000

const isFlap = ({type, endpoint}: Envelope): boolean =>
  endpoint !== undefined && (type === "endpoint.state" || type === "endpoint.gap")

/** Do both belong to one run of the Host, and are they close enough? */
const continues = (newer: Envelope, older: Envelope): boolean =>
  newer.runtimeId === older.runtimeId && Date.parse(newer.at) - Date.parse(older.at) <= closest

/**
 * Returns the lists of one endpoint's state changes, by the id of each event in them; only lists long enough to fold.
 */
const listsOf = (rows: readonly Told[]): ReadonlyMap<string, readonly Envelope[]> => {
  const open = new Map<string, Envelope[]>()
  const lists: Envelope[][] = []
  for (const row of rows) {
    if (row.is !== "event") {
      // The missing events may have ended the list.
      open.clear()
      continue
    }
    const {event} = row
    if (!isFlap(event)) continue
    const name = event.endpoint ?? ""
    const list = open.get(name)
    const last = list?.at(-1)
    if (list !== undefined && last !== undefined && continues(last, event)) list.push(event)
    else {
      const fresh = [event]
      open.set(name, fresh)
      lists.push(fresh)
    }
  }
  return new Map(lists.filter(list => list.length > mostAlone).flatMap(list => list.map(({id}) => [id, list] as const)))
}

/**
 * Returns the rows, the newest first. An endpoint that keeps reconnecting is one row, at the place of its newest state.
 */
export const fold = (rows: readonly Told[]): readonly Row[] => {
  const lists = listsOf(rows)
  return rows.flatMap((row): readonly Row[] => {
    const list = row.is === "event" ? lists.get(row.event.id) : undefined
    if (list === undefined || row.is !== "event") return [row]
    return list[0] === row.event ? [{is: "flaps", endpoint: row.event.endpoint ?? "", events: list}] : []
  })
}

const stateOf = (event: Envelope): unknown => (event.type === "endpoint.state" ? dataOf(event).state : undefined)

/** Counts how often the endpoint came online again. The first time counts only if another state preceded it. */
export const reconnects = (events: readonly Envelope[]): number =>
  events.filter((event, index) => {
    const before = events
      .slice(index + 1)
      .map(stateOf)
      .find(state => state !== undefined)
    return stateOf(event) === "online" && before !== undefined && before !== "online"
  }).length

/** Returns "irc~libera reconnected 14 times between 07:02 and 07:10." */
export const sentenceOfFlaps = ({endpoint, events}: Flaps): readonly Part[] => {
  const t = texts.sentences.folded
  const count = reconnects(events)
  const template = count === 0 ? t.tried : count === 1 ? t.once : t.reconnected
  const values: Readonly<Record<string, Part>> = {
    endpoint: {text: endpoint, href: hrefOf("endpoints", endpoint)},
    count: {text: String(count)},
    changes: {text: String(events.filter(event => stateOf(event) !== undefined).length)},
    from: {text: time(events.at(-1)?.at ?? "")},
    to: {text: time(events[0]?.at ?? "")},
  }
  return fill(template, name => values[name] ?? {text: ""})
}
