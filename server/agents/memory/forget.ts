import {toJson} from "../../../shared/json.ts"
import type {Database, Reader, Statement} from "../../database/database.ts"
import {overwriting} from "../../database/engine/engine.ts"
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

/**
 * Returns the statements that delete memories with their index, and erase the ended runs that they come from: the
 * next run would read those again. A purge must follow.
 */
export const forgetting = (
  {location}: Pick<Database, "location">,
  memories: readonly Memory[],
): readonly Statement[] => {
  const ids = toJson(memories.map(({id}) => id))
  const sources = "SELECT run FROM agent_memories WHERE seq IN (SELECT value FROM json_each(?))"
  return [
    ...(location.dialect === "sqlite" ? [overwriting] : []),
    ...forgettingRuns(`seq IN (${sources}) AND ended_at IS NOT NULL`, [ids]),
    {sql: "DELETE FROM agent_memories WHERE seq IN (SELECT value FROM json_each(?))", args: [ids]},
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
