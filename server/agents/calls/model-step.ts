import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentReason} from "../../../shared/agents/states.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {isAccepted, persist} from "../../database/persist.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {type Context, contextOf} from "../context/request.ts"
import {storingSummary} from "../memory/summary.ts"
import {hideIn, hideInJson} from "../providers/hiding.ts"
import type {ModelReply, ModelRequest} from "../providers/model.ts"
import {type BoundModel, modelsOf} from "../providers/models.ts"
import {estimateTokens, priceOf} from "../providers/tokens.ts"
import {StreamedAnswer} from "../runs/answer.ts"
import type {Attempt} from "../runs/attempt.ts"
import {modelNameOf, unknownTool} from "../runs/conversation.ts"
import {fail, succeed} from "../runs/end.ts"
import type {After, Engine} from "../runs/engine.ts"
import {type AgentRun, shownIn} from "../runs/run-rows.ts"
import {telling} from "../runs/said.ts"
import {assertDayLimits, dayLimitOf, dayOf, reserve, spending} from "../runs/spending.ts"
import {beginningModel, endingModel, type ModelStep, plannedSteps, planning} from "../runs/step-rows.ts"
import {never} from "../runs/write.ts"
import {type Call, empty, failureOf, settling, tryAgain} from "./model-failure.ts"
import {watchSilence} from "./silence.ts"

/** Calls the model once. Its row is stored before, with the reserved amount, and after, with the amount used. */
export const callModel = async (attempt: Attempt, binding: Binding, n: number, signal: AbortSignal): Promise<After> => {
  const {engine, run, steps} = attempt
  const context = await contextOf(engine, run, binding, steps)
  const {request} = context
  const estimate = estimateTokens(request)
  const day = dayOf(engine.clock.now())
  const reserveFor = ({settings: {prices}}: BoundModel) =>
    reserve(run, {limits: binding.config.limits, prices}, estimate)
  const known = steps.find((each): each is ModelStep => each.n === n && each.kind === "model")
  const {sent} = context
  const step: ModelStep = {kind: "model", n, state: "begun", begun: (known?.begun ?? 0) + 1, sent, reply: undefined}
  const order = modelsFor(engine, run, binding, known?.failed)
  const models = order.filter(model => typeof reserveFor(model) !== "string")
  let limit: AgentReason | undefined
  for (const model of order) {
    const reserved = reserveFor(model)
    if (typeof reserved === "string") {
      limit ??= reserved
      continue
    }
    const call = {attempt, binding, model, models, step, reserved, day}
    const passed = await begin(call, context)
    if (passed === undefined) return ask(call, {...request, output: reserved.output}, estimate, signal)
    limit ??= passed
  }
  return fail(attempt, limit ?? "binding_misconfigured")
}

/**
 * Returns the models in the order to call them. One that has failed in this step comes after the others, also if a kill
 * came after its failure.
 */
const modelsFor = (engine: Engine, run: AgentRun, binding: Binding, failed: string | undefined) => {
  const models = modelsOf(binding).toSorted(
    (a, b) => Number(a.settings.model === failed) - Number(b.settings.model === failed),
  )
  return engine.cooling.order(models, run.seq)
}

/** Asks the model of a call that has begun. */
const ask = async (call: Call, request: ModelRequest, estimate: number, signal: AbortSignal): Promise<After> => {
  const {attempt, binding, model, models} = call
  const {engine, run} = attempt
  const began = engine.clock.elapsed()
  const streamed = new StreamedAnswer(attempt)
  const place = shownIn(run)
  if (place !== undefined) engine.endpoints.typing(place.endpoint, place.channel)
  const meter = (outcome: "done" | "failed") =>
    engine.meter.modelEnded(run.agent, model.settings.model, (engine.clock.elapsed() - began) / 1000, outcome)
  const onUnknown = (what: string) => {
    engine.meter.unknownMet(run.agent)
    engine.log.debug(`the answer for run ${run.runId} has something that svc does not know: ${what}`)
  }
  const others = models.filter(each => each !== model)
  const isNextReady = () => others.some(each => engine.cooling.restOf(each, run.seq) === undefined)
  const silence = others.length === 0 ? undefined : watchSilence(engine.clock, signal, isNextReady)
  try {
    const limit = Math.min(binding.config.limits.call * 1000, binding.config.limits.seconds * 1000 - run.active)
    const work = async (ending: AbortSignal) => {
      const opened = await engine.modelOf(binding, model)
      return opened.call(request, {
        signal: ending,
        onText: streamed.add,
        onPart: () => silence?.broken(),
        onUnknown,
      })
    }
    const reply = await withTimeLimit(limit, work, silence?.signal ?? signal)
    engine.cooling.succeeded(model)
    meter("done")
    await streamed.end()
    return await end(call, reply, {estimate, active: engine.clock.elapsed() - began})
  } catch (error) {
    await streamed.end()
    signal.throwIfAborted()
    const active = engine.clock.elapsed() - began
    const failure = failureOf(error)
    if (failure === undefined) throw error
    meter("failed")
    return tryAgain(call, failure, active)
  } finally {
    silence?.end()
  }
}

