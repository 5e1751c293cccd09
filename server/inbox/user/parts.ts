import type {UserPartName} from "../../../shared/api/users/users.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/satori.ts"
import {assertThat, type Row, type Statement} from "../../database/database.ts"
import {jsonRows} from "../../database/json-rows.ts"
import {ending, type UserPart} from "../../database/upkeep/user-part.ts"
import {telling} from "../../events/telling.ts"
import {contentWithoutWords, withoutWords} from "../redact.ts"
import {isAgentDetail, timeOf, withoutAgentDetail} from "./agent-runs.ts"
import {isEventOfUser, isMessageOfUser} from "./of-user.ts"

const listOf = (rows: readonly Row[], column: string): string => toJson(rows.map(row => row[column]))

const jsonOf = (text: Row[string] | undefined): unknown =>
  text === null || text === undefined ? null : fromJson(String(text))

/** The Host wrote this JSON. */
const eventOf = ({event}: Row) => fromJson(String(event)) as SatoriEvent

const eventRows = jsonRows(["seq", "event"])

interface MarkView {
  readonly handler: string
  readonly state: string
  readonly error: string | null
}

const marksOf = ({marks}: Row) => fromJson(String(marks)) as readonly MarkView[]

/** What the user said and did. As in `redactInbox`, ids and times stay, so that a redelivered event is recognized. */
export const inboxPart = {
  name: "inbox",
  slices: {table: "inbox", key: "seq"},
  // Without NOT INDEXED, SQLite reads all events of the endpoint for each slice.
  find: `SELECT i.seq, i.event_id, i.type, i.received_at, i.event, i.raw, (SELECT
      json_group_array(json_object('handler', handler, 'state', state, 'error', error)) FROM inbox_marks m WHERE m.seq = i.seq) AS marks
    FROM inbox i NOT INDEXED WHERE i.seq > ?1 AND i.seq <= ?2 AND ${isEventOfUser}`,
  toLine: row => ({
    seq: row.seq,
    id: row.event_id,
    type: row.type,
    receivedAt: timeOf(row.received_at),
    event: eventOf(row),
    raw: jsonOf(row.raw),
    handlers: marksOf(row),
  }),
  channelOf: (row, id) => {
    const {channel, user} = eventOf(row)
    return user?.id === id && channel?.type === channelType.direct ? channel.id : undefined
  },
  isForgotten: row =>
    row.raw === null &&
    toJson(withoutWords(eventOf(row))) === row.event &&
    marksOf(row).every(({state, error}) => error === null && ["handled", "discarded"].includes(state)),
  isBusy: row => marksOf(row).some(({state}) => state === "running"),
  assertIdle: rows =>
    assertThat(
      "NOT EXISTS (SELECT 1 FROM inbox_marks WHERE state = 'running' AND seq IN (SELECT value FROM json_each(?)))",
      [listOf(rows, "seq")],
    ),
  forgetting: rows => [
    {
      sql: `UPDATE inbox SET event = r.event, raw = NULL, content_hash = NULL FROM ${eventRows.source} r WHERE inbox.seq = r.seq`,
      args: [eventRows.encode(rows.map(row => ({seq: row.seq ?? null, event: toJson(withoutWords(eventOf(row)))})))],
    },
    {
      sql: `UPDATE inbox_marks SET error = NULL, ${ending}, state = iif(state = 'handled', state, 'discarded')
        WHERE seq IN (SELECT value FROM json_each(?))`,
      args: [listOf(rows, "seq")],
    },
  ],
} satisfies UserPart

