import type {Database} from "./database.ts"

/** One run of a Host process, as the database keeps it. Times in milliseconds since 1970. */
export interface Run {
  readonly runtimeId: string
  readonly startedAt: number
  readonly mode: string
  readonly version: string
  readonly runtime: string
}

export interface RunHistory {
  /** Starts of this project before this one. */
  readonly earlierStarts: number
  /** False when the run before this one never wrote its end: it was killed, or its machine went down. */
  readonly endedCleanly: boolean
}

/** Records the start; resolves to what came before. */
export const recordStart = async (database: Database, run: Run): Promise<RunHistory> => {
  const [last] = await database.read(
    "SELECT ended_at, (SELECT count(*) FROM svc_runs) AS starts FROM svc_runs ORDER BY started_at DESC LIMIT 1",
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