/** How often a call is begun whose limits were reached, and are not when they are read: other runs have settled. */
const mostBegun = 20

/** Begins a call if the limits of the day allow it. Resolves to the limit that does not. */
const begin = async (
  {attempt, binding, model, step, reserved, day}: Call,
  {request, sent, said}: Context,
): Promise<AgentReason | undefined> => {
  const {engine, run} = attempt
  const {database, log, clock} = engine
  const input = toJson({messages: request.messages.length, tools: request.tools.map(({name}) => name), ...sent})
  const {tokens, money} = reserved
  const row = {model: model.settings.model, input, tokens, money, at: clock.now()}
  const change = {
    asserts: [assertDayLimits(run, binding.config, day, reserved)],
    statements: [beginningModel(run.seq, step.n, row), spending(run, day, reserved), ...telling(run, step.n, said)],
    added: {tokens, money, steps: 1},
    steps: [step],
  }
  const write = () => engine.inTurn(() => attempt.write(change, never))
  for (let tries = 1; tries < mostBegun; tries++) {
    if (await isAccepted(write())) return undefined
    const passed = await persist("a limit", log, () => dayLimitOf(database, run, binding.config, day, reserved))
    if (passed !== undefined) return passed
  }
  await write()
  return undefined
}

/** Returns the provider's usage. If the provider does not report it, the estimate and the written text count. */
const takenOf = ({usage, text, calls}: ModelReply, estimate: number) =>
  usage ?? {
    input: estimate,
    output: Math.ceil((text.length + calls.reduce((sum, {input}) => sum + input.length, 0)) / 3),
  }

const end = async (
  call: Call,
  given: ModelReply,
  {estimate, active}: {readonly estimate: number; readonly active: number},
): Promise<After> => {
  const {attempt, binding, model, step} = call
  const {engine, run} = attempt
  const taken = takenOf(given, estimate)
  // The stored reply contains no secret, like everything sent to the provider.
  const hide = (text: string) => engine.hide(text)
  // Arguments are JSON within a text, so hiding must not end its quotes.
  const calls = given.calls.map(({id, name, input}) => ({
    id: hide(id),
    name: hide(name),
    input: hideInJson(input, hide),
  }))
  const {details, ...rest} = hideIn({...given, calls: []}, hide)
  // The provider would reject the signature of a thought whose text was changed.
  const kept = toJson(details) === toJson(given.details) ? {details} : {}
  // As a later attempt reads it.
  const reply = fromJson(toJson({...rest, ...kept, calls, usage: taken, source: model.source})) as ModelReply
  const amount = {tokens: taken.input + taken.output, money: priceOf(taken, model.settings.prices)}
  const {statements, added} = settling(call, amount)
  const settled = {statements, added: {...added, active}}
  const isSilent = reply.calls.length === 0 && reply.text.trim() === ""
  if (isSilent && reply.finish === "filtered") return fail(attempt, "answer_filtered", undefined, settled)
  if (isSilent && reply.finish === "length") return fail(attempt, "answer_cut", undefined, settled)
  if (isSilent) return tryAgain(call, empty, active, settled)
  const byName = new Map([...engine.toolsOf(binding, run).keys()].map(name => [modelNameOf(name), name]))
  const planned = plannedSteps(step.n, reply.calls, name => byName.get(name) ?? unknownTool)
  const at = engine.clock.now()
  const row = endingModel(run.seq, step.n, reply, {money: amount.money, at})
  const summary = run.isSummary ? storingSummary(run, binding, reply.text, at) : []
  const done = {
    statements: [row, ...planning(run.seq, planned), ...statements, ...summary],
    added: {...settled.added, tokensIn: taken.input, tokensOut: taken.output},
    run: {failures: 0},
    steps: [{...step, state: "done", reply} as const, ...planned],
  }
  if (reply.calls.length === 0 && run.item === undefined) return succeed(attempt, binding, reply, done)
  await attempt.end({n: step.n, state: "done", ...done}, {mayWait: reply.calls.length > 0})
  return "goes on"
}
