import {toJson} from "../../../shared/json.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import {persist} from "../../database/persist.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {type Approval, askApproval, readApproval} from "../approval/approvals.ts"
import {type After, AttemptOver, type Engine} from "../runs/engine.ts"
import {parkingForApproval} from "../runs/run-rows.ts"
import {beginningTool, type ToolStep} from "../runs/step-rows.ts"
import {type AgentTool, ToolCutOff, type ToolResult, type ToolUse} from "../runs/tool.ts"
import {never, runIs} from "../runs/write.ts"
import {checkArguments} from "../tools/arguments.ts"
import {type Call, noteInJournal, shownBy} from "./call.ts"
import {cutOff, endStep, told} from "./tool-end.ts"

/** Stores the row before, makes the call, and stores the row after with the call's results. */
export const perform = async (asked: Call, signal: AbortSignal): Promise<After> => {
  const {attempt, binding, tool, args, facts} = asked
  const {engine, run} = attempt
  const {clock, meter} = engine
  const step: ToolStep = {...asked.step, state: "begun", begun: asked.step.begun + 1, effect: tool.effect}
  const beginning = [beginningTool(run.seq, step.n, tool.effect, clock.now())]
  await attempt.write({statements: beginning, added: {steps: 1}, steps: [step]}, never)
  const call = {...asked, step}
  const began = clock.elapsed()
  const took = () => clock.elapsed() - began
  try {
    const key = `${run.runId}/${step.n}`
    const limit = Math.min(tool.timeout, Math.max(1, binding.config.limits.seconds * 1000 - run.active))
    const use = {args, key, run: facts, binding, now: clock.now()}
    const work = (ending: AbortSignal) => runTool(call, {...use, signal: ending})
    const result = await withTimeLimit(limit, work, signal)
    meter.toolEnded(run.agent, tool.name, took() / 1000, "done")
    return await endWith(call, result, took())
  } catch (error) {
    signal.throwIfAborted()
    const isLate = error instanceof TimeLimitExceeded
    const why = isLate ? `it had ${error.message}` : messageOf(error)
    if (tool.effect === "external" && (isLate || error instanceof ToolCutOff)) {
      meter.toolEnded(run.agent, tool.name, took() / 1000, "unknown")
      return cutOff(call, shownBy(tool, args, facts), why, took())
    }
    if (!isLate && isOurs(engine, error)) throw error
    // The plugin was reloaded. The step stays started, and the new instance runs it again.
    if (error instanceof ToolCutOff) return "goes on"
    meter.toolEnded(run.agent, tool.name, took() / 1000, "failed")
    const reason = isLate ? "tool_timeout" : "tool_failed"
    return endStep(attempt, step, {state: "failed", reason, error: why, result: told(why)}, took())
  }
}

/** While the database fails, repeats a call that may be repeated. */
const runTool = async (call: Call, use: ToolUse): Promise<ToolResult> => {
  const {engine, run} = call.attempt
  const attempt = async () => {
    use.signal.throwIfAborted()
    const {tool, args} = inCurrentPlugin(call)
    return tool.run({...use, args})
  }
  return call.tool.effect === "external" ? attempt() : persist(`run ${run.runId}`, engine.log, attempt)
}

/** Returns the equal tool of the current generation: a reload may have ended the plugin while a row was stored. */
const inCurrentPlugin = ({attempt: {engine, run}, binding, step, tool, args}: Call): Pick<Call, "tool" | "args"> => {
  const current = engine.toolsOf(binding, run).get(tool.name)
  const checked = current?.effect === tool.effect ? checkArguments(current, step.call.input) : undefined
  return current !== undefined && checked?.is === "fit" ? {tool: current, args: checked.args} : {tool, args}
}

/** Whether an error is not the tool's own. */
const isOurs = ({isStopping}: Engine, error: unknown): boolean =>
  (isProblem(error, "stopping") && isStopping()) || error instanceof AttemptOver

const endWith = async ({attempt, step}: Call, result: ToolResult, active: number): Promise<After> => {
  try {
    const after = await endStep(attempt, step, {state: "done", result: textOf(result.value)}, active, result)
    result.stored?.()
    return after
  } finally {
    result.release?.()
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (toJson(value) ?? "done"))

/** If a person must approve the call: asks, waits, or handles the decision. */
export const permit = async (call: Call): Promise<After | "may"> => {
  const {attempt, binding, step, tool, args, facts, equals} = call
  const {engine, run} = attempt
  const isRepeated = equals.some(({state}) => state === "unknown")
  if (!tool.approval && !isRepeated && step.state !== "waiting") return "may"
  const {database, log} = engine
  const approval = await persist(`run ${run.runId}`, log, () => readApproval(database, run.seq, step.n))
  if (approval === undefined) {
    const shown = engine.hide(shownBy(tool, args, facts))
    await noteInJournal(call, "asked", `Asks to call ${tool.name}: ${shown}`)
    await askApproval(attempt, binding, {step, tool, shown, isRepeated})
    return "is over"
  }
  if (approval.state === "waiting" || approval.state === "held") {
    const statements = [parkingForApproval(run, step.n, approval.expiresAt)]
    await attempt.write({statements}, runIs("waiting", "queued"))
    return "is over"
  }
  await noteInJournal(call, "decided", decisionOf(approval, tool))
  if (approval.state === "approved") return "may"
  const reason = approval.state === "denied" ? "approval_denied" : "approval_expired"
  const why = approval.state === "denied" ? "a person denied this call" : "nobody approved this call in time"
  const word = approval.reason === undefined ? "" : `, and said: ${approval.reason}`
  return endStep(attempt, step, {state: "refused", reason, result: told(`${why}${word}`)})
}

const decisionOf = ({state, decidedBy, reason}: Approval, {name}: AgentTool): string => {
  const by = decidedBy === undefined ? "" : ` by ${decidedBy}`
  return `The call of ${name} was ${state}${by}${reason === undefined ? "" : `: ${reason}`}`
}
