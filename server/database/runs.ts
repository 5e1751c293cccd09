import type {Database} from "./database.ts"

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
export const endReason = `CASE WHEN ended_at IS NULL THEN 'unclean' WHEN reason = 'lease_lost' THEN 'lease_lost' ELSE CASE exit_code
  WHEN 0 THEN 'stopped' WHEN 51 THEN 'restart_requested' WHEN 75 THEN 'restart_required' ELSE 'failed' END END`

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
