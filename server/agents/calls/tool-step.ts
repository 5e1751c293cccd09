import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentReason} from "../../../shared/agents/states.ts"
import {fromJson} from "../../../shared/json.ts"
import {tryOr} from "../../../shared/try-or.ts"
import {canonical} from "../../workroom/store/record.ts"
import type {Attempt} from "../runs/attempt.ts"
import {calledAs} from "../runs/conversation.ts"
import {fail} from "../runs/end.ts"
import type {After} from "../runs/engine.ts"
import type {Step, ToolStep} from "../runs/step-rows.ts"
import {checkArguments} from "../tools/arguments.ts"
import {mayCall} from "../tools/resolve.ts"
import {type Call, factsOf, shownBy} from "./call.ts"
import {perform, permit} from "./perform.ts"
import {cutOff, endStep, told} from "./tool-end.ts"

/** Returns earlier steps with the same call. */
const equalsOf = (steps: readonly Step[], step: ToolStep): readonly ToolStep[] => {
  const wanted = comparable(step.call)
  return steps.filter(
    (each): each is ToolStep =>
      each.kind === "tool" && each.n < step.n && each.tool === step.tool && comparable(each.call) === wanted,
  )
}

const compared = new WeakMap<ToolStep["call"], string>()

/** Returns the same text for equal arguments, however they are written. */
const comparable = (call: ToolStep["call"]): string => {
  const {input} = call
  const text = compared.get(call) ?? tryOr(() => canonical(fromJson(input.trim() === "" ? "{}" : input)), input)
  compared.set(call, text)
  return text
}

/** A run that makes the same call this often is stuck. */
const mostEqual = 5

/** A call during which the Host or the plugin has ended this often is not started again. */
const mostBegun = 3

/** Makes the call of a step, or tells the model why not. */
export const callTool = async (
  attempt: Attempt,
  binding: Binding,
  step: ToolStep,
  signal: AbortSignal,
): Promise<After> => {
  const {engine, run, steps} = attempt
  const refuse = (reason: AgentReason, why: string) =>
    endStep(attempt, step, {state: "refused", reason, result: told(why)})
  const tool = engine.toolsOf(binding, run).get(step.tool)
  const checked = tool && checkArguments(tool, step.call.input)
  const facts = factsOf(engine, run, binding)
  const isGivenUp = step.state === "begun" && step.begun >= mostBegun
  const stopped =
    step.effect === "external"
      ? "the Host stopped during the call"
      : `the Host or its plugin ended ${step.begun} times while ${step.tool} ran`
  if (step.state === "begun" && (step.effect === "external" || (isGivenUp && step.effect === "idempotent"))) {
    const shown =
      tool !== undefined && checked?.is === "fit"
        ? shownBy(tool, checked.args, facts)
        : `${step.tool} ${step.call.input}`
    return cutOff({attempt, binding, step}, shown, stopped)
  }
  if (isGivenUp) {
    return endStep(attempt, step, {state: "failed", reason: "tool_failed", error: stopped, result: told(stopped)})
  }
  if (tool === undefined || checked === undefined) {
    const known = [...engine.toolsOf(binding, run).keys()].join(", ") || "none"
    return refuse("tool_unknown", `there is no tool ${calledAs(steps, step)}; there is ${known}`)
  }
  if (checked.is === "wrong") return refuse("tool_arguments", checked.message)
  if (tool.isOfRun !== true && !mayCall(tool, facts.permission)) {
    const who = run.place.user === undefined ? "this run" : "the user who asked"
    return refuse("tool_denied", `${who} does not have the permission ${tool.permission}, which ${tool.name} needs`)
  }
  const refusal = tool.refusal?.(checked.args, binding, facts)
  if (refusal !== undefined) return refuse("tool_refused", refusal)
  const equals = equalsOf(steps, step)
  if (equals.length >= mostEqual) {
    const why = `${tool.name} was asked for ${mostEqual + 1} times with the same arguments`
    return fail(attempt, "tools_endless", why)
  }
  const call: Call = {attempt, binding, step, tool, args: checked.args, facts, equals}
  const asked = await permit(call)
  if (asked !== "may") return asked
  return perform(call, signal)
}
