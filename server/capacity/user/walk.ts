import {setTimeout as sleep} from "node:timers/promises"
import {toJson} from "../../../shared/json.ts"
import type {Row, SqlValue} from "../../../shared/sdk/plugin/database.ts"
import type {Database} from "../../database/database.ts"
import {statePart} from "../../database/state/user-part.ts"
import {argumentsOf} from "../../database/upkeep/retention.ts"
import type {PlatformUser, UserPart} from "../../database/upkeep/user-part.ts"
import {agentsPart} from "../../inbox/user/agent-runs.ts"
import {errorsPart, inboxPart, outboxPart, promptsPart} from "../../inbox/user/parts.ts"
import {channelTimersPart, timersPart} from "../../scheduler/timers/user-part.ts"

/** No index finds a user's rows: so many rows are looked at in one read, which holds everything else up. */
const slice = 200

/**
 * Timers come first: one that fires meanwhile is an event of the inbox then. The inbox tells the direct channels to those after
 * it; redacted, it still does, so that all of it can be repeated.
 */
export const parts: readonly UserPart[] = [
  timersPart,
  inboxPart,
  errorsPart,
  outboxPart,
  agentsPart,
  channelTimersPart,
  statePart,
  promptsPart,
]

/** How far a walk is. */
export interface Place {
  /** Which of the parts. */
  readonly part: number
  /** The key up to which the part was looked through; below every number, and every id, at its begin. */
  readonly after: SqlValue
  /** The direct channels of the user, as far as they are known. */
  readonly channels: readonly string[]
}

export const start: Place = {part: 0, after: -1, channels: []}

/** One slice: what is the user's in it. */
export interface Step {
  readonly part: UserPart
  readonly rows: readonly Row[]
  /** Reads them again. */
  readonly again: () => Promise<readonly Row[]>
  /** Where the walk goes on after it. */
  readonly next: Place
}

/** Goes through what is kept of a user, in small steps. It gives everything else as much time as it takes itself. */
export async function* walk(
  database: Pick<Database, "read">,
  {endpoint, user}: PlatformUser,
  from: Place = start,
): AsyncGenerator<Step> {
  let {channels} = from
  for (const [number, part] of [...parts.entries()].slice(from.part)) {
    for (let after = number === from.part ? from.after : start.after; ; ) {
      const began = performance.now()
      const last = await lastOf(database, part, after)
      if (last === null) break
      const again = () =>
        database.read(part.find, argumentsOf(part.find, [after, last, endpoint, user, toJson(channels)]))
      let rows = await again()
      const found = new Set([...channels, ...rows.flatMap(row => part.channelOf?.(row, user) ?? [])])
      if (found.size > channels.length) {
        channels = [...found]
        rows = await again()
      }
      const taken = performance.now() - began
      yield {part, rows, again, next: {part: number, after: last, channels}}
      after = last
      await sleep(taken)
    }
  }
}

/** The last key of the next slice; null after the last one. What has no slices is one. */
const lastOf = async (database: Pick<Database, "read">, {slices}: UserPart, after: SqlValue): Promise<SqlValue> => {
  if (slices === undefined) return after === start.after ? 0 : null
  const {table, key} = slices
  const [row] = await database.read(
    `SELECT max(key) AS last FROM (SELECT ${key} AS key FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${slice})`,
    [after],
  )
  return row?.last ?? null
}
