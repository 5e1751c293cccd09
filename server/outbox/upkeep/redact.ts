import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {assertThat, type Database, type Row} from "../../database/database.ts"
import {ending, erase, type Redaction, redacted} from "../../database/retention/user-part.ts"
import {forgettingErrors} from "../../events/erasing.ts"
import {telling} from "../../events/telling.ts"
import {requireMessage} from "../look-ups.ts"

/**
 * Overwrites the content of an outbox message, and the errors that repeat it. Discards a message that is failed, dead,
 * held, unknown or expired. Throws `outbox_unknown`, and `outbox_state` while it is scheduled, queued or sending.
 */
export const redactOutbox = async (database: Database, id: string, reason: string | null): Promise<Redaction> => {
  const row = await requireMessage(database, id)
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
      forgettingErrors("message", id),
      telling("message.redacted", {sn, message: id, reason}, {endpoint: String(row.endpoint)}),
    ],
    refusal: new Problem("outbox_state", `message ${id} is still waiting to be sent`, {
      hint: "Run svc outbox discard first; then redact it.",
    }),
  })
}

/** Returns what remains of the content of an outbox row. */
export const contentWithoutWords = ({kind, content}: Row) => {
  if (kind === "message") return [redacted]
  const act = fromJson(String(content))
  if (kind === "edit") return {...act, content: [redacted]}
  if (kind === "call") return {...act, params: {}}
  return kind === "delete" ? act : {...act, emoji: redacted}
}
