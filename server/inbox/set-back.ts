import type {Log} from "../../shared/log.ts"
import type {Database} from "../database/database.ts"

/** The latest time that earlier runs have stored; svc_meta has the one that was dealt with. */
const lastTime = `SELECT max(at) AS at, (SELECT value FROM svc_meta WHERE key = 'clock.set_back') AS known FROM (
  SELECT max(started_at) AS at FROM svc_runs UNION ALL SELECT max(ended_at) FROM svc_runs
  UNION ALL SELECT max(seen_at) FROM endpoint_online
  UNION ALL SELECT received_at FROM inbox WHERE seq = (SELECT max(seq) FROM inbox)
  UNION ALL SELECT created_at FROM outbox WHERE seq = (SELECT max(seq) FROM outbox))`

/**
 * Where the clock was set back between two runs, what waits for a time of the old clock (a message for its next attempt, a
 * question for its end) waits for that time less the difference, so that nothing hangs for as long. Done once for each
 * setting back; within a run, waits are counted by a clock that does not go back.
 */
export const settleSetBack = async (database: Database, log: Log, now: number): Promise<void> => {
  const [row] = await database.read(lastTime)
  const last = Number(row?.at ?? 0)
  const back = last - now
  if (back <= 0 || last <= Number(row?.known ?? 0)) return
  await database.write([
    {sql: "UPDATE outbox SET not_before = not_before - ? WHERE state = 'queued' AND not_before > 0", args: [back]},
    {sql: "UPDATE buttons SET expires_at = expires_at - ?", args: [back]},
    {sql: "UPDATE prompts SET expires_at = expires_at - ? WHERE answer_seq IS NULL", args: [back]},
    {
      sql: `INSERT INTO svc_meta (key, value) VALUES ('clock.set_back', ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      args: [String(last)],
    },
  ])
  log.warn(
    `the clock is ${Math.ceil(back / 1000)} s behind what was stored last: what waits is not kept waiting for it`,
  )
}
