import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentContext, ContextPart} from "../../../shared/api/agents/context.ts"
import {toJson} from "../../../shared/json.ts"
import type {Row} from "../../database/database.ts"
import {quoted} from "../memory/recall.ts"
import {estimateMessages, estimateText, estimateTool} from "../providers/tokens.ts"
import {turnsOf} from "../runs/conversation.ts"
import type {Engine} from "../runs/engine.ts"
import {type AgentRun, runOf} from "../runs/run-rows.ts"
import {type Sent, type Step, selectSteps, stepOf} from "../runs/step-rows.ts"
import {contextOf} from "./request.ts"

type Part = Omit<ContextPart, "state" | "at" | "id"> & {readonly id?: number; readonly at?: number}

/** Resolves to what each call of a run sent to the model, and the tokens of each part. */
export const viewContext = async (engine: Engine, row: Row, binding: Binding): Promise<AgentContext> => {
  const run = runOf(row)
  const rows = await engine.database.read(selectSteps, [run.seq])
  const steps = rows.map(stepOf)
  const calls = steps.flatMap((step, index) => (step.kind === "model" ? [{step, row: rows[index]}] : []))
  const viewed = calls.map(async ({step: {n, state, sent}, row: stored}) => {
    const before = steps.filter(each => each.n < n)
    const view = sent === undefined ? lost : await partsOf(engine, run, binding, {before, n, sent})
    const tokens = view.parts.reduce((sum, part) => sum + part.tokens, 0)
    return {step: n, model: String(stored?.name), state, ...view, tokens, tokensIn: Number(stored?.tokens_in) || null}
  })
  return {runId: run.runId, calls: await Promise.all(viewed)}
}

const partOf = {user: "question", assistant: "reply", tool: "result"} as const

/** A call that was erased, or that an older svc made. */
const lost = {exact: false, parts: []}

interface Viewed {
  readonly before: readonly Step[]
  readonly n: number
  readonly sent: Sent
}

const partsOf = async (engine: Engine, run: AgentRun, binding: Binding, {before, n, sent}: Viewed) => {
  const context = await contextOf(engine, run, binding, before, n, sent)
  const {request, earlier, memories} = context
  const setting = context.sent.setting === sent.setting ? "sent" : "changed"
  const {instructions, tools} = request
  const of = (state: ContextPart["state"], {id, at, text, ...part}: Part): ContextPart => ({
    ...part,
    id: id ?? null,
    at: at === undefined ? null : new Date(at).toISOString(),
    state,
    text: text === null ? null : engine.hide(text),
  })
  const gone = (part: "earlier" | "memory", ids: readonly number[], found: readonly number[]) =>
    ids.filter(id => !found.includes(id)).map(id => of("forgotten", {part, id, tokens: 0, text: null}))
  const parts: readonly ContextPart[] = [
    of(setting, {part: "instructions", tokens: estimateText(instructions), text: instructions}),
    of(setting, {
      part: "tools",
      tokens: tools.reduce((sum, tool) => sum + estimateTool(tool), 0),
      text: tools.map(({name}) => name).join(" "),
    }),
    ...earlier.map(({seq, at, messages}) =>
      of("sent", {part: "earlier", id: seq, at, tokens: estimateMessages(messages), text: toJson(messages)}),
    ),
    ...gone("earlier", sent.earlier, context.sent.earlier),
    ...memories.map(memory => {
      const text = quoted(memory, run)
      return of("sent", {part: "memory", id: memory.id, at: memory.createdAt, tokens: estimateText(text), text})
    }),
    ...gone("memory", sent.memories, context.sent.memories),
    ...turnsOf(run.input, before, context.said).map(({message, step}) =>
      of("sent", {
        part: partOf[message.role],
        ...(step === undefined ? {} : {id: step}),
        tokens: estimateMessages([message]),
        text: message.role === "tool" ? message.result : message.role === "user" ? message.text : toJson(message),
      }),
    ),
  ]
  return {exact: context.sent.hash === sent.hash, parts: [...parts]}
}
