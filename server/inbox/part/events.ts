import {inboxGroups} from "../../../shared/api/message-lists.ts"
import {InboxDetail, type InboxQuery, InboxView} from "../../../shared/api/messages.ts"
import {inboxOperations} from "../../../shared/api/operations/messages.ts"
import {type Asked, serve} from "../../../shared/api/operations/operation.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Static} from "../../../shared/type.ts"
import type {Database, Row} from "../../database/database.ts"
import {heldOr, inBulk} from "../../database/lists/bulk.ts"
import {type Owner, ofOwner} from "../../database/lists/owner.ts"
import {newestFirst, timeOf} from "../../database/lists/pages.ts"
import {rowReader} from "../../database/lists/rows.ts"
import {
  type Condition,
  containingAt,
  given,
  type MessageSearch,
  olderBy,
  searchedList,
  searchMessages,
} from "../../database/lists/search.ts"
import type {Redaction} from "../../database/retention/user-part.ts"
import {readGaps} from "../../endpoints/gaps/view.ts"
import {readReplies} from "../../outbox/look-ups.ts"
import {type InboxAction, isWaiting, statesFor} from "../actions.ts"
import type {Inbox} from "../inbox.ts"
import {sinceInSql} from "../intake/age.ts"
import {limitedNote} from "../intake/handling.ts"
import {readTrail, type TrailServices} from "./trail.ts"

/** The state of an event is that of its worst handler; an event without handlers is handled. */
const state = `COALESCE((SELECT state FROM inbox_marks m WHERE m.seq = inbox.seq ORDER BY
  CASE state WHEN 'dead' THEN 0 WHEN 'failed' THEN 1 WHEN 'held' THEN 2 WHEN 'running' THEN 3 WHEN 'pending' THEN 4
    WHEN 'expired' THEN 5 WHEN 'discarded' THEN 6 ELSE 7 END LIMIT 1), 'handled')`

/** Selects events with a handler in a state, in order, by the index of the marks. */
const inState = "SELECT DISTINCT seq FROM inbox_marks WHERE state = ?3 AND seq < ?1 ORDER BY seq DESC LIMIT ?2"

/** Events with a handler of a plugin or a command, optionally only in some of the states. */
const handledBy = (owner: Owner, states?: readonly string[]): Condition => {
  const parts = [
    {sql: "h.seq = inbox.seq", args: []},
    ...ofOwner("h.handler", owner, states),
    ...(states === undefined ? [] : [{sql: "h.state IN (SELECT value FROM json_each(?))", args: [toJson(states)]}]),
  ]
  return {
    sql: `EXISTS (SELECT 1 FROM inbox_marks h WHERE ${parts.map(({sql}) => sql).join(" AND ")})`,
    args: parts.flatMap(({args}) => args),
  }
}

const isLimited: Condition = {
  sql: "EXISTS (SELECT 1 FROM inbox_marks h WHERE h.seq = inbox.seq AND substr(h.error, 1, length(?)) = ?)",
  args: [limitedNote, limitedNote],
}

/** The states of a group word, or the single state. */
const statesOf = (state: string | undefined): readonly string[] | undefined => {
  const groups: Readonly<Record<string, readonly string[]>> = inboxGroups
  return state === undefined ? undefined : (groups[state] ?? [state])
}

const conditionsOf: MessageSearch["conditionsOf"] = query => {
  const {endpoint, channel, user, plugin, command, state, text, older} = query
  const isRepeated = "repeats" in query && query.repeats === true && state !== undefined
  return [
    ...given(endpoint, "+endpoint = ?"),
    ...given(channel, "event ->> '$.channel.id' = ?"),
    ...(user === undefined ? [] : [{sql: "? IN (event ->> '$.user.id', event ->> '$.user.name')", args: [user]}]),
    ...(plugin === undefined && command === undefined && !isRepeated
      ? []
      : [handledBy({plugin, command}, statesOf(state))]),
    ...("limited" in query && query.limited === true ? [isLimited] : []),
    ...olderBy(older, sinceInSql),
    ...(text === undefined ? [] : [containingAt("event", "$.message.content", text)]),
  ]
}

const inboxSearch: MessageSearch = {
  rows: {table: "inbox", time: "received_at", more: `, ${state} AS state`},
  inState,
  marked: query =>
    "repeats" in query && query.repeats
      ? "SELECT seq FROM inbox WHERE repeats > 0 AND seq < ?1 ORDER BY seq DESC LIMIT ?2"
      : undefined,
  groups: inboxGroups,
  conditionsOf,
}

