import {persist} from "../../database/persist.ts"
import {type Approval, askApproval, readApproval} from "../approval/approvals.ts"
import type {After, Engine} from "../runs/engine.ts"
import {parkingForApproval} from "../runs/run-rows.ts"
import {isRun, writeFenced} from "../runs/write.ts"
import type {AgentTool} from "../tools/tool.ts"
import {type Call, noteInJournal, shownBy} from "./call.ts"
import {endStep, told} from "./tool-end.ts"

/** If a person must approve the call: asks, waits, or handles the decision. */
export const permit = async (engine: Engine, call: Call): Promise<After | "may"> => {
  const {run, binding, step, tool, args, facts, equals} = call
  const isRepeated = equals.some(({state}) => state === "unknown")
  if (!tool.approval && !isRepeated && step.state !== "waiting") return "may"
  const {database, log} = engine
  const approval = await persist(`run ${run.runId}`, log, () => readApproval(database, run.seq, step.n))
  if (approval === undefined) {
    const shown = engine.hide(shownBy(tool, args, facts))
    await noteInJournal(engine, call, "asked", `Asks to call ${tool.name}: ${shown}`)
    await askApproval(engine, run, binding, {step, tool, shown, isRepeated})
    return "is over"
  }
  if (approval.state === "waiting" || approval.state === "held") {
    await writeFenced(
      engine,
      run,
      [parkingForApproval(run, step.n, approval.expiresAt)],
      isRun(engine, run, ["waiting", "queued"]),
    )
    return "is over"
  }
  await noteInJournal(engine, call, "decided", decisionOf(approval, tool))
  if (approval.state === "approved") return "may"
  const reason = approval.state === "denied" ? "approval_denied" : "approval_expired"
  const why = approval.state === "denied" ? "a person denied this call" : "nobody approved this call in time"
  const word = approval.reason === undefined ? "" : `, and said: ${approval.reason}`
  return endStep(engine, run, step, {state: "refused", reason, result: told(`${why}${word}`)})
}

const decisionOf = ({state, decidedBy, reason}: Approval, {name}: AgentTool): string => {
  const by = decidedBy === undefined ? "" : ` by ${decidedBy}`
  return `The call of ${name} was ${state}${by}${reason === undefined ? "" : `: ${reason}`}`
}
