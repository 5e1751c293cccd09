import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {assertThat, type Database, type Statement} from "../../database/database.ts"
import {ending, erase, type Redaction, redacted} from "../../database/retention/user-part.ts"
import {forgettingErrors} from "../../events/erasing.ts"
import {telling} from "../../events/telling.ts"

/**
 * Overwrites the content of an inbox event: the text of the message, names, the platform's payload, the errors of its
 * handlers. Its ids and times stay. Discards handlers that are failed, dead, held or expired. `erasingRuns`
 * erases what agents asked and answered about the event. Throws `inbox_unknown`, and `inbox_state` while a handler is pending or
 * running, or a run has not ended.
 */
export const redactInbox = async (
  database: Database,
  seq: number,
  reason: string | null,
  erasingRuns: readonly Statement[],
): Promise<Redaction> => {
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
        args: [withoutWords(event), seq],
      },
      {
        sql: `UPDATE inbox_marks SET error = NULL, ${ending},
            state = CASE WHEN state IN ('failed', 'dead', 'held', 'expired') THEN 'discarded' ELSE state END WHERE seq = ?`,
        args: [seq],
      },
      ...erasingRuns,
      forgettingErrors("sn", seq),
      telling("message.redacted", {sn: seq, message: null, reason}, {endpoint: String(row.endpoint)}),
    ],
    refusal: new Problem("inbox_state", `event ${seq} has unfinished handlers or agent runs that still need its text`),
  })
}

/** Returns an event without its content, as JSON: only its ids and times. */
export const withoutWords = ({type, timestamp, login, channel, guild, message, user, operator, _type}: SatoriEvent) =>
  toJson({
    type,
    timestamp,
    login,
    channel: channel && {id: channel.id, type: channel.type},
    guild: guild && {id: guild.id},
    message: message && {id: message.id, content: redacted},
    user: user && {id: user.id},
    operator: operator && {id: operator.id},
    _type,
  })
