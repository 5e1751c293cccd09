import type {AgentReason} from "../../../shared/agents/states.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import {includesPermission} from "../../../shared/sdk/permission.ts"
import {longestKept} from "../../../shared/sdk/values.ts"
import {persist} from "../../database/persist.ts"
import {messageDraft, type OutboxDraft} from "../../outbox/draft.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {type Approval, askApproval, readApproval} from "../approval/approvals.ts"
import type {Binding} from "../bindings/binding.ts"
import {itemText, tryCommandOnce} from "../items.ts"
import {checkArguments} from "../tools/arguments.ts"
import {cut} from "../tools/result.ts"
import {type AgentTool, type RunFacts, ToolCutOff, type ToolResult, type ToolUse} from "../tools/tool.ts"
import {storing} from "./answer.ts"
import {calledAs} from "./conversation.ts"
import {actorOf, fail} from "./end.ts"
import type {Engine} from "./engine.ts"
import type {After} from "./model-step.ts"
import {type AgentRun, parking} from "./run-rows.ts"
import {beginningTool, counting, endingTool, type Step, type ToolEnd, type ToolStep} from "./step-rows.ts"
import {isRun, isStep, never, writeFenced} from "./write.ts"

/** A run that asks for the same call so often has lost its way. */
const mostEqual = 5

/** What the model is told of a call holds so many characters; what its tool has cut has a note behind it. */
const longestResult = longestKept + 256

/** A call that has ended the Host so often is not begun again. */
const mostBegun = 3

/** What a call is made with. */
interface Call {
  readonly run: AgentRun
  readonly binding: Binding
  readonly step: ToolStep
  readonly tool: AgentTool
  readonly args: unknown
  readonly facts: RunFacts
}

/** Does what a step asks for, or says to the model why not. */
export const callTool = async (
  engine: Engine,
  run: AgentRun,
  binding: Binding,
  steps: readonly Step[],
  step: ToolStep,
  signal: AbortSignal,
): Promise<After> => {
  const refuse = (reason: AgentReason, why: string) =>
    endStep(engine, run, step, {state: "refused", reason, result: told(why)})
  const tool = engine.toolsOf(binding, run).get(step.tool)
  const checked = tool && checkArguments(tool, step.call.input)
  const facts = factsOf(engine, run, binding)
  const isGivenUp = step.state === "begun" && step.begun >= mostBegun
  if (step.state === "begun" && (step.effect === "external" || (isGivenUp && step.effect === "idempotent"))) {
    const shown =
      tool !== undefined && checked?.is === "fit"
        ? shownBy(tool, checked.args, facts)
        : `${step.tool} ${step.call.input}`
    return cutOff(engine, {run, binding, step}, shown, "the Host ended while the call was under way")
  }
  if (isGivenUp) {
    const why = `the Host ended ${step.begun} times while ${step.tool} ran`
    return endStep(engine, run, step, {state: "failed", reason: "tool_failed", error: why, result: told(why)})
  }
  if (tool === undefined || checked === undefined) {
    const known = [...engine.toolsOf(binding, run).keys()].join(", ") || "none"
    return refuse("tool_unknown", `there is no tool ${calledAs(steps, step)}; there is ${known}`)
  }
  if (checked.is === "wrong") return refuse("tool_arguments", checked.message)
  const {permission} = facts
  const may = permission !== undefined && includesPermission(permission, tool.permission)
  if (!may && tool.isOfRun !== true) {
    const who = run.place.user === undefined ? "this run" : "the user who asked"
    return refuse("tool_denied", `${who} has not the permission ${tool.permission}, which ${tool.name} needs`)
  }
  const refusal = tool.refusal?.(checked.args, binding, facts)
  if (refusal !== undefined) return refuse("tool_refused", refusal)
  if (equalsOf(steps, step).length >= mostEqual) {
    const why = `${tool.name} was asked for ${mostEqual + 1} times with the same arguments`
    await fail(engine, run, "tools_endless", why)
    return "is over"
  }
  const call: Call = {run, binding, step, tool, args: checked.args, facts}
  const asked = await permit(engine, call, steps)
  if (asked !== "may") return asked
  return perform(engine, call, signal)
}

