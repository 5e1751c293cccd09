import type {Log} from "../../shared/log.ts"
import type {Database} from "../database/database.ts"

/** The latest time that earlier runs have stored, and the one in svc_meta that was already handled. */
const lastTime = `SELECT max(at) AS at, (SELECT value FROM svc_meta WHERE key = 'clock.set_back') AS known FROM (
  SELECT max(started_at) AS at FROM svc_runs UNION ALL SELECT max(ended_at) FROM svc_runs
  UNION ALL SELECT max(seen_at) FROM endpoint_online
  UNION ALL SELECT received_at FROM inbox WHERE seq = (SELECT max(seq) FROM inbox)
  UNION ALL SELECT created_at FROM outbox WHERE seq = (SELECT max(seq) FROM outbox))`

/**
 * If the clock was set back between two runs, moves the stored waiting times back by the difference. Otherwise a
 * message's retry or a question's end would wait that much longer. Runs once for each time that the clock was set back.
 * Within a run, a monotonic clock measures waits.
 */
export const settleSetBack = async (database: Database, log: Log, now: number): Promise<void> => {
  const [row] = await database.read(lastTime)
  const last = Number(row?.at ?? 0)
  const back = last - now
  if (back <= 0 || last <= Number(row?.known ?? 0)) return
  await database.write([
    {sql: "UPDATE outbox SET not_before = not_before - ? WHERE state = 'queued' AND not_before > 0", args: [back]},
    {
      sql: `UPDATE outbox SET aged_from = coalesce(aged_from, created_at) - ?1, not_after = not_after - ?1
        WHERE state IN ('queued', 'sending', 'unknown') AND coalesce(aged_from, created_at) > ?2`,
      args: [back, now],
    },
    {sql: "UPDATE buttons SET expires_at = expires_at - ?", args: [back]},
    {sql: "UPDATE prompts SET expires_at = expires_at - ? WHERE answer_seq IS NULL", args: [back]},
    {
      sql: `INSERT INTO svc_meta (key, value) VALUES ('clock.set_back', ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      args: [String(last)],
    },
  ])
  log.warn(
    `the clock is ${Math.ceil(back / 1000)} s behind the latest stored time; moved the times of waiting messages, buttons and questions back accordingly`,
  )
}
