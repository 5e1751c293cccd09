import {inboxGroups} from "../../../shared/api/message-lists.ts"
import {
  BulkRequest,
  InboxActionRequest,
  InboxChanged,
  InboxDetail,
  InboxQuery,
  InboxView,
} from "../../../shared/api/messages.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Static} from "../../../shared/type.ts"
import type {Database, Row} from "../../database/database.ts"
import {type InboxAction, isWaiting, type Owner, ofOwner, statesFor} from "../../inbox/actions.ts"
import {sinceInSql} from "../../inbox/age/age.ts"
import {limitedNote} from "../../inbox/handling.ts"
import type {Inbox} from "../../inbox/inbox.ts"
import {redactInbox} from "../../inbox/redact.ts"
import {heldOr, inBulk} from "../bulk.ts"
import {type Call, type Operation, textOrNull, timeOf} from "../operations.ts"
import {
  type Condition,
  containingAt,
  given,
  type MessageSearch,
  olderBy,
  searchedList,
  searchMessages,
} from "../search.ts"
import {redacting} from "./redacting.ts"

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
  repeated: "SELECT seq FROM inbox WHERE repeats > 0 AND seq < ?1 ORDER BY seq DESC LIMIT ?2",
  groups: inboxGroups,
  conditionsOf,
}

export const listInbox = (database: Database): Operation =>
  searchedList({
    summary: "Inbox events, newest first; a filter searches some thousands at a time, and the answer says how far",
    query: InboxQuery,
    item: InboxView,
    search: (call, before, limit) => searchMessages(database, inboxSearch, call, {before, limit}),
    view: viewEvent,
  })

/**
 * The handlers that an action in bulk changes. Waiting handlers are discarded, and expired ones changed, only if the filters
 * name that state. It holds the whole event, so that no handler runs later without the middleware around it.
 */
const changedBy = (action: InboxAction, {query}: Call): Owner & {readonly states: readonly string[]} => {
  const {plugin, command, state} = query as Static<typeof InboxQuery>
  if (action === "hold") return {states: statesFor.hold}
  const isBacklog = statesOf(state)?.includes("pending") === true
  const states = statesFor[action].filter(
    each => (action !== "discard" || (each === "pending") === isBacklog) && (each !== "expired" || state === each),
  )
  return {plugin, command, states}
}

export const actOnFoundEvents = (database: Database, inbox: Inbox): Operation =>
  inBulk({
    summary:
      "Retry, release, discard or hold the handlers of all events that match the filters, a page at a time; discards waiting ones only with `state=pending` or `open`",
    query: InboxQuery,
    body: BulkRequest,
    search: (call, action, before, limit) => {
      const changed = changedBy(action, call)
      return searchMessages(database, inboxSearch, call, {
        before,
        limit,
        also: [handledBy(changed, changed.states), ...(action === "hold" ? [isWaiting("inbox.seq")] : [])],
      })
    },
    act: async (action, rows, call) =>
      (await inbox.act(action, {seq: rows.map(({seq}) => Number(seq)), ...changedBy(action, call)})).events,
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
  })

export const showInboxEvent = (database: Database): Operation => ({
  summary: "One inbox event with the marks of its handlers",
  response: {200: InboxDetail},
  problems: ["inbox_unknown"],
  handle: async (_, call) => call.json(InboxDetail, await readInboxEvent(database, call)),
})

/** The event of the path, with its marks. Throws `inbox_unknown`. */
export const readInboxEvent = async (database: Database, call: Call): Promise<InboxDetail> => {
  const seq = seqOf(call)
  const [row] = await database.read(`SELECT *, ${state} AS state FROM inbox WHERE seq = ?`, [seq])
  if (row === undefined) throw new Problem("inbox_unknown", `there is no inbox event ${call.params.seq}`)
  const marks = await database.read("SELECT * FROM inbox_marks WHERE seq = ? ORDER BY handler", [seq])
  const replies = await database.read("SELECT id FROM outbox WHERE inbox_seq = ? ORDER BY seq", [seq])
  return viewDetail(row, marks, replies)
}

export const redactInboxEvent = (database: Database): Operation =>
  redacting({
    summary: "Redact an event's content, in the database file too",
    problems: ["inbox_unknown", "inbox_state"],
    redact: (call, reason) => redactInbox(database, seqOf(call), reason),
  })

const eventActions: Readonly<Record<InboxAction, string>> = {
  retry: "Retry the failed, dead and expired handlers of an event",
  release: "Run the held handlers of an event, or with the number `held` of all events",
  discard:
    "Discard the handlers of an event that do not run and have not handled it, or with the number `held` all held ones",
  hold: "Hold the waiting handlers of an event, of which none runs, until somebody releases them",
}

export const actOnInboxEvent = (inbox: Inbox, action: InboxAction): Operation => ({
  summary: eventActions[action],
  body: InboxActionRequest,
  response: {200: InboxChanged},
  problems: ["inbox_unknown", "inbox_state"],
  handle: async (_, call) => {
    const {handler} = (await call.body()) as Static<typeof InboxActionRequest>
    const one = () => ({seq: seqOf(call), ...(handler === undefined ? {} : {handler})})
    const {events, handlers} = await inbox.act(action, heldOr(call.params.seq, action, one))
    return call.json(InboxChanged, {events, handlers})
  },
})

const seqOf = (call: Call): number => {
  const seq = Number(call.params.seq)
  if (!Number.isSafeInteger(seq)) throw new Problem("inbox_unknown", `there is no inbox event ${call.params.seq}`)
  return seq
}

const viewEvent = (row: Row): InboxView => ({
  seq: Number(row.seq),
  endpoint: String(row.endpoint),
  type: String(row.type),
  receivedAt: timeOf(row.received_at) ?? "",
  state: row.state as InboxView["state"],
  repeats: Number(row.repeats),
  event: {...fromJson(String(row.event)), sn: Number(row.seq)},
})

const viewDetail = (row: Row, marks: readonly Row[], replies: readonly Row[]): InboxDetail => ({
  ...viewEvent(row),
  eventId: String(row.event_id),
  conversation: String(row.conversation),
  ...(row.raw === null ? {} : {raw: fromJson(String(row.raw))}),
  marks: marks.map(mark => ({
    handler: String(mark.handler),
    state: mark.state as InboxView["state"],
    attempt: Number(mark.attempt),
    startedAt: timeOf(mark.started_at),
    endedAt: timeOf(mark.ended_at),
    error: textOrNull(mark.error),
  })),
  replies: replies.map(({id}) => String(id)),
})
