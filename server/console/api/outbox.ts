import {outboxGroups} from "../../../shared/api/message-lists.ts"
import {
  Accepted,
  BulkRequest,
  OutboxChanged,
  OutboxDetail,
  OutboxQuery,
  OutboxView,
  SendRequest,
} from "../../../shared/api/messages.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Node, textOf} from "../../../shared/sdk/elements.ts"
import type {Database, Row} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {FileStore} from "../../files/store.ts"
import {ofOwner} from "../../inbox/actions.ts"
import {redactOutbox} from "../../inbox/redact.ts"
import {type OutboxAction, statesFor} from "../../outbox/actions.ts"
import {atAnyAge, withExpiry} from "../../outbox/age.ts"
import {presentButtons} from "../../outbox/buttons.ts"
import type {OutboxDraft} from "../../outbox/draft.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import {uuid} from "../../runtime/uuid.ts"
import {heldOr, inBulk} from "../bulk.ts"
import {answering, numberOrNull, type Operation, textOrNull, timeOf} from "../operations.ts"
import {
  type Condition,
  containingInJson,
  given,
  type MessageSearch,
  olderBy,
  searchedList,
  searchMessages,
} from "../search.ts"
import {redacting} from "./redacting.ts"

const conditionsOf: MessageSearch["conditionsOf"] = ({endpoint, channel, user, plugin, command, text, older}) => {
  const handlers = `root/${plugin}/`
  return [
    ...given(endpoint, "+endpoint = ?"),
    ...given(channel, "+channel = ?"),
    ...given(user, "+user = ?"),
    ...(plugin === undefined
      ? []
      : [{sql: "(+plugin = ? OR substr(handler, 1, length(?)) = ?)", args: [plugin, handlers, handlers]}]),
    ...(command === undefined ? [] : ofOwner("handler", {command})),
    ...(text === undefined ? [] : [containingInJson("content", text)]),
    ...olderBy(older, "created_at"),
  ]
}

const outboxSearch: MessageSearch = {
  rows: {table: "outbox", time: "created_at"},
  inState: "SELECT seq FROM outbox WHERE state = ?3 AND seq < ?1 ORDER BY seq DESC LIMIT ?2",
  groups: outboxGroups,
  conditionsOf,
}

export const listOutbox = (database: Database): Operation =>
  searchedList({
    summary: "Outbox messages, newest first; a filter searches some thousands at a time, and the answer says how far",
    query: OutboxQuery,
    item: OutboxView,
    search: (call, before, limit) => searchMessages(database, outboxSearch, call, {before, limit}),
    view: viewMessage,
  })

const isFor = (action: OutboxAction): Condition => ({
  sql: "+state IN (SELECT value FROM json_each(?))",
  args: [toJson(statesFor[action])],
})

export const actOnFoundMessages = (database: Database, outbox: Outbox): Operation =>
  inBulk({
    summary: "Retry, release, discard or hold all messages that match the filters, a page at a time",
    query: OutboxQuery,
    body: BulkRequest,
    search: (call, action, before, limit) =>
      searchMessages(database, outboxSearch, call, {before, limit, also: [isFor(action)]}),
    act: (action, rows) => outbox.act(action, {id: rows.map(({id}) => String(id))}),
    view: row => {
      const {id, createdAt, endpoint, channel, text} = viewMessage(row)
      return {id, at: createdAt, who: `${endpoint} ${channel}`, text}
    },
  })

export const showMessage = (database: Database): Operation => ({
  summary: "One outbox message, by its id",
  response: {200: OutboxDetail},
  problems: ["outbox_unknown"],
  handle: async (_, call) => {
    const [row] = await database.read("SELECT * FROM outbox WHERE id = ?", [call.params.id ?? ""])
    if (row === undefined) throw new Problem("outbox_unknown", `there is no outbox message ${call.params.id}`)
    return call.json(OutboxDetail, viewDetail(row))
  },
})

export const sendMessage = answering({
  summary: "Send a message; it is durable once this returns",
  body: SendRequest,
  answer: Accepted,
  status: 202,
  problems: ["endpoint_unknown", "ingress_paused"],
  run: async ({body: {endpoint, channel, text, notAfter: time, important}}, outbox: Outbox, endpoints: Endpoints) => {
    endpoints.require(endpoint)
    const id = uuid()
    const draft = {id, kind: "message", endpoint, channel, content: [text]} as const
    const notAfter = time === undefined ? undefined : new Date(time)
    await outbox.enqueue(withExpiry(draft, {...(notAfter && {notAfter}), ...(important && {important})}))
    return {id}
  },
})

export const redactMessage = (database: Database, files: Pick<FileStore, "sweep">): Operation =>
  redacting({
    summary:
      "Redact a message's content, in the database file too, and delete its files unless another message needs them",
    problems: ["outbox_unknown", "outbox_state"],
    redact: async ({params}, reason) => {
      const redaction = await redactOutbox(database, params.id ?? "", reason)
      await files.sweep()
      return redaction
    },
  })

const messageActions: Readonly<Record<OutboxAction, string>> = {
  retry: "Retry a failed, dead, unknown or expired message",
  release: "Send a held or unknown message, or with the id `held` all of them",
  discard: "Discard a message that was not sent, or with the id `held` all held and unknown ones",
  hold: "Hold a scheduled or queued message until somebody releases it",
}

export const actOnMessage = (outbox: Outbox, action: OutboxAction): Operation => ({
  summary: messageActions[action],
  response: {200: OutboxChanged},
  problems: ["outbox_unknown", "outbox_state"],
  handle: async (_, call) => {
    const {id = ""} = call.params
    return call.json(OutboxChanged, {
      messages: await outbox.act(
        action,
        heldOr(id, action, () => ({id})),
      ),
    })
  },
})

export const viewMessage = (row: Row): OutboxView => ({
  id: String(row.id),
  seq: Number(row.seq),
  kind: row.kind as OutboxDraft["kind"],
  endpoint: String(row.endpoint),
  channel: String(row.channel),
  state: row.state as OutboxView["state"],
  attempt: Number(row.attempt),
  createdAt: timeOf(row.created_at) ?? "",
  endedAt: timeOf(row.ended_at),
  notBefore: Number(row.not_before) === 0 ? null : timeOf(row.not_before),
  text: textOfContent(row),
  reason: textOrNull(row.reason),
  error: textOrNull(row.error),
})

/** The text of a message, or the essential part of an act. */
const textOfContent = (row: Row): string => {
  const content: unknown = fromJson(String(row.content))
  const shown = (nodes: readonly Node[]) => textOf(presentButtons(nodes, String(row.id), {}))
  if (row.kind === "message") return shown(content as readonly Node[])
  const act = content as {readonly emoji?: string; readonly content?: readonly Node[]; readonly method?: string}
  return act.emoji ?? act.method ?? shown(act.content ?? [])
}

const viewDetail = (row: Row): OutboxDetail => ({
  ...viewMessage(row),
  content: fromJson(String(row.content)),
  platformIds: row.platform_ids === null ? [] : fromJson(String(row.platform_ids)),
  inboxSeq: numberOrNull(row.inbox_seq),
  handler: textOrNull(row.handler),
  notAfter: Number(row.not_after ?? atAnyAge) === atAnyAge ? null : timeOf(row.not_after),
  important: row.important === 1,
})
