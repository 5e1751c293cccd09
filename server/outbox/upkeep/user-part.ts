import {fromJson, toJson} from "../../../shared/json.ts"
import {assertThat} from "../../database/database.ts"
import {jsonRows} from "../../database/engine/json-rows.ts"
import {timeOf} from "../../database/lists/pages.ts"
import {ending, isDirect, listOf, type UserPart} from "../../database/retention/user-part.ts"
import {contentWithoutWords} from "./redact.ts"

/** Returns SQL: the event with this number is of the user, or with `others` of another user. */
type EventOfUser = (seq: string, others?: boolean) => string

/** SQL: an outbox row is an answer to the user, a message to them alone, or an act on them. */
const isToUser = (o: string, ofEvent: EventOfUser): string =>
  `(${ofEvent(`${o}.inbox_seq`)} OR (${o}.endpoint = ?3 AND (${o}.user = ?4 OR ${o}.channel = 'user:' || ?4
    OR (${o}.kind = 'call' AND EXISTS (SELECT 1 FROM json_each(${o}.content, '$.params')
      WHERE key LIKE 'user%' AND instr(',' || value || ',', ',' || ?4 || ',') > 0))
    OR (${isDirect(`${o}.channel`)} AND NOT ${ofEvent(`${o}.inbox_seq`, true)}))))`

/** SQL: the outbox row `o` is to the user, or edits a message that is. */
const isOfUser = (ofEvent: EventOfUser): string =>
  `(${isToUser("o", ofEvent)} OR (o.kind = 'edit' AND EXISTS (SELECT 1 FROM outbox edited
    WHERE edited.id = o.content ->> '$.message.outbox' AND ${isToUser("edited", ofEvent)})))`

/** SQL: the message with this id is of the user. */
export const isMessageOfUser = (id: string, ofEvent: EventOfUser): string =>
  `EXISTS (SELECT 1 FROM outbox o WHERE o.id = ${id} AND ${isOfUser(ofEvent)})`

const messageRows = jsonRows(["seq", "content"])

/** What the bot said to the user. Unsent messages are cancelled. */
export const outboxPart = (ofEvent: EventOfUser): UserPart => ({
  name: "outbox",
  slices: {table: "outbox", key: "seq"},
  find: `SELECT * FROM outbox o WHERE o.seq > ?1 AND o.seq <= ?2 AND ${isOfUser(ofEvent)}`,
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
    content: fromJson(String(row.content)),
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
})
