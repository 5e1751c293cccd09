import {toJson} from "../../../shared/json.ts"
import {longestKept} from "../../../shared/sdk/session/values.ts"
import {messageDraft} from "../../outbox/draft.ts"
import type {Attempt} from "../runs/attempt.ts"
import type {After} from "../runs/engine.ts"
import {conversationOf} from "../runs/run-rows.ts"
import {endingTool, type ToolEnd, type ToolStep} from "../runs/step-rows.ts"
import type {ToolResult} from "../runs/tool.ts"
import {cut} from "../runs/tool-result.ts"
import {type Call, noteInJournal} from "./call.ts"

/** The most characters of a call's result for the model. The extra ones hold the note after a result that was cut. */
const longestResult = longestKept + 256

/** Returns the text that the model reads for a call without a result. */
export const told = (why: string): string => toJson({error: why})

/** Ends a step, with what the call stores in the same batch. An end waits only if the call may well be made again. */
export const endStep = async (
  attempt: Attempt,
  step: ToolStep,
  end: ToolEnd,
  active = 0,
  {sends = [], statements = []}: Pick<ToolResult, "sends" | "statements"> = {},
): Promise<After> => {
  const {engine, run} = attempt
  const hidden = {
    ...end,
    result: cut(engine.hide(end.result), longestResult),
    ...(end.error === undefined ? {} : {error: engine.hide(end.error)}),
  }
  // A refusal counts as a step, so that a run whose model only makes refused calls ends.
  const added = {steps: end.state === "refused" ? 1 : 0, active}
  const ending = endingTool(run.seq, step.n, hidden, engine.clock.now())
  const ended = {...step, state: end.state, result: hidden.result}
  const isRepeatable = end.state === "refused" || step.effect === "none" || step.effect === "idempotent"
  await attempt.end(
    {n: step.n, state: end.state, statements: [...statements, ending], added, steps: [ended], sends},
    {mayWait: isRepeatable && statements.length + sends.length === 0},
  )
  return "goes on"
}

/** Ends a call that may have taken effect: svc tells the model and people, and does not repeat it on its own. */
export const cutOff = async (
  call: Pick<Call, "attempt" | "binding" | "step">,
  what: string,
  why: string,
  active = 0,
): Promise<After> => {
  const {attempt, binding, step} = call
  const {engine, run} = attempt
  const shown = engine.hide(what)
  engine.log.warn(`run ${run.runId}: a call of ${step.tool} was interrupted, and may have taken effect: ${why}`, {
    runId: run.runId,
  })
  await noteInJournal(call, "unknown", `A call of ${step.tool} was interrupted, and may have taken effect: ${shown}`)
  const end: ToolEnd = {
    state: "unknown",
    reason: "tool_unknown_outcome",
    error: why,
    result: toJson({
      unknown: "This call was interrupted. It may or may not have taken effect. Do not repeat it: a person must check.",
    }),
  }
  const say = await engine.sayFor(run)
  const place = binding.config.approval.to ?? conversationOf(run)
  const text = `${say("agent.unknown", {agent: run.agent, tool: step.tool})}\n${shown}`
  return endStep(attempt, step, end, active, place === undefined ? {} : {sends: [messageDraft(place, text)]})
}
