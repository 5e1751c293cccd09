import {isProblem} from "../../shared/problems.ts"
import {assertThat} from "../database/database.ts"
import {groupCommitted, persist} from "../database/persist.ts"
import {isOpen, requireRun} from "./find-run.ts"
import {sayingOf} from "./runs/answer.ts"
import {giveBack} from "./runs/end.ts"
import type {Engine} from "./runs/engine.ts"
import {closingSteps, endingRun, runOf} from "./runs/run-rows.ts"
import {storing} from "./runs/write.ts"

/**
 * Cancels a run that has not ended, with its steps and approvals. Notifies its conversation, and blocks its work item.
 * Resolves to the number of the run. Throws `agent_run_unknown`, `agent_run_state`.
 */
export const cancelRun = async (engine: Engine, runId: string, why: string): Promise<number> => {
  const {database, clock, log, outbox} = engine
  const run = runOf(await requireRun(database, runId, isOpen, "has ended"))
  if (run.item !== undefined) await giveBack(engine, run, run.item, `cancelled ${why}`)
  const say = await engine.sayFor(run)
  const sends = sayingOf(run, say("agent.cancelled", {run: runId}))
  const at = clock.now()
  const end = {state: "cancelled", reason: "cancelled", error: why} as const
  const batch = [
    assertThat(
      "EXISTS (SELECT 1 FROM agent_runs WHERE seq = ? AND state NOT IN ('succeeded', 'failed', 'cancelled'))",
      [run.seq],
    ),
    ...closingSteps(run.seq, "cancelled", at),
    ...storing(sends, at),
    endingRun(run.seq, end, at),
  ]
  let tries = 0
  await persist(`the end of run ${runId}`, log, async () => {
    tries++
    await database.write(batch).catch(async error => {
      if (!isProblem(error, "database_refused")) throw error
      await groupCommitted(database)
      const row = await requireRun(database, runId, () => true, "")
      // An earlier attempt stored it, and its answer was lost.
      if (tries > 1 && row.state === "cancelled" && Number(row.ended_at) === at) return
      await requireRun(database, runId, isOpen, "has ended")
      throw error
    })
  })
  outbox.stored(sends)
  return run.seq
}
