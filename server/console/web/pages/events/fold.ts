import type {Envelope} from "../../../../../shared/api/event-stream.ts"
import {time} from "../../format.ts"
import type {Told} from "../../state/live.svelte.ts"
import {hrefOf} from "../../state/router.svelte.ts"
import {texts} from "../../texts.ts"
import {fill, type Part} from "./sentence.ts"

/** States of one endpoint that follow each other closely, the newest first. */
export interface Flaps {
  readonly is: "flaps"
  readonly endpoint: string
  readonly events: readonly Envelope[]
}

export type Row = Told | Flaps

/** So many events of an endpoint's state are a row of their own; more are one row. */
const mostAlone = 3

/** Two of them belong together where no more time is between them, in milliseconds. */
const closest = 10 * 60_000

const isFlap = ({type, endpoint}: Envelope): boolean =>
  endpoint !== undefined && (type === "endpoint.state" || type === "endpoint.gap")

/** Of one run of the Host, and close to the one before. */
const continues = (newer: Envelope, older: Envelope): boolean =>
  newer.runtimeId === older.runtimeId && Date.parse(newer.at) - Date.parse(older.at) <= closest

/** Lists of one endpoint's flaps, by the id of each event in them; only those that are folded. */
const listsOf = (rows: readonly Told[]): ReadonlyMap<string, readonly Envelope[]> => {
  const open = new Map<string, Envelope[]>()
  const lists: Envelope[][] = []
  for (const row of rows) {
    if (row.is !== "event") {
      // What is missing may be the end of it.
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

/** Rows, the newest first: an endpoint that comes and goes is one row, where its newest state stands. */
export const fold = (rows: readonly Told[]): readonly Row[] => {
  const lists = listsOf(rows)
  return rows.flatMap((row): readonly Row[] => {
    const list = row.is === "event" ? lists.get(row.event.id) : undefined
    if (list === undefined || row.is !== "event") return [row]
    return list[0] === row.event ? [{is: "flaps", endpoint: row.event.endpoint ?? "", events: list}] : []
  })
}

const stateOf = ({type, data}: Envelope): unknown =>
  type === "endpoint.state" && typeof data === "object" && data !== null && "state" in data ? data.state : undefined

/** How often the endpoint came online again, its first time included only where it had been something else before. */
export const reconnects = (events: readonly Envelope[]): number =>
  events.filter((event, index) => {
    const before = events
      .slice(index + 1)
      .map(stateOf)
      .find(state => state !== undefined)
    return stateOf(event) === "online" && before !== undefined && before !== "online"
  }).length

/** "irc~libera reconnected 14 times between 07:02 and 07:10." */
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
