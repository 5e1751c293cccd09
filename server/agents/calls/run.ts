import {bindingFor} from "../memory/summary.ts"
import type {ModelReply} from "../providers/model.ts"
import type {Attempt} from "../runs/attempt.ts"
import {fail, itemTaken, succeed} from "../runs/end.ts"
import type {After, Engine} from "../runs/engine.ts"
import {actorOf, isFor, tryCommandOnce} from "../runs/items.ts"
import {type AgentRun, closingSteps, endingRun, parking, requeueing} from "../runs/run-rows.ts"
import {runLimitOf} from "../runs/spending.ts"
import type {Step, ToolStep} from "../runs/step-rows.ts"
import {runIs} from "../runs/write.ts"
import {callModel} from "./model-step.ts"
import {callTool} from "./tool-step.ts"

type Next =
  /** Call the model, as the step with this number. */
  | {readonly is: "model"; readonly n: number}
  /** Make a call that has not begun. */
  | {readonly is: "tool"; readonly step: ToolStep}
  /** Repeat a call that was begun when the Host or its attempt ended. */
  | {readonly is: "again"; readonly step: ToolStep}
  | {readonly is: "approval"; readonly step: ToolStep}
  | {readonly is: "answer"; readonly reply: ModelReply}

/** Returns the next action. Pure: the same rows always lead to the same action. */
export const nextOf = (steps: readonly Step[]): Next => {
  const open = steps.find(({state}) => !["done", "failed", "unknown", "refused"].includes(state))
  if (open?.kind === "model") return {is: "model", n: open.n}
  if (open?.kind === "tool") {
    if (open.state === "begun") return {is: "again", step: open}
    return {is: open.state === "waiting" ? "approval" : "tool", step: open}
  }
  const last = steps.at(-1)
  if (last === undefined || last.kind === "tool") return {is: "model", n: (last?.n ?? 0) + 1}
  if (last.reply === undefined) throw new Error(`step ${last.n} is ${last.state}, and has no reply`)
  return {is: "answer", reply: last.reply}
}

/**
 * Works on a run until it ends, waits, or is left to the next start. Each next action is read from the steps, so a run
 * continues after a kill as if nothing had happened.
 */
export const work = async (attempt: Attempt, signal: AbortSignal): Promise<"waits for ingress" | undefined> => {
  const {engine} = attempt
  for (;;) {
    if (signal.aborted) await attempt.flush()
    signal.throwIfAborted()
    if (engine.isStopping()) {
      await attempt.write({statements: [requeueing(attempt.run)]}, runIs("queued"))
      return undefined
    }
    if (engine.isPaused()) {
      await attempt.write({statements: [parking(attempt.run, "ingress")]}, runIs("waiting"))
      return "waits for ingress"
    }
    if ((await step(attempt, signal)) === "is over") return undefined
  }
}

/** Returns whether the item still belongs to the agent; claims it before the first step. A run may outlive its item. */
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
    await tryCommandOnce(engine, {actor, item: id, request: `${runId}/claim`, command: {is: "claim", assignee: actor}})
  return true
}

/** Ends a run whose item was reassigned. */
const over = async (attempt: Attempt): Promise<After> => {
  const {seq} = attempt.run
  const at = attempt.engine.clock.now()
  const end = {state: "cancelled", reason: "cancelled", error: itemTaken} as const
  const statements = [...closingSteps(seq, "cancelled", at), endingRun(seq, end, at)]
  await attempt.write({statements}, runIs("cancelled"))
  return "is over"
}

const step = async (attempt: Attempt, signal: AbortSignal): Promise<After> => {
  const {engine, run, steps} = attempt
  const found = engine.bindingOf(run.agent)
  if (found === undefined) return fail(attempt, "binding_missing")
  const binding = bindingFor(run, found)
  const next = nextOf(steps)
  const at = {isFirst: steps.length === 0, isLast: next.is === "answer"}
  if (run.item !== undefined && !(await isStillOurs(engine, run, run.item, at))) return over(attempt)
  if (next.is === "answer") return succeed(attempt, binding, next.reply)
  const limit = runLimitOf(run, binding.config)
  // The model and people learn of an interrupted call whatever the limits are.
  if (limit !== undefined && next.is !== "again") return fail(attempt, limit)
  await engine.learnTools(binding)
  return next.is === "model"
    ? callModel(attempt, binding, next.n, signal)
    : callTool(attempt, binding, next.step, signal)
}
