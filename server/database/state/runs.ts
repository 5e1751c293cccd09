import type {Database, Reader} from "../database.ts"
import {numberIn, readCell, readNumber} from "../engine/cells.ts"
import type {Statement} from "../engine/engine.ts"
import {plainPart} from "../retention/retention.ts"

/** One run of a Host process, as stored in the database. Times are in milliseconds since 1970. */
export interface Run {
  readonly runtimeId: string
  readonly startedAt: number
  readonly mode: string
  readonly version: string
  readonly runtime: string
}

export interface RunHistory {
  /** The starts of this project before this one. */
  readonly earlierStarts: number
  /** False if the previous run did not record its end: it was killed, or its machine went down. */
  readonly endedCleanly: boolean
}

/** How many runs ended in the same way. */
export interface RunEnds {
  /** Undefined for a killed run. */
  readonly exitCode: number | undefined
  /** One of a few reasons. Only the table has the words of the command line or of a failure. */
  readonly reason: string
  readonly count: number
}

/** SQL for the reason of a run's end, from its exit code. A killed run has none. */
const endReason = `CASE WHEN ended_at IS NULL THEN 'unclean' WHEN reason = 'lease_lost' THEN 'lease_lost' ELSE CASE exit_code
  WHEN 0 THEN 'stopped' WHEN 51 THEN 'restart_requested' WHEN 75 THEN 'restart_required' ELSE 'failed' END END`

/** SQL for the end of a run; NULL if it is unknown or has recorded none. */
export const runEndSql = (runtimeId: string): string =>
  `(SELECT ended_at FROM svc_runs WHERE runtime_id = ${runtimeId})`

/** SQL: true for a run that has recorded no end. */
export const hasNoEnd = (runtimeId: string): string =>
  `EXISTS (SELECT 1 FROM svc_runs WHERE runtime_id = ${runtimeId} AND ended_at IS NULL)`

/** Selects the latest times `at` of runs. */
export const selectRunTimes = "SELECT max(started_at) AS at FROM svc_runs UNION ALL SELECT max(ended_at) FROM svc_runs"

/** Returns when the first kept run started; undefined before it. */
export const readFirstStart = async (database: Reader): Promise<number | undefined> =>
  numberIn(await readCell(database, "SELECT min(started_at) AS n FROM svc_runs"))

/** Returns when the last run but this one started; 0 if there is none. */
export const readLastStart = (database: Reader, runtimeId: string): Promise<number> =>
  readNumber(database, "SELECT max(started_at) AS n FROM svc_runs WHERE runtime_id <> ?", [runtimeId])

/** Returns the starts of a quarter of an hour. This run's own row is a moment younger than its start, and counts too. */
export const countStarts = (database: Reader, startedAt: number): Promise<number> =>
  readNumber(database, "SELECT count(*) AS n FROM svc_runs WHERE started_at > ?", [startedAt - 900_000])

/** Selects the number of `runs` that began in each `interval` of `?2` milliseconds, from `?1` on and before `?3`. */
export const selectStarts = `SELECT CAST((started_at - ?1) / ?2 AS INTEGER) AS interval, count(*) AS runs FROM svc_runs
  WHERE started_at >= ?1 AND started_at < ?3 GROUP BY 1`

/** Selects the newest five times `started_at` between two times. */
export const selectNewestStarts =
  "SELECT started_at FROM svc_runs WHERE started_at >= ? AND started_at < ? ORDER BY started_at DESC LIMIT 5"

/** Ends the runs of a restored database that have recorded no end. */
export const endingRestored = (at: number): Statement => ({
  sql: "UPDATE svc_runs SET ended_at = ?, reason = 'restored' WHERE ended_at IS NULL",
  args: [at],
})

/** Returns the number of starts, including this one, and the ends of all other runs, including deleted ones. */
export const readRuns = async (
  database: Database,
  runtimeId: string,
): Promise<{readonly starts: number; readonly ends: readonly RunEnds[]}> => {
  const rows = await database.read(
    `SELECT exit_code, end, sum(count) AS count FROM (
      SELECT exit_code, ${endReason} AS end, count(*) AS count FROM svc_runs WHERE runtime_id <> ? GROUP BY 1, 2
      UNION ALL SELECT detail ->> 0 AS exit_code, detail ->> 1 AS end, rows FROM retention_dropped WHERE part = 'runs') GROUP BY 1, 2`,
    [runtimeId],
  )
  const ends = rows.map(({exit_code, end, count}) => ({
    exitCode: exit_code === null ? undefined : Number(exit_code),
    reason: String(end),
    count: Number(count),
  }))
  return {starts: 1 + ends.reduce((sum, {count}) => sum + count, 0), ends}
}

/** Records the start; resolves to the history before it. */
export const recordStart = async (database: Database, run: Run): Promise<RunHistory> => {
  const [last] = await database.read(
    `SELECT ended_at, (SELECT count(*) FROM svc_runs) + (SELECT coalesce(sum(rows), 0) FROM retention_dropped WHERE part = 'runs') AS starts
      FROM svc_runs ORDER BY started_at DESC LIMIT 1`,
  )
  await database.write([
    {
      sql: "INSERT INTO svc_runs (runtime_id, started_at, mode, version, runtime) VALUES (?, ?, ?, ?, ?)",
      args: [run.runtimeId, run.startedAt, run.mode, run.version, run.runtime],
    },
  ])
  return {earlierStarts: Number(last?.starts ?? 0), endedCleanly: last === undefined || last.ended_at !== null}
}

export const recordEnd = async (database: Database, runtimeId: string, code: number, reason: string): Promise<void> => {
  await database.write([
    {
      sql: "UPDATE svc_runs SET ended_at = ?, exit_code = ?, reason = ? WHERE runtime_id = ?",
      args: [Date.now(), code, reason, runtimeId],
    },
  ])
}

/** Runs of the Host, except the current one. The counts of their ends stay. */
export const runsPart = plainPart({
  name: "runs",
  table: "svc_runs",
  number: "rowid",
  at: "started_at",
  condition:
    "rowid > ?1 AND rowid <= ?2 AND rowid < (SELECT max(rowid) FROM svc_runs) AND (started_at < ?3 OR rowid <= ?4)",
  detail: `json_array(exit_code, ${endReason})`,
})
