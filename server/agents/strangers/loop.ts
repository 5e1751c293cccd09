import type {Reader} from "../../database/database.ts"
import type {Sender} from "./members.ts"

/** How many answers in a row a user may follow this fast, in milliseconds. */
const most = 10
const fast = 10_000

/**
 * Whether a bot seems to answer this bot's answers: each of its last messages in the conversation, and this one, came
 * within ten seconds after an answer. A platform may not say who is a bot. A loop ends because the Host then stays
 * silent; a person who waits ten seconds is answered again. The rows of the runs decide, so a restart changes nothing.
 */
export const isLoop = async (database: Reader, {endpoint, event}: Sender, now: number): Promise<boolean> => {
  const {user, channel} = event
  if (user === undefined) return false
  const rows = await database.read(
    `SELECT created_at, ended_at FROM agent_runs WHERE endpoint = ? AND user = ? AND channel = ?
      AND cause IN ('mention', 'direct') ORDER BY seq DESC LIMIT ${most}`,
    [endpoint, user.id, channel?.id ?? user.id],
  )
  const asked = [now, ...rows.map(row => Number(row.created_at))]
  return (
    rows.length === most &&
    rows.every(({ended_at}, index) => {
      const pause = (asked[index] ?? now) - Number(ended_at ?? Number.POSITIVE_INFINITY)
      return pause >= 0 && pause < fast
    })
  )
}
