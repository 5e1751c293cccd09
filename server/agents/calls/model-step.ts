import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentReason} from "../../../shared/agents/states.ts"
import {toJson} from "../../../shared/json.ts"
import {isProblem} from "../../../shared/problems.ts"
import {persist} from "../../database/persist.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {type Context, contextOf} from "../context/request.ts"
import {hideIn, hideInJson} from "../providers/hiding.ts"
import type {ModelReply} from "../providers/model.ts"
import {estimateTokens, priceOf} from "../providers/tokens.ts"
import {StreamedAnswer} from "../runs/answer.ts"
import {modelNameOf, unknownTool} from "../runs/conversation.ts"
import {fail, succeed} from "../runs/end.ts"
import type {After, Engine} from "../runs/engine.ts"
import {type AgentRun, shownIn} from "../runs/run-rows.ts"
import {dayLimitOf, dayOf, reserve, spending, spendingOfRun} from "../runs/spending.ts"
import {beginningModel, counting, endingModel, planning, type Step} from "../runs/step-rows.ts"
import {never, stepIs, writeFenced} from "../runs/write.ts"
import {type Call, empty, failureOf, settling, tryAgain} from "./model-failure.ts"

/** Calls the model once. Its row is stored before, with the reserved amount, and after, with the amount used. */
export const callModel = async (
  engine: Engine,
  run: AgentRun,
  binding: Binding,
  steps: readonly Step[],
  n: number,
  signal: AbortSignal,
): Promise<After> => {
  const context = await contextOf(engine, run, binding, steps)
  const {request} = context
  const estimate = estimateTokens(request)
  const reserved = reserve(run, binding.config, estimate)
  if (typeof reserved === "string") return fail(engine, run, reserved)
  const day = dayOf(engine.clock.now())
  const call: Call = {run, binding, n, reserved, day}
  const passed = await begin(engine, call, context)
  if (passed !== undefined) return fail(engine, run, passed)
  const began = engine.clock.elapsed()
  const streamed = new StreamedAnswer(engine, run)
  const place = shownIn(run)
  if (place !== undefined) engine.endpoints.typing(place.endpoint, place.channel)
  const meter = (outcome: "done" | "failed") =>
    engine.meter.modelEnded(run.agent, (engine.clock.elapsed() - began) / 1000, outcome)
  const onUnknown = (what: string) => {
    engine.meter.unknownMet(run.agent)
    engine.log.debug(`the answer for run ${run.runId} has something that svc does not know: ${what}`)
  }
  try {
    const model = await engine.modelOf(binding)
    const limit = Math.min(binding.config.limits.call * 1000, binding.config.limits.seconds * 1000 - run.active)
    const work = (ending: AbortSignal) =>
      model.call({...request, output: reserved.output}, {signal: ending, onText: streamed.add, onUnknown})
    const reply = await withTimeLimit(limit, work, signal)
    meter("done")
    const answered = {...run, message: await streamed.end()}
    return await end(engine, {...call, run: answered}, reply, {estimate, active: engine.clock.elapsed() - began})
  } catch (error) {
    const failed = {...run, message: await streamed.end()}
    signal.throwIfAborted()
    const active = engine.clock.elapsed() - began
    if (isProblem(error, "agent_misconfigured")) return fail(engine, failed, "binding_misconfigured", error.message)
    const failure = failureOf(error)
    if (failure === undefined) throw error
    meter("failed")
    return tryAgain(engine, {...call, run: failed}, failure, active)
  }
}

/** Starts a call if the limits of the day allow it. Resolves to the limit that does not. */
const begin = async (
  engine: Engine,
  {run, binding, n, reserved, day}: Call,
  {request, sent}: Context,
): Promise<AgentReason | undefined> => {
  const {database, log, clock} = engine
  return engine.inTurn(run.agent, async () => {
    const passed = await persist(`run ${run.runId}`, log, () =>
      dayLimitOf(database, run, binding.config, day, reserved),
    )
    if (passed !== undefined) return passed
    const input = toJson({messages: request.messages.length, tools: request.tools.map(({name}) => name), ...sent})
    const row = {model: binding.config.model, input, ...reserved, at: clock.now()}
    const counts = [spending(run, day, reserved), spendingOfRun(run.seq, reserved), counting(run.seq, {steps: 1})]
    await writeFenced(engine, run, [beginningModel(run.seq, n, row), ...counts], never)
    return undefined
  })
}

/** Returns the provider's usage. If the provider does not report it, the estimate and the written text count. */
const takenOf = ({usage, text, calls}: ModelReply, estimate: number) =>
  usage ?? {
    input: estimate,
    output: Math.ceil((text.length + calls.reduce((sum, {input}) => sum + input.length, 0)) / 3),
  }

const end = async (
  engine: Engine,
  call: Call,
  given: ModelReply,
  {estimate, active}: {readonly estimate: number; readonly active: number},
): Promise<After> => {
  const {run, binding, n} = call
  const taken = takenOf(given, estimate)
  // The stored reply contains no secret, like everything sent to the provider.
  const hide = (text: string) => engine.hide(text)
  // Arguments are JSON within a text, so hiding must not end its quotes.
  const calls = given.calls.map(each => ({...each, input: hideInJson(each.input, hide)}))
  const {details, ...rest} = hideIn({...given, calls: []}, hide)
  // The provider would reject the signature of a thought whose text was changed.
  const kept = toJson(details) === toJson(given.details) ? {details} : {}
  const reply = {...rest, ...kept, calls, usage: taken}
  const amount = {tokens: taken.input + taken.output, money: priceOf(taken, binding.config.prices)}
  const settled = [...settling(call, amount), counting(run.seq, {active})]
  const isSilent = reply.calls.length === 0 && reply.text.trim() === ""
  if (isSilent && reply.finish === "filtered") return fail(engine, run, "answer_filtered", undefined, settled)
  if (isSilent && reply.finish === "length") return fail(engine, run, "answer_cut", undefined, settled)
  if (isSilent) return tryAgain(engine, call, empty, active, settled)
  const done = [
    endingModel(run.seq, n, reply, {money: amount.money, at: engine.clock.now()}),
    {
      sql: "UPDATE agent_runs SET failures = 0, tokens_in = tokens_in + ?, tokens_out = tokens_out + ? WHERE seq = ?",
      args: [taken.input, taken.output, run.seq],
    },
    ...settled,
  ]
  if (reply.calls.length === 0 && run.item === undefined) {
    const cut = reply.finish === "length" ? ({reason: "answer_cut"} as const) : {}
    return succeed(engine, run, reply.text, {also: done, ...cut})
  }
  const byName = new Map([...engine.toolsOf(binding, run).keys()].map(name => [modelNameOf(name), name]))
  const planned = planning(run.seq, n, reply.calls, name => byName.get(name) ?? unknownTool)
  await writeFenced(engine, run, [...done, ...planned], stepIs(n, "done"))
  return "goes on"
}
