import {setTimeout as sleep} from "node:timers/promises"
import {toJson} from "../../../../shared/json.ts"
import {memoriesPart} from "../../../agents/memory/user-part.ts"
import {agentsPart, isRunOfUser} from "../../../agents/runs/user-part.ts"
import {membersPart} from "../../../agents/strangers/members.ts"
import type {Reader, Row, SqlValue} from "../../../database/database.ts"
import {argumentsOf} from "../../../database/retention/retention.ts"
import type {PlatformUser, UserPart} from "../../../database/retention/user-part.ts"
import {statePart} from "../../../database/state/user-part.ts"
import {errorsPart} from "../../../events/erasing.ts"
import {inboxPart, isEventOfUser, promptsPart} from "../../../inbox/user/parts.ts"
import {isMessageOfUser, outboxPart} from "../../../outbox/upkeep/user-part.ts"
import {channelTimersPart, timersPart} from "../../../scheduler/timers/user-part.ts"

/** How many rows one read scans. No index finds a user's rows, and other work waits for a read. */
const slice = 200

/**
 * The order matters. Timers come first, because a timer that fires meanwhile becomes an event of the inbox. The inbox names
 * the user's direct channels for the later parts, even after redaction, so that the walk can be repeated.
 */
export const parts: readonly UserPart[] = [
  timersPart,
  inboxPart,
  errorsPart({event: isEventOfUser, message: id => isMessageOfUser(id, isEventOfUser), run: isRunOfUser}),
  outboxPart(isEventOfUser),
  agentsPart,
  memoriesPart,
  channelTimersPart,
  statePart,
  promptsPart,
  membersPart,
]

export interface Place {
  readonly part: number
  /** The last scanned key of the part; at its start, a value below every number and id. */
  readonly after: SqlValue
  /** The direct channels of the user that are known so far. */
  readonly channels: readonly string[]
}

export const start: Place = {part: 0, after: -1, channels: []}

/** One slice: the user's rows in it. */
export interface Step {
  readonly part: UserPart
  readonly rows: readonly Row[]
  /** Reads them again. */
  readonly again: () => Promise<readonly Row[]>
  /** The place after this slice. */
  readonly next: Place
}

/** Walks through the data of a user in small steps, and pauses after each for as long as the step took. */
export async function* walk(
  database: Reader,
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

/** Resolves to the last key of the next slice, or to null after the last slice. A part without slices counts as one. */
const lastOf = async (database: Reader, {slices}: UserPart, after: SqlValue): Promise<SqlValue> => {
  if (slices === undefined) return after === start.after ? 0 : null
  const {table, key} = slices
  const [row] = await database.read(
    `SELECT max(key) AS last FROM (SELECT ${key} AS key FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${slice})`,
    [after],
  )
  return row?.last ?? null
}
