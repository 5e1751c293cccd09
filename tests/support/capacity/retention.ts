import type {Database} from "../../../server/database/database.ts"
import {Retention} from "../../../server/project/capacity/retention.ts"
import type {RetentionSettings} from "../../../shared/config/config.ts"
import {log} from "../database/databases.ts"

export const aDay = 86_400_000

/** The configuration's defaults, except for `least`, which would keep everything that a test stores. */
export const settings: RetentionSettings = {
  handled: {age: "30d", rows: 1_000_000, least: 0},
  unhandled: "0s",
  duplicates: {age: "90d", rows: 2_000_000},
  sent: {age: "30d", rows: 1_000_000},
  undelivered: {age: "180d"},
  jobRuns: {age: "90d", rows: 50_000},
  agentRuns: {age: "30d", rows: 50_000},
  gaps: {age: "365d", rows: 50_000},
  runs: {age: "365d", rows: 10_000},
}

export const retentionOf = (
  database: Database,
  more: Partial<RetentionSettings> = {},
  reachedAll = () => Number.POSITIVE_INFINITY,
): Retention => new Retention({database, log, settings: () => ({...settings, ...more}), reachedAll})

const numbers = "WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ?1)"

/** Stores past events, `apart` milliseconds apart, each with one handler in this state and a sent answer. */
export const storeEvents = async (
  database: Database,
  {
    count,
    from,
    apart,
    state = "handled",
    size = 200,
  }: {count: number; from: number; apart: number; state?: string; size?: number},
): Promise<void> => {
  const at = "CAST(?2 + n * ?3 AS INTEGER)"
  await database.write([
    {
      sql: `INSERT INTO inbox (endpoint, event_id, conversation, type, received_at, event, raw)
        ${numbers} SELECT 'line', 'event ' || ${at}, 'line/' || n % 7, 'message-created', ${at}, '{"text":"' || hex(zeroblob(?4)) || '"}', NULL FROM number`,
      args: [count, from, apart, size / 2],
    },
    {
      sql: `INSERT INTO inbox_marks (seq, handler, state, attempt, started_at, ended_at)
        SELECT seq, 'root/echo/handler/1', ?3, 1, received_at, CASE WHEN ?3 IN ('pending', 'running') THEN NULL ELSE received_at END
        FROM inbox WHERE received_at BETWEEN ?1 AND ?2 AND seq NOT IN (SELECT seq FROM inbox_marks)`,
      args: [from, from + count * apart, state],
    },
    {
      sql: `INSERT INTO outbox (id, kind, endpoint, channel, content, state, created_at, ended_at)
        ${numbers} SELECT 'message ' || ${at}, 'text', 'line', 'c', '"' || hex(zeroblob(?4)) || '"', 'sent', ${at}, ${at} FROM number`,
      args: [count, from, apart, size / 2],
    },
  ])
}

export const countOf = async (database: Database, what: string): Promise<number> =>
  Number((await database.read(`SELECT count(*) AS n FROM ${what}`))[0]?.n)
