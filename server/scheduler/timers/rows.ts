import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Channel, User} from "../../../shared/sdk/content/satori.ts"
import type {TimerPlace} from "../../../shared/sdk/session/timer.ts"
import {assertThat, type Database, type Reader, type Row, type Statement} from "../../database/database.ts"
import {readNumber} from "../../database/engine/cells.ts"
import {countStates} from "../../outbox/depths.ts"
import type {Plan} from "./when.ts"

/** The conversation that a timer belongs to. */
export interface Place {
  readonly endpoint?: string
  readonly channel?: Channel
  readonly user?: User
}

export interface NewTimer extends Plan {
  readonly id: string
  readonly plugin: string
  readonly name: string
  readonly key: string | null
  readonly missed: "once" | "skip"
  /** JSON. */
  readonly data: string
  readonly place: Place
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Deletes the plugin's timer with this key or id, and returns its row. */
export const clearing = (plugin: string, column: "key" | "id", value: string): Statement => ({
  sql: `DELETE FROM timers WHERE plugin = ? AND ${column} = ? RETURNING id`,
  args: [plugin, value],
})

/** Selects a plugin's timers of one name and, as far as given, of one conversation: the soonest ones first. */
export const listing = (
  plugin: string,
  name: string,
  {endpoint, user, channel}: Partial<TimerPlace> = {},
): Statement => {
  const named = Object.entries({plugin, name, endpoint, user, channel}).filter(([, value]) => value !== undefined)
  return {
    sql: `SELECT id, key, due_at, schedule, data, state FROM timers
      WHERE ${named.map(([column]) => `${column} = ?`).join(" AND ")} ORDER BY due_at, seq LIMIT 1000`,
    args: named.map(([, value]) => value ?? null),
  }
}

/** Stores a timer, and replaces the one with its key. */
export const setting = (timer: NewTimer): readonly Statement[] => {
  const {id, plugin, name, key, due, schedule, timezone, missed, data, place, at} = timer
  const {endpoint = null, channel, user} = place
  return [
    ...(key === null ? [] : [clearing(plugin, "key", key)]),
    {
      sql: `INSERT INTO timers (id, plugin, name, key, due_at, schedule, timezone, missed, data, endpoint, channel, user, place, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      args: [
        ...[id, plugin, name, key, due, schedule, timezone, missed, data, endpoint],
        ...[channel?.id ?? null, user?.id ?? null, toJson({channel, user}), at],
      ],
    },
  ]
}

/** How many timers fire in one batch. */
export const page = 500

/** Without this hint, SQLite may use the index of all states. */
const waiting = "timers INDEXED BY timers_due WHERE state = 'waiting'"

export const selectNext = `SELECT due_at AS at FROM ${waiting} ORDER BY due_at LIMIT 1`

export const selectDue = `SELECT * FROM ${waiting} AND due_at <= ? ORDER BY due_at LIMIT ${page}`

/** The change of a timer that was due. */
export interface Change {
  readonly row: Row
  readonly to:
    | {readonly is: "over"}
    /** The next due time. */
    | {readonly is: "waiting"; readonly due: number}
    | {readonly is: "failed"; readonly reason: string}
  /** The handler for which it fired, if it did. */
  readonly fired?: string | undefined
}

/**
 * Fails the batch if one of the timers was cleared, replaced or cancelled since it was read. `CROSS` and `+` make
 * SQLite look each of them up by id; otherwise it reads all waiting timers.
 */
export const assertDue = (changes: readonly Change[]): Statement =>
  assertThat(
    `(SELECT count(*) FROM json_each(?) AS due CROSS JOIN timers ON timers.id = due.value ->> 0 WHERE +timers.state = 'waiting' AND +timers.due_at = due.value ->> 1) = ?`,
    [toJson(changes.map(({row}) => [row.id, row.due_at])), changes.length],
  )

export const changing = (changes: readonly Change[], now: number): readonly Statement[] => {
  const over = changes.filter(({to}) => to.is === "over")
  const going = changes.flatMap(({row, to, fired}) =>
    to.is === "waiting" ? [[row.id, to.due, fired === undefined ? 0 : 1]] : [],
  )
  const failed = changes.flatMap(({row, to}) => (to.is === "failed" ? [[row.id, to.reason]] : []))
  return [
    {
      sql: "DELETE FROM timers WHERE id IN (SELECT value FROM json_each(?))",
      args: [toJson(over.map(({row}) => row.id))],
    },
    {
      sql: `UPDATE timers SET due_at = going.value ->> 1, fired = fired + (going.value ->> 2),
          last_fired_at = iif(going.value ->> 2, ?2, last_fired_at)
        FROM json_each(?1) AS going WHERE timers.id = going.value ->> 0`,
      args: [toJson(going), now],
    },
    {
      sql: "UPDATE timers SET state = 'failed', reason = wrong.value ->> 1 FROM json_each(?) AS wrong WHERE timers.id = wrong.value ->> 0",
      args: [toJson(failed)],
    },
  ]
}

export const someFailed = "EXISTS (SELECT 1 FROM timers WHERE state = 'failed')"

/** Rearms failed timers whose handler exists again. */
export const rearming = (declared: readonly (readonly [plugin: string, name: string])[]): Statement => ({
  sql: `UPDATE timers SET state = 'waiting', reason = NULL
    WHERE state = 'failed' AND (plugin, name) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?)) RETURNING id`,
  args: [toJson(declared)],
})

export const countTimers = (database: Database): Promise<Readonly<Record<string, number>>> =>
  countStates(database, {table: "timers", states: ["waiting", "held", "failed"], most: 10_000})

/** Returns how many timers of a plugin wait or are held whose keys are from `first` on and before `last`. */
export const countWaiting = (database: Reader, plugin: string, first: string, last: string): Promise<number> =>
  readNumber(
    database,
    "SELECT count(*) AS n FROM timers WHERE plugin = ? AND key >= ? AND key < ? AND state IN ('waiting', 'held')",
    [plugin, first, last],
  )

/** Throws `timer_unknown`. */
export const requireTimer = async (database: Reader, id: string): Promise<Row> => {
  const [row] = await database.read("SELECT * FROM timers WHERE id = ?", [id])
  if (row === undefined) throw new Problem("timer_unknown", `there is no timer ${id}; it may have fired`)
  return row
}

/** Holds the timers of a restored database. */
export const holdingTimers: Statement = {
  sql: "UPDATE timers SET state = 'held', reason = 'restored' WHERE state = 'waiting'",
}