/**
 * The handlers that an action in bulk changes. Waiting handlers are discarded, and expired ones changed, only if the filters
 * name that state. It holds the whole event, so that no handler runs later without the middleware around it.
 */
const changedBy = (
  action: InboxAction,
  {plugin, command, state}: Static<typeof InboxQuery>,
): Owner & {readonly states: readonly string[]} => {
  if (action === "hold") return {states: statesFor.hold}
  const isBacklog = statesOf(state)?.includes("pending") === true
  const states = statesFor[action].filter(
    each => (action !== "discard" || (each === "pending") === isBacklog) && (each !== "expired" || state === each),
  )
  return {plugin, command, states}
}

export interface InboxServices extends TrailServices {
  readonly inbox: Inbox
  redact(seq: number, reason: string | null): Promise<Redaction>
}

export const inboxRoutes = ({inbox, redact, ...services}: InboxServices) => {
  const {database} = services
  const act =
    (action: InboxAction) =>
    async ({params, body: {handler}}: Asked<(typeof inboxOperations)["retry"]>) => {
      const one = () => ({seq: seqOf(params.seq), ...(handler === undefined ? {} : {handler})})
      const {events, handlers} = await inbox.act(action, heldOr(params.seq, action, one))
      return {events, handlers}
    }
  return serve(inboxOperations, {
    list: searchedList({
      search: ({query}, before, limit) => searchMessages(database, inboxSearch, query, {before, limit}),
      view: viewEvent,
    }),
    gaps: newestFirst({read: (_, before, most) => readGaps(database, before, most), numberOf: ({seq}) => seq}),
    show: ({params}) => readInboxEvent(database, params.seq),
    trail: async ({params, query: {cursor}}) => {
      const event = await readInboxEvent(database, params.seq)
      return readTrail(services, event, cursor === undefined ? undefined : Number(cursor))
    },
    retry: act("retry"),
    release: act("release"),
    discard: act("discard"),
    hold: act("hold"),
    redact: ({params, body: {reason = null}}) => redact(seqOf(params.seq), reason),
    bulk: inBulk({
      search: ({query}, action, before, limit) => {
        const changed = changedBy(action, query)
        return searchMessages(database, inboxSearch, query, {
          before,
          limit,
          also: [handledBy(changed, changed.states), ...(action === "hold" ? [isWaiting("inbox.seq")] : [])],
        })
      },
      act: async (action, rows, {query}) =>
        (await inbox.act(action, {seq: rows.map(({seq}) => Number(seq)), ...changedBy(action, query)})).events,
      view: row => {
        const {event, seq, type} = viewEvent(row)
        const {user, message, timestamp} = event
        return {
          id: String(seq),
          at: timeOf(timestamp) ?? "",
          who: user?.name ?? user?.id ?? null,
          text: message?.content ?? type,
        }
      },
    }),
  })
}

/** An event with its marks. Throws `inbox_unknown`. */
const readInboxEvent = async (database: Database, named: string): Promise<InboxDetail> => {
  const seq = seqOf(named)
  const [row] = await database.read(`SELECT *, ${state} AS state FROM inbox WHERE seq = ?`, [seq])
  if (row === undefined) throw unknown(named)
  const marks = await database.read("SELECT * FROM inbox_marks WHERE seq = ? ORDER BY handler", [seq])
  const replies = await readReplies(database, seq)
  return {
    ...viewEvent(row),
    eventId: String(row.event_id),
    conversation: String(row.conversation),
    ...(row.raw === null ? {} : {raw: fromJson(String(row.raw))}),
    marks: marks.map(readMark),
    replies: replies.map(({id}) => String(id)),
  }
}

const seqOf = (named: string): number => {
  const seq = Number(named)
  if (!Number.isSafeInteger(seq)) throw unknown(named)
  return seq
}

const unknown = (named: string) => new Problem("inbox_unknown", `there is no inbox event ${named}`)

const readEvent = rowReader(InboxView)
const readMark = rowReader(InboxDetail.properties.marks.items)

const viewEvent = (row: Row): InboxView => ({
  ...readEvent(row),
  event: {...fromJson(String(row.event)), sn: Number(row.seq)},
})