/** The errors in the event log, which may repeat what was said: they are erased, as in `redactInbox`. */
export const errorsPart: UserPart = {
  name: "errors",
  slices: {table: "events", key: "offset"},
  find: `SELECT e.offset FROM events e WHERE e.offset > ?1 AND e.offset <= ?2 AND ((e.type LIKE 'message.%'
    AND e.data ->> '$.error' IS NOT NULL
    AND (EXISTS (SELECT 1 FROM inbox i WHERE i.seq = e.data ->> '$.sn' AND ${isEventOfUser})
      OR EXISTS (SELECT 1 FROM outbox o WHERE o.id = e.data ->> '$.message' AND ${isMessageOfUser})))
    OR (${isAgentDetail} AND EXISTS (SELECT 1 FROM agent_runs r WHERE r.run_id = e.run_id AND r.endpoint = ?3 AND r.user = ?4)))`,
  forgetting: rows => [
    {
      sql: `UPDATE events AS e SET data = iif(${isAgentDetail}, ${withoutAgentDetail}, json_set(data, '$.error', NULL))
        WHERE offset IN (SELECT value FROM json_each(?))`,
      args: [listOf(rows, "offset")],
    },
  ],
}

const messageRows = jsonRows(["seq", "content"])

/** What the bot said to the user. Unsent messages are cancelled. */
export const outboxPart: UserPart = {
  name: "outbox",
  slices: {table: "outbox", key: "seq"},
  find: `SELECT * FROM outbox o WHERE o.seq > ?1 AND o.seq <= ?2 AND ${isMessageOfUser}`,
  toLine: row => ({
    id: row.id,
    kind: row.kind,
    endpoint: row.endpoint,
    channel: row.channel,
    user: row.user,
    state: row.state,
    createdAt: timeOf(row.created_at),
    endedAt: timeOf(row.ended_at),
    notBefore: row.not_before === 0 ? null : timeOf(row.not_before),
    content: jsonOf(row.content),
    error: row.error,
    inboxSeq: row.inbox_seq,
    plugin: row.plugin,
    key: row.key,
  }),
  isForgotten: row =>
    row.error === null &&
    ["sent", "discarded"].includes(String(row.state)) &&
    toJson(contentWithoutWords(row)) === row.content,
  isBusy: ({state}) => state === "sending",
  assertIdle: rows =>
    assertThat(
      "NOT EXISTS (SELECT 1 FROM outbox WHERE state = 'sending' AND seq IN (SELECT value FROM json_each(?)))",
      [listOf(rows, "seq")],
    ),
  forgetting: rows => [
    {
      sql: `UPDATE outbox SET content = r.content, error = NULL, ${ending},
          reason = iif(state IN ('scheduled', 'queued', 'held'), 'cancelled', reason),
          state = iif(state IN ('sent', 'discarded'), state, 'discarded')
        FROM ${messageRows.source} r WHERE outbox.seq = r.seq`,
      args: [messageRows.encode(rows.map(row => ({seq: row.seq ?? null, content: toJson(contentWithoutWords(row))})))],
    },
  ],
}

/** Questions that wait for the user's answer, or whose answer waits for its handler. */
export const promptsPart: UserPart = {
  name: "prompts",
  slices: {table: "prompts", key: "id"},
  // For a question to an account, the message that led to the question identifies the user.
  find: `SELECT p.id, p.handler, p.endpoint, p.channel, p.user, p.data, p.expires_at,
      EXISTS (SELECT 1 FROM inbox_marks m WHERE m.seq = p.answer_seq AND m.state = 'running') AS busy
    FROM prompts p WHERE p.id > ?1 AND p.id <= ?2 AND p.endpoint = ?3 AND (p.user = 'id ' || ?4
      OR (p.user GLOB 'account *' AND EXISTS (SELECT 1 FROM inbox i WHERE i.seq = p.asked_seq AND ${isEventOfUser})))`,
  toLine: ({id, handler, channel, data, expires_at}) => ({
    id,
    handler,
    channel,
    data: jsonOf(data),
    expiresAt: timeOf(expires_at),
  }),
  isBusy: ({busy}) => busy === 1,
  forgetting: rows => [
    {sql: "DELETE FROM prompts WHERE id IN (SELECT value FROM json_each(?))", args: [listOf(rows, "id")]},
  ],
}

/** Records, in the batch of the change, how many rows of a user were erased, but not whose. */
export const tellingForgotten = (part: UserPartName, rows: number, endpoint: string): Statement =>
  telling("user.forgotten", {part, rows}, {endpoint})
