import type {Log} from "../../shared/log.ts"
import type {Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import type {Clock} from "../runtime/flow/clock.ts"
import {DueClock} from "../runtime/flow/due-clock.ts"
import {expiringUnknown, readUnknownLimits} from "./age.ts"
import {type Lane, laneOf} from "./rows.ts"

/** The most messages that become due in one batch. */
const page = 500

/** Without this index, SQLite uses the index of all states and reads every waiting row. */
const waiting = "outbox INDEXED BY outbox_scheduled WHERE state = 'scheduled'"

export const selectNext = `SELECT not_before AS at FROM ${waiting} ORDER BY not_before LIMIT 1`

const queueDue = `UPDATE outbox SET state = 'queued', aged_from = not_before, not_before = 0 WHERE seq IN (
    SELECT seq FROM ${waiting} AND not_before <= ? ORDER BY not_before, seq LIMIT ${page}
  ) RETURNING endpoint, channel`

/** Queues each scheduled message at its time, and calls `push` with its lane. */
export const scheduleSends = (database: Database, log: Log, push: (lane: Lane) => void, clock: Clock): DueClock =>
  new DueClock({
    what: "a scheduled message",
    log,
    clock,
    next: async () => {
      const [row] = await persist("scheduled messages", log, () => database.read(selectNext))
      return row && Number(row.at)
    },
    fire: async now => {
      const [queued] = await persist("scheduled messages", log, () => database.write([{sql: queueDue, args: [now]}]))
      for (const row of queued?.rows ?? []) push(laneOf(row))
    },
  })

/** Ends messages that may have arrived once they are too old to ask a person about them. */
export const expireUnknown = (
  database: Database,
  log: Log,
  maxAgeOf: (endpoint: string) => number | undefined,
  clock: Clock,
): DueClock => {
  const what = "a message that may have arrived"
  const read = () => persist(what, log, () => readUnknownLimits(database, maxAgeOf))
  return new DueClock({
    what,
    log,
    clock,
    next: async () => {
      const limits = [...(await read()).values()]
      return limits.length === 0 ? undefined : Math.min(...limits)
    },
    fire: async now => {
      const due = [...(await read())].filter(([, at]) => at <= now)
      const statements = due.map(([endpoint]) => expiringUnknown(endpoint, maxAgeOf(endpoint), now))
      await persist(what, log, () => database.write(statements))
    },
  })
}
