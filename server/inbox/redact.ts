import {fromJson, toJson} from "../../shared/json.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import {assertThat, type Database, type Row, type Statement} from "../database/database.ts"
import {overwriting, type Purged} from "../database/engine.ts"
import {ending, redacted} from "../database/upkeep/user-part.ts"
import {telling} from "../events/telling.ts"
import {assertRunsEnded, forgettingRunDetails, forgettingRuns} from "./user/agent-runs.ts"

export interface Redaction {
  /** What is guaranteed about the erased bytes. */
  readonly erased: Purged
}

/**
 * Overwrites the content of an inbox event: the text of the message, names, the platform's payload, the errors of its
 * handlers. Its ids and times stay. Discards handlers that are failed, dead, held or expired. Also erases the questions
 * and answers of agent runs about the event. Throws `inbox_unknown`, and `inbox_state` while a handler is pending or
 * running, or a run has not ended.
 */
export const redactInbox = async (database: Database, seq: number, reason: string | null): Promise<Redaction> => {
  const [row] = await database.read("SELECT endpoint, event FROM inbox WHERE seq = ?", [seq])
  if (row === undefined) throw new Problem("inbox_unknown", `there is no inbox event ${seq}`)
  // The Host wrote this JSON.
  const event = fromJson(String(row.event)) as SatoriEvent
  return erase(database, {
    condition: assertThat("NOT EXISTS (SELECT 1 FROM inbox_marks WHERE seq = ? AND state IN ('pending', 'running'))", [
      seq,
    ]),
    changes: [
      {
        sql: "UPDATE inbox SET event = ?, raw = NULL, content_hash = NULL WHERE seq = ?",
        args: [toJson(withoutWords(event)), seq],
      },
      {
        sql: `UPDATE inbox_marks SET error = NULL, ${ending},
            state = CASE WHEN state IN ('failed', 'dead', 'held', 'expired') THEN 'discarded' ELSE state END WHERE seq = ?`,
        args: [seq],
      },
      assertRunsEnded("inbox_seq = ?", [seq]),
      ...forgettingRuns("inbox_seq = ?", [seq]),
      forgettingRunDetails("inbox_seq = ?", [seq]),
      forgetErrors("sn", seq),
      telling("message.redacted", {sn: seq, message: null, reason}, {endpoint: String(row.endpoint)}),
    ],
    refusal: new Problem("inbox_state", `event ${seq} has unfinished handlers or agent runs that still need its text`),
  })
}

/**
 * Overwrites the content of an outbox message, and the errors that repeat it. Discards a message that is failed, dead,
 * held, unknown or expired. Throws `outbox_unknown`, and `outbox_state` while it is scheduled, queued or sending.
 */
export const redactOutbox = async (database: Database, id: string, reason: string | null): Promise<Redaction> => {
  const [row] = await database.read("SELECT kind, endpoint, content, inbox_seq FROM outbox WHERE id = ?", [id])
  if (row === undefined) throw new Problem("outbox_unknown", `there is no outbox message ${id}`)
  const sn = row.inbox_seq === null ? null : Number(row.inbox_seq)
  return erase(database, {
    condition: assertThat(
      "EXISTS (SELECT 1 FROM outbox WHERE id = ? AND state NOT IN ('scheduled', 'queued', 'sending'))",
      [id],
    ),
    changes: [
      {
        sql: `UPDATE outbox SET content = ?, error = NULL, ${ending},
            state = CASE WHEN state IN ('failed', 'dead', 'held', 'unknown', 'expired') THEN 'discarded' ELSE state END WHERE id = ?`,
        args: [toJson(contentWithoutWords(row)), id],
      },
      forgetErrors("message", id),
      telling("message.redacted", {sn, message: id, reason}, {endpoint: String(row.endpoint)}),
    ],
    refusal: new Problem("outbox_state", `message ${id} is still waiting to be sent`, {
      hint: "Run svc outbox discard first; then redact it.",
    }),
  })
}

interface Erasure {
  readonly condition: Statement
  readonly changes: readonly Statement[]
  /** Thrown if the condition does not hold. */
  readonly refusal: Problem
}

const erase = async (database: Database, {condition, changes, refusal}: Erasure): Promise<Redaction> => {
  const isFile = database.location.dialect === "sqlite"
  await database.write([condition, ...(isFile ? [overwriting] : []), ...changes]).catch(error => {
    throw isProblem(error, "database_refused") ? refusal : error
  })
  return {erased: await database.purge()}
}

/** Returns an event without its content: only its ids and times. */
export const withoutWords = ({
  type,
  timestamp,
  login,
  channel,
  guild,
  message,
  user,
  operator,
  _type,
}: SatoriEvent) => ({
  type,
  timestamp,
  login,
  ...(channel === undefined ? {} : {channel: {id: channel.id, type: channel.type}}),
  ...(guild === undefined ? {} : {guild: {id: guild.id}}),
  ...(message === undefined ? {} : {message: {id: message.id, content: redacted}}),
  ...(user === undefined ? {} : {user: {id: user.id}}),
  ...(operator === undefined ? {} : {operator: {id: operator.id}}),
  ...(_type === undefined ? {} : {_type}),
})

/** Returns what remains of the content of an outbox row. */
export const contentWithoutWords = ({kind, content}: Row) => {
  if (kind === "message") return [redacted]
  const act = fromJson(String(content))
  if (kind === "edit") return {...act, content: [redacted]}
  if (kind === "call") return {...act, params: {}}
  return kind === "delete" ? act : {...act, emoji: redacted}
}

/** The event log repeats errors. */
const forgetErrors = (name: "sn" | "message", value: number | string): Statement => ({
  sql: `UPDATE events SET data = json_set(data, '$.error', NULL)
    WHERE type LIKE 'message.%' AND data ->> '$.${name}' = ? AND data ->> '$.error' IS NOT NULL`,
  args: [value],
})
