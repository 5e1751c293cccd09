import type {AgentReason} from "../../../shared/agents/states.ts"
import {persist} from "../../database/persist.ts"
import {callModel} from "../calls/model-step.ts"
import {callTool} from "../calls/tool-step.ts"
import {actorOf, isFor, tryCommandOnce} from "../items.ts"
import {fail, itemTaken, succeed} from "./end.ts"
import type {Engine} from "./engine.ts"
import {nextOf} from "./next.ts"
import {type AgentRun, closingSteps, endingRun, parking, requeueing, runOf} from "./run-rows.ts"
import {runLimitOf} from "./spending.ts"
import {type Step, selectSteps, stepOf} from "./step-rows.ts"
import {isRun, writeFenced} from "./write.ts"

/**
 * Works on a run until it ends, waits, or is left to the next start. Each next action is read from the rows, so a run
 * continues after a kill as if nothing had happened.
 */
export const work = async (
  engine: Engine,
  claimed: AgentRun,
  signal: AbortSignal,
): Promise<"waits for ingress" | undefined> => {
  for (;;) {
    signal.throwIfAborted()
    if (engine.isStopping()) {
      await leave(engine, claimed)
      return undefined
    }
    const found = await read(engine, claimed)
    if (found === undefined) return undefined
    const {run, steps} = found
    if (engine.isPaused()) {
      await writeFenced(engine, run, [parking(run, "ingress")], isRun(engine, run, ["waiting"]))
      return "waits for ingress"
    }
    if ((await step(engine, run, steps, signal)) === "is over") return undefined
  }
}

const leave = (engine: Engine, run: AgentRun) =>
  writeFenced(engine, run, [requeueing(run)], isRun(engine, run, ["queued"]))

const read = async (
  {database, log}: Engine,
  {seq, attempt, runId}: AgentRun,
): Promise<{readonly run: AgentRun; readonly steps: readonly Step[]} | undefined> =>
  persist(`run ${runId}`, log, async () => {
    const [row] = await database.read("SELECT * FROM agent_runs WHERE seq = ? AND attempt = ? AND state = 'running'", [
      seq,
      attempt,
    ])
    if (row === undefined) return undefined
    return {run: runOf(row), steps: (await database.read(selectSteps, [seq])).map(stepOf)}
  })

/**
 * Returns whether the item still belongs to the agent. Claims it before the first step. A submitted item may be done
 * before its run ends.
 */
const isStillOurs = async (
  engine: Engine,
  {runId, agent}: AgentRun,
  id: number,
  {isFirst, isLast}: {readonly isFirst: boolean; readonly isLast: boolean},
) => {
  const actor = actorOf(agent)
  const item = engine.workroom.items.find(each => each.id === id)
  if (!isFor(item, agent, isLast)) return false
  if (isFirst && item.state === "open")
    await tryCommandOnce(engine, {
      actor,
      item: id,
      request: `${runId}/claim`,
      command: {is: "claim", assignee: actor},
    })
  return true
}

/** Ends a run whose item was reassigned. */
const over = async (engine: Engine, run: AgentRun): Promise<"is over"> => {
  const at = engine.clock.now()
  const end = {state: "cancelled", reason: "cancelled", error: itemTaken} as const
  const batch = [...closingSteps(run.seq, "cancelled", at), endingRun(run.seq, end, at)]
  await writeFenced(engine, run, batch, isRun(engine, run, ["cancelled"]))
  return "is over"
}

const step = async (
  engine: Engine,
  run: AgentRun,
  steps: readonly Step[],
  signal: AbortSignal,
): Promise<"goes on" | "is over"> => {
  const giveUp = async (reason: AgentReason) => {
    await fail(engine, run, reason)
    return "is over" as const
  }
  const binding = engine.bindingOf(run.agent)
  if (binding === undefined) return giveUp("binding_missing")
  const next = nextOf(steps)
  const at = {isFirst: steps.length === 0, isLast: next.is === "answer"}
  if (run.item !== undefined && !(await isStillOurs(engine, run, run.item, at))) return over(engine, run)
  if (next.is === "answer") {
    await succeed(engine, run, next.reply.text, next.reply.finish === "length" ? {reason: "answer_cut"} : {})
    return "is over"
  }
  const limit = runLimitOf(run, binding.config)
  // The model and people learn of an interrupted call whatever the limits are.
  if (limit !== undefined && next.is !== "again") return giveUp(limit)
  return next.is === "model"
    ? callModel(engine, run, binding, steps, next.n, signal)
    : callTool(engine, run, binding, steps, next.step, signal)
}
