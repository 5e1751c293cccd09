import {fromJson, toJson} from "../../../shared/json.ts"
import type {UserPart} from "../retention/user-part.ts"

const key = ["plugin", "scope", "endpoint", "subject", "name"] as const

/** Values of the user and of their direct channels. */
export const statePart: UserPart = {
  name: "state",
  slices: undefined,
  find: `SELECT plugin, scope, endpoint, subject, name, value, updated_at FROM plugin_state
    WHERE endpoint = ?3 AND ((scope = 'user' AND subject = ?4)
      OR (scope = 'channel' AND subject IN (SELECT value FROM json_each(?5))))`,
  toLine: ({plugin, scope, subject, name, value, updated_at}) => ({
    plugin,
    scope,
    subject,
    name,
    value: fromJson(String(value)),
    updatedAt: new Date(Number(updated_at)).toISOString(),
  }),
  forgetting: rows => [
    {
      sql: `DELETE FROM plugin_state WHERE (${key.join(", ")}) IN
        (SELECT ${key.map((_, place) => `value ->> ${place}`).join(", ")} FROM json_each(?))`,
      args: [toJson(rows.map(row => key.map(column => row[column])))],
    },
  ],
}