/** Earlier steps that ask for the same. */
const equalsOf = (steps: readonly Step[], step: ToolStep): readonly ToolStep[] => {
  const wanted = canonical(step.call.input)
  return steps.filter(
    (each): each is ToolStep =>
      each.kind === "tool" && each.n < step.n && each.tool === step.tool && canonical(each.call.input) === wanted,
  )
}

/** Equal for equal arguments, however they are written. */
const canonical = (json: string): string => {
  try {
    return toJson(sorted(fromJson(json.trim() === "" ? "{}" : json)))
  } catch {
    return json
  }
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}

/** What a person is told that a call does. */
const shownBy = (tool: AgentTool, args: unknown, facts: RunFacts): string =>
  tool.describe?.(args, facts) ?? `${tool.name} ${toJson(args)}`

/** Where a person has to agree: asks, waits, or says what was decided. */
const permit = async (engine: Engine, call: Call, steps: readonly Step[]): Promise<After | "may"> => {
  const {run, binding, step, tool, args, facts} = call
  const isRepeated = equalsOf(steps, step).some(({state}) => state === "unknown")
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
    await writeFenced(engine, run, [parking(run, "approval", approval.expiresAt)], isRun(engine, run, ["waiting"]))
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

/** Where the run works on an item, its Journal has question and answer. */
const noteInJournal = async (
  engine: Pick<Engine, "workroom" | "log">,
  {run: {runId, item, agent}, step}: Pick<Call, "run" | "step">,
  what: "asked" | "decided" | "unknown",
  text: string,
): Promise<void> => {
  if (item === undefined) return
  const command = {is: "comment", text: itemText(text)} as const
  await tryCommandOnce(engine, {actor: actorOf(agent), item, request: `${runId}/${step.n}/${what}`, command})
}

const factsOf = (engine: Engine, run: AgentRun, binding: Binding): RunFacts => {
  const {runId, agent, endpoint, channel, place, item} = run
  const {user} = place
  const name = user?.name ?? user?.nick
  return {
    runId,
    agent,
    endpoint,
    channel,
    user: user && {id: user.id, ...(name === undefined ? {} : {name})},
    place,
    item,
    actor: actorOf(agent),
    permission: engine.permissionOf(run, binding),
  }
}

/** The row before, the call, and the row after with what the call leaves behind. */
const perform = async (engine: Engine, call: Call, signal: AbortSignal): Promise<After> => {
  const {run, binding, step, tool, args, facts} = call
  const {clock, meter} = engine
  await writeFenced(
    engine,
    run,
    [beginningTool(run.seq, step.n, tool.effect, clock.now()), counting(run.seq, {steps: 1})],
    never,
  )
  const began = clock.elapsed()
  const took = () => clock.elapsed() - began
  try {
    const key = `${run.runId}/${step.n}`
    const limit = Math.min(tool.timeout, Math.max(1, binding.config.limits.seconds * 1000 - run.active))
    const use = {args, key, run: facts, binding, now: clock.now()}
    const work = (ending: AbortSignal) => runTool(engine, call, {...use, signal: ending})
    const result = await withTimeLimit(limit, work, signal)
    meter.toolEnded(run.agent, tool.name, took() / 1000, "done")
    return await endWith(engine, call, result, took())
  } catch (error) {
    signal.throwIfAborted()
    const isLate = error instanceof TimeLimitExceeded
    const why = isLate ? `it had ${error.message}` : messageOf(error)
    if (tool.effect === "external" && (isLate || error instanceof ToolCutOff)) {
      meter.toolEnded(run.agent, tool.name, took() / 1000, "unknown")
      return cutOff(engine, call, shownBy(tool, args, facts), why, took())
    }
    if (!isLate && isOurs(engine, error)) throw error
    // Its plugin was loaded anew: the step is begun, and is run again by what there is now.
    if (error instanceof ToolCutOff) return "goes on"
    meter.toolEnded(run.agent, tool.name, took() / 1000, "failed")
    const reason = isLate ? "tool_timeout" : "tool_failed"
    return endStep(engine, run, step, {state: "failed", reason, error: why, result: told(why)}, took())
  }
}

/** While the database fails, a call that may be repeated is. */
const runTool = async ({log}: Engine, {run: {runId}, tool}: Call, use: ToolUse): Promise<ToolResult> => {
  if (tool.effect === "external") return tool.run(use)
  return persist(`run ${runId}`, log, async () => {
    use.signal.throwIfAborted()
    return tool.run(use)
  })
}

/** What is not the tool's failure. */
const isOurs = ({isStopping}: Engine, error: unknown): boolean =>
  (isProblem(error, "stopping") && isStopping()) || (error instanceof Error && error.name === "AttemptOver")

const endWith = async (engine: Engine, {run, step}: Call, result: ToolResult, active: number): Promise<After> => {
  const {value, sends = [], statements = []} = result
  try {
    const end = {state: "done", result: cut(engine.hide(textOf(value)), longestResult)} as const
    await writeFenced(
      engine,
      run,
      [
        ...storing(sends, engine.clock.now()),
        ...statements,
        endingTool(run.seq, step.n, end, engine.clock.now()),
        counting(run.seq, {active}),
      ],
      isStep(engine, run.seq, step.n, ["done"]),
    )
    engine.outbox.stored(sends)
    result.stored?.()
    return "goes on"
  } finally {
    result.release?.()
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (toJson(value) ?? "done"))

/** What the model reads of a call that has no result. */
const told = (why: string): string => toJson({error: why})

const endStep = async (engine: Engine, run: AgentRun, step: ToolStep, end: ToolEnd, active = 0): Promise<After> => {
  const hidden = {
    ...end,
    result: cut(engine.hide(end.result), longestResult),
    ...(end.error === undefined ? {} : {error: engine.hide(end.error)}),
  }
  // What is refused before it has begun is a step too: a model that asks for nothing else comes to an end.
  const steps = end.state === "refused" ? 1 : 0
  await writeFenced(
    engine,
    run,
    [endingTool(run.seq, step.n, hidden, engine.clock.now()), counting(run.seq, {steps, active})],
    isStep(engine, run.seq, step.n, [end.state]),
  )
  return "goes on"
}

/** A call that may have been done: the model and people are told, and it is not repeated by itself. */
const cutOff = async (
  engine: Engine,
  call: Pick<Call, "run" | "binding" | "step">,
  what: string,
  why: string,
  active = 0,
): Promise<After> => {
  const {run, binding, step} = call
  const shown = engine.hide(what)
  engine.log.warn(`run ${run.runId}: a call of ${step.tool} was cut off, and may have been done: ${why}`, {
    runId: run.runId,
  })
  await noteInJournal(engine, call, "unknown", `A call of ${step.tool} was cut off, and may have been done: ${shown}`)
  const end: ToolEnd = {
    state: "unknown",
    reason: "tool_unknown_outcome",
    error: why,
    result: toJson({
      unknown: "This call was cut off. It may have been done, or not. Do not repeat it: a person has to look.",
    }),
  }
  const say = await engine.sayFor(run)
  const place =
    binding.config.approval.to ??
    (run.endpoint === undefined || run.channel === undefined
      ? undefined
      : {endpoint: run.endpoint, channel: run.channel})
  const text = `${say("agent.unknown", {agent: run.agent, tool: step.tool})}\n${shown}`
  const sends: readonly OutboxDraft[] = place === undefined ? [] : [messageDraft(place, text)]
  await writeFenced(
    engine,
    run,
    [
      ...storing(sends, engine.clock.now()),
      endingTool(run.seq, step.n, end, engine.clock.now()),
      counting(run.seq, {active}),
    ],
    isStep(engine, run.seq, step.n, ["unknown"]),
  )
  engine.outbox.stored(sends)
  return "goes on"
}
