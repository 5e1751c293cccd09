import {fromJson} from "../../../shared/json.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {assertThat, type Row} from "../../database/database.ts"
import {jsonRows} from "../../database/engine/json-rows.ts"
import {timeOf} from "../../database/lists/pages.ts"
import {ending, isDirect, listOf, type UserPart} from "../../database/retention/user-part.ts"
import {withoutWords} from "./redact.ts"

/** SQL: the event `i` is what the user said or did, or a timer's for their direct channel. Redaction keeps its ids. */
const isOfUser = `i.endpoint = ?3 AND (i.event ->> '$.user.id' = ?4 OR i.event ->> '$.operator.id' = ?4
    OR (i.event ->> '$.user' IS NULL AND ${isDirect("i.event ->> '$.channel.id'")}))`

/** SQL for `UserPart.find`: the event with this number is of the user, or with `others` of another user. */
export const isEventOfUser = (seq: string, others = false): string =>
  `EXISTS (SELECT 1 FROM inbox i WHERE i.seq = ${seq} AND ${others ? "i.event ->> '$.user.id' <> ?4" : isOfUser})`

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
    FROM inbox i NOT INDEXED WHERE i.seq > ?1 AND i.seq <= ?2 AND ${isOfUser}`,
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
    withoutWords(eventOf(row)) === row.event &&
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
      args: [eventRows.encode(rows.map(row => ({seq: row.seq ?? null, event: withoutWords(eventOf(row))})))],
    },
    {
      sql: `UPDATE inbox_marks SET error = NULL, ${ending}, state = iif(state = 'handled', state, 'discarded')
        WHERE seq IN (SELECT value FROM json_each(?))`,
      args: [listOf(rows, "seq")],
    },
  ],
} satisfies UserPart

/** Questions that wait for the user's answer, or whose answer waits for its handler. */
export const promptsPart: UserPart = {
  name: "prompts",
  slices: {table: "prompts", key: "id"},
  // For a question to an account, the message that led to the question identifies the user.
  find: `SELECT p.id, p.handler, p.endpoint, p.channel, p.user, p.data, p.expires_at,
      EXISTS (SELECT 1 FROM inbox_marks m WHERE m.seq = p.answer_seq AND m.state = 'running') AS busy
    FROM prompts p WHERE p.id > ?1 AND p.id <= ?2 AND p.endpoint = ?3 AND (p.user = 'id ' || ?4
      OR (p.user GLOB 'account *' AND ${isEventOfUser("p.asked_seq")}))`,
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
