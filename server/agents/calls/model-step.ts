import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentReason} from "../../../shared/agents/states.ts"
import {toJson} from "../../../shared/json.ts"
import {persist} from "../../database/persist.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {type Context, contextOf} from "../context/request.ts"
import {storingSummary} from "../memory/summary.ts"
import {hideIn, hideInJson} from "../providers/hiding.ts"
import type {ModelReply, ModelRequest} from "../providers/model.ts"
import {type BoundModel, modelsOf} from "../providers/models.ts"
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
import {watchSilence} from "./silence.ts"

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
  const day = dayOf(engine.clock.now())
  const reserveFor = ({settings: {prices}}: BoundModel) =>
    reserve(run, {limits: binding.config.limits, prices}, estimate)
  const order = modelsFor(engine, run, binding, steps, n)
  const models = order.filter(model => typeof reserveFor(model) !== "string")
  let limit: AgentReason | undefined
  for (const model of order) {
    const reserved = reserveFor(model)
    if (typeof reserved === "string") {
      limit ??= reserved
      continue
    }
    const call = {run, binding, model, models, n, reserved, day}
    const passed = await begin(engine, call, context)
    if (passed === undefined) return ask(engine, call, {...request, output: reserved.output}, estimate, signal)
    limit ??= passed
  }
  return fail(engine, run, limit ?? "binding_misconfigured")
}

/**
 * Returns the models in the order to call them. One that has failed in this step comes after the others, also if a kill
 * came after its failure.
 */
const modelsFor = (engine: Engine, run: AgentRun, binding: Binding, steps: readonly Step[], n: number) => {
  const step = steps.find(each => each.n === n)
  const failed = step?.kind === "model" ? step.failed : undefined
  const models = modelsOf(binding).toSorted(
    (a, b) => Number(a.settings.model === failed) - Number(b.settings.model === failed),
  )
  return engine.cooling.order(models, run.seq)
}

/** Asks the model of a call that has begun. */
const ask = async (
  engine: Engine,
  call: Call,
  request: ModelRequest,
  estimate: number,
  signal: AbortSignal,
): Promise<After> => {
  const {run, binding, model, models} = call
  const began = engine.clock.elapsed()
  const streamed = new StreamedAnswer(engine, run)
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
    const answered = {...run, message: await streamed.end()}
    return await end(engine, {...call, run: answered}, reply, {estimate, active: engine.clock.elapsed() - began})
  } catch (error) {
    const failed = {...run, message: await streamed.end()}
    signal.throwIfAborted()
    const active = engine.clock.elapsed() - began
    const failure = failureOf(error)
    if (failure === undefined) throw error
    meter("failed")
    return tryAgain(engine, {...call, run: failed}, failure, active)
  } finally {
    silence?.end()
  }
}

/** Starts a call if the limits of the day allow it. Resolves to the limit that does not. */
const begin = async (
  engine: Engine,
  {run, binding, model, n, reserved, day}: Call,
  {request, sent}: Context,
): Promise<AgentReason | undefined> => {
  const {database, log, clock} = engine
  return engine.inTurn(run.agent, async () => {
    const passed = await persist(`run ${run.runId}`, log, () =>
      dayLimitOf(database, run, binding.config, day, reserved),
    )
    if (passed !== undefined) return passed
    const input = toJson({messages: request.messages.length, tools: request.tools.map(({name}) => name), ...sent})
    const row = {model: model.settings.model, input, ...reserved, at: clock.now()}
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
  const {run, binding, model, n} = call
  const taken = takenOf(given, estimate)
  // The stored reply contains no secret, like everything sent to the provider.
  const hide = (text: string) => engine.hide(text)
  // Arguments are JSON within a text, so hiding must not end its quotes.
  const calls = given.calls.map(each => ({...each, input: hideInJson(each.input, hide)}))
  const {details, ...rest} = hideIn({...given, calls: []}, hide)
  // The provider would reject the signature of a thought whose text was changed.
  const kept = toJson(details) === toJson(given.details) ? {details} : {}
  const reply = {...rest, ...kept, calls, usage: taken, source: model.source}
  const amount = {tokens: taken.input + taken.output, money: priceOf(taken, model.settings.prices)}
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
  const summary = run.isSummary ? storingSummary(run, binding, reply.text, engine.clock.now()) : []
  if (reply.calls.length === 0 && run.item === undefined)
    return succeed(engine, run, binding, reply, [...done, ...summary])
  const byName = new Map([...engine.toolsOf(binding, run).keys()].map(name => [modelNameOf(name), name]))
  const planned = planning(run.seq, n, reply.calls, name => byName.get(name) ?? unknownTool)
  await writeFenced(engine, run, [...done, ...planned], stepIs(n, "done"))
  return "goes on"
}
