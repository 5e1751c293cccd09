import type {SqlValue, Statement} from "../../shared/sdk/session/database.ts"
import {listOf, type UserPart} from "../database/retention/user-part.ts"

/** Erases the errors of events about an inbox event or a message. */
export const forgettingErrors = (name: "sn" | "message", value: number | string): Statement => ({
  sql: `UPDATE events SET data = json_set(data, '$.error', NULL)
    WHERE type LIKE 'message.%' AND data ->> '$.${name}' = ? AND data ->> '$.error' IS NOT NULL`,
  args: [value],
})

/** True for an event `e` of the log with the error of a run, or with a person's reason for a decision about a call. */
const isAgentDetail = `(e.type LIKE 'agent.run_%' AND e.data ->> '$.error' IS NOT NULL
  OR e.type LIKE 'agent.approval_%' AND e.data ->> '$.reason' IS NOT NULL)`

/** The data of that event without the error or the reason. */
const withoutAgentDetail = "json_set(data, iif(e.type LIKE 'agent.run_%', '$.error', '$.reason'), NULL)"

/** Erases these texts of agent runs. `runIds` selects the runs' ids. */
export const forgettingRunDetails = (runIds: string, args: readonly SqlValue[]): Statement => ({
  sql: `UPDATE events AS e SET data = ${withoutAgentDetail} WHERE ${isAgentDetail} AND e.run_id IN (${runIds})`,
  args: [...args],
})

/**
 * The errors in the event log, which may repeat what was said. `isOfUser` returns SQL: the inbox event, the message or the
 * agent run that an event is about is the user's.
 */
export const errorsPart = (isOfUser: Record<"event" | "message" | "run", (id: string) => string>): UserPart => ({
  name: "errors",
  slices: {table: "events", key: "offset"},
  find: `SELECT e.offset FROM events e WHERE e.offset > ?1 AND e.offset <= ?2 AND ((e.type LIKE 'message.%'
    AND e.data ->> '$.error' IS NOT NULL
    AND (${isOfUser.event("e.data ->> '$.sn'")} OR ${isOfUser.message("e.data ->> '$.message'")}))
    OR (${isAgentDetail} AND ${isOfUser.run("e.run_id")}))`,
  forgetting: rows => [
    {
      sql: `UPDATE events AS e SET data = iif(${isAgentDetail}, ${withoutAgentDetail}, json_set(data, '$.error', NULL))
        WHERE offset IN (SELECT value FROM json_each(?))`,
      args: [listOf(rows, "offset")],
    },
  ],
})
