import type {Log} from "../../../shared/log.ts"
import {lasting} from "../../database/buttons/button-id.ts"
import type {Database} from "../../database/database.ts"
import {metaSql, setMeta} from "../../database/state/meta.ts"
import {selectRunTimes} from "../../database/state/runs.ts"
import {selectOnlineTime} from "../../endpoints/gaps/gaps.ts"
import {selectNewestTime} from "../../outbox/look-ups.ts"
import {settingBack} from "../../outbox/upkeep/set-back.ts"

const knownKey = "clock.set_back"

/** The latest time that earlier runs have stored, and the one that was already handled. */
const lastTime = `SELECT max(at) AS at, ${metaSql(knownKey)} AS known FROM (${selectRunTimes} UNION ALL ${selectOnlineTime}
  UNION ALL SELECT received_at FROM inbox WHERE seq = (SELECT max(seq) FROM inbox) UNION ALL ${selectNewestTime})`

/**
 * If the clock was set back between two runs, moves the stored waiting times back by the difference. Otherwise a
 * message's retry or a question's end would wait that much longer. Runs once for each time that the clock was set back.
 * Within a run, a monotonic clock measures waits.
 */
export const moveBackWaits = async (database: Database, log: Log, now: number): Promise<void> => {
  const [row] = await database.read(lastTime)
  const last = Number(row?.at ?? 0)
  const back = last - now
  if (back <= 0 || last <= Number(row?.known ?? 0)) return
  await database.write([
    ...settingBack(back, now),
    {sql: "UPDATE buttons SET expires_at = expires_at - ? WHERE expires_at < ?", args: [back, lasting]},
    {sql: "UPDATE prompts SET expires_at = expires_at - ? WHERE answer_seq IS NULL", args: [back]},
    setMeta(knownKey, String(last)),
  ])
  log.warn(
    `the clock is ${Math.ceil(back / 1000)} s behind the latest stored time; moved the times of waiting messages, buttons and questions back accordingly`,
  )
}
