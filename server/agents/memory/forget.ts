import {toJson} from "../../../shared/json.ts"
import type {Database, Reader, Statement} from "../../database/database.ts"
import {overwriting} from "../../database/engine/engine.ts"
import {sameConversation} from "../runs/run-rows.ts"
import {forgettingRuns} from "../runs/user-part.ts"
import {type MemoryPlace, visibleAt} from "./places.ts"
import {type Memory, memoryColumns, memoryOf} from "./rows.ts"

/** Resolves to the memories that a user's own messages led to, newest first: those that the place shows, or all. */
export const findOwn = async (
  database: Reader,
  place: MemoryPlace,
  where: "here" | "everywhere",
): Promise<readonly Memory[]> => {
  const {agent, endpoint, user} = place
  const {column, marks} = visibleAt(place)
  const isHere = where === "here" ? ` AND ${column} IN (?, ?)` : ""
  const rows = await database.read(
    `SELECT ${memoryColumns} FROM agent_memories
      WHERE endpoint = ? AND user = ? AND author ->> '$.account' IS ? AND agent = ?${isHere} ORDER BY seq DESC`,
    [endpoint, user.id, user.account ?? null, agent, ...(where === "here" ? marks : [])],
  )
  return rows.map(memoryOf)
}

const listed = "seq IN (SELECT value FROM json_each(?))"

/** The runs that memories come from: one, or all that a summary is about. */
const sources = `SELECT r.* FROM agent_memories m JOIN agent_runs r ON ${sameConversation("r", "m")}
  AND r.seq BETWEEN coalesce(m.since, m.run) AND m.run WHERE m.${listed} AND r.cause <> 'summary'
    AND r.place ->> '$.user.account' IS m.author ->> '$.account'`

/** The summaries that are about one of these runs, and the runs that made them. */
const summariesOf = (table: string, from: string, to: string) =>
  `SELECT s.seq FROM (${sources}) r JOIN ${table} s ON ${sameConversation("s", "r")} AND r.seq BETWEEN ${from} AND ${to}`
const summaries = summariesOf("agent_memories", "s.since", "s.run")
const makers = summariesOf("agent_runs", "s.place ->> '$.covers[0]'", "s.place ->> '$.covers[1]'")

/**
 * Returns the statements that delete memories with their index and the summaries of the same messages, and erase the
 * ended runs that they come from: the next run would read those again. A purge must follow.
 */
export const forgetting = (
  {location}: Pick<Database, "location">,
  memories: readonly Memory[],
): readonly Statement[] => {
  const ids = toJson(memories.map(({id}) => id))
  return [
    ...(location.dialect === "sqlite" ? [overwriting] : []),
    ...forgettingRuns(`seq IN (${makers})`, [ids]),
    {sql: `DELETE FROM agent_memories WHERE seq IN (${summaries}) AND NOT ${listed}`, args: [ids, ids]},
    ...forgettingRuns(`seq IN (SELECT seq FROM (${sources})) AND ended_at IS NOT NULL`, [ids]),
    {sql: `DELETE FROM agent_memories WHERE ${listed}`, args: [ids]},
  ]
}

/** Deletes the memories that a user's own messages led to: one by its number, or all. Resolves to how many. */
export const forgetOwn = async (
  database: Database,
  places: readonly MemoryPlace[],
  which: number | "all",
): Promise<number> => {
  const all = await Promise.all(places.map(place => findOwn(database, place, "everywhere")))
  const found = all.flat().filter(({id}) => which === "all" || id === which)
  if (found.length === 0) return 0
  await database.write(forgetting(database, found))
  await database.purge()
  return found.length
}
