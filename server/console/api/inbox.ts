import {inboxGroups} from "../../../shared/api/message-states.ts"
import {InboxActionRequest, InboxChanged, InboxDetail, InboxQuery, InboxView} from "../../../shared/api/messages.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Static} from "../../../shared/type.ts"
import type {Database, Row} from "../../database/database.ts"
import {type InboxAction, ofPlugin, statesFor} from "../../inbox/actions.ts"
import type {Inbox} from "../../inbox/inbox.ts"
import {redactInbox} from "../../inbox/redact.ts"
import {inBulk} from "../bulk.ts"
import {type Call, type Operation, textOrNull, timeOf} from "../operations.ts"
import {type Condition, containingAt, given, type MessageSearch, searchedList, searchMessages} from "../search.ts"
import {redacting} from "./redacting.ts"

/** The state of an event is that of its worst handler; an event without handlers is handled. */
const state = `COALESCE((SELECT state FROM inbox_marks m WHERE m.seq = inbox.seq ORDER BY
  CASE state WHEN 'dead' THEN 0 WHEN 'failed' THEN 1 WHEN 'held' THEN 2 WHEN 'running' THEN 3 WHEN 'pending' THEN 4
    WHEN 'expired' THEN 5 WHEN 'discarded' THEN 6 ELSE 7 END LIMIT 1), 'handled')`

/** Selects events with a handler in a state, in order, by the index of the marks. */
const inState = "SELECT DISTINCT seq FROM inbox_marks WHERE state = ?3 AND seq < ?1 ORDER BY seq DESC LIMIT ?2"

/** Events with a handler of a plugin, optionally only in some of the states. */
const handledBy = (plugin: string | undefined, states?: readonly string[]): Condition => {
  const of = plugin === undefined ? {sql: "TRUE", args: []} : ofPlugin("h.handler", plugin)
  const inState = states === undefined ? "" : " AND h.state IN (SELECT value FROM json_each(?))"
  return {
    sql: `EXISTS (SELECT 1 FROM inbox_marks h WHERE h.seq = inbox.seq AND ${of.sql}${inState})`,
    args: [...of.args, ...(states === undefined ? [] : [toJson(states)])],
  }
}

/** The states of a group word, or the single state. */
const statesOf = (state: string | undefined): readonly string[] | undefined => {
  const groups: Readonly<Record<string, readonly string[]>> = inboxGroups
  return state === undefined ? undefined : (groups[state] ?? [state])
}

const conditionsOf: MessageSearch["conditionsOf"] = query => {
  const {endpoint, channel, user, plugin, state, text} = query
  const isRepeated = "repeats" in query && query.repeats === true && state !== undefined
  return [
    ...given(endpoint, "+endpoint = ?"),
    ...given(channel, "event ->> '$.channel.id' = ?"),
    ...(user === undefined ? [] : [{sql: "? IN (event ->> '$.user.id', event ->> '$.user.name')", args: [user]}]),
    ...(plugin === undefined && !isRepeated ? [] : [handledBy(plugin, statesOf(state))]),
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

/** The plugin that a request limits its handlers to. */
const pluginOf = ({query}: Call): string | undefined => (query as Static<typeof InboxQuery>).plugin

/** The states of the handlers that an action finds in bulk. Expired ones only if the filter names them. */
const inBulkFor = (action: InboxAction, {query}: Call): readonly string[] =>
  statesFor[action].filter(state => state !== "expired" || query.state === state)

export const actOnFoundEvents = (database: Database, inbox: Inbox): Operation =>
  inBulk({
    summary: "Retry, release or discard the handlers of all events that match the filters, a page at a time",
    query: InboxQuery,
    search: (call, action, before, limit) =>
      searchMessages(database, inboxSearch, call, {
        before,
        limit,
        also: [handledBy(pluginOf(call), inBulkFor(action, call))],
      }),
    act: (action, {seq}, call) => {
      const plugin = pluginOf(call)
      return inbox.act(action, {seq: Number(seq), ...(plugin === undefined ? {} : {plugin})})
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
  release: "Run the held handlers of an event",
  discard: "Discard the failed, dead, held and expired handlers of an event",
}

export const actOnInboxEvent = (inbox: Inbox, action: InboxAction): Operation => ({
  summary: eventActions[action],
  body: InboxActionRequest,
  response: {200: InboxChanged},
  problems: ["inbox_unknown", "inbox_state"],
  handle: async (_, call) => {
    const {handler} = (await call.body()) as Static<typeof InboxActionRequest>
    const {events, handlers} = await inbox.act(action, {
      seq: seqOf(call),
      ...(handler === undefined ? {} : {handler}),
    })
    return call.json(InboxChanged, {events, handlers})
  },
})

const heldActions = {release: "Run all held handlers", discard: "Discard all held handlers"} as const

export const actOnHeldEvents = (inbox: Inbox, action: keyof typeof heldActions): Operation => ({
  summary: heldActions[action],
  response: {200: InboxChanged},
  handle: async (_, call) => {
    const {events, handlers} = await inbox.act(action, "held")
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
