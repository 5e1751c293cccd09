import {fromJson} from "../../../shared/json.ts"
import type {Database} from "../../database/database.ts"
import {timeOf} from "../../database/lists/pages.ts"
import {listOf, type UserPart} from "../../database/retention/user-part.ts"

/** What agents remember because of the user: about them, and what they said about channels. */
export const memoriesPart: UserPart = {
  name: "memories",
  slices: undefined,
  find: "SELECT * FROM agent_memories WHERE endpoint = ?3 AND user = ?4",
  toLine: ({seq, agent, scope, channel, author, text, event, since, created_at, expires_at}) => ({
    id: seq,
    agent,
    scope,
    channel,
    author: fromJson(String(author)),
    text,
    event,
    isSummary: since !== null,
    createdAt: timeOf(created_at),
    expiresAt: timeOf(expires_at),
  }),
  forgetting: rows => [
    {sql: "DELETE FROM agent_memories WHERE seq IN (SELECT value FROM json_each(?))", args: [listOf(rows, "seq")]},
  ],
}

/** Rows of one statement: writers wait for it. */
const chunk = 200

/** Deletes memories whose time has ended. */
export const sweepMemories = async (database: Database, now: number, signal: AbortSignal): Promise<void> => {
  const sql = `DELETE FROM agent_memories WHERE seq IN
    (SELECT seq FROM agent_memories WHERE expires_at <= ? LIMIT ${chunk})`
  while (!signal.aborted) {
    const [result] = await database.write([{sql, args: [now]}])
    if ((result?.changes ?? 0) < chunk) return
  }
}
