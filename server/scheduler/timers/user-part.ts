import {fromJson, toJson} from "../../../shared/json.ts"
import type {UserPart} from "../../database/retention/user-part.ts"

const part: Omit<UserPart, "find"> = {
  name: "timers",
  slices: {table: "timers", key: "seq"},
  toLine: ({id, plugin, name, key, state, due_at, place, data, created_at}) => ({
    id,
    plugin,
    name,
    key,
    state,
    dueAt: new Date(Number(due_at)).toISOString(),
    createdAt: new Date(Number(created_at)).toISOString(),
    place: fromJson(String(place)),
    data: fromJson(String(data)),
  }),
  forgetting: rows => [
    {sql: "DELETE FROM timers WHERE id IN (SELECT value FROM json_each(?))", args: [toJson(rows.map(({id}) => id))]},
  ],
}

const columns = "id, plugin, name, key, state, due_at, place, data, created_at"
const inSlice = "seq > ?1 AND seq <= ?2 AND endpoint = ?3"

/** Timers set by handlers of the user's messages, or by plugins for the user. */
export const timersPart: UserPart = {...part, find: `SELECT ${columns} FROM timers WHERE ${inSlice} AND user = ?4`}

/** Timers that plugins set for the user's direct channel. */
export const channelTimersPart: UserPart = {
  ...part,
  find: `SELECT ${columns} FROM timers
    WHERE ${inSlice} AND user IS NULL AND channel IN (SELECT value FROM json_each(?5))`,
}
