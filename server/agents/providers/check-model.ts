import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentCheck} from "../../../shared/api/agents/agents.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {hintFor} from "./hints.ts"
import {ModelFailure, type ModelReply, type ModelTool} from "./model.ts"
import {type OpenOptions, openModel} from "./open-model.ts"

export interface CheckOptions extends OpenOptions {
  readonly signal: AbortSignal
  /** The binding's tools, because some models accept none. */
  readonly tools?: readonly ModelTool[]
}

/** The tokens of the answer. A model that thinks first needs some. */
const longestAnswer = 1024

/**
 * Calls a binding's model once, within the time limit of one call. The result includes a failure with its remedy.
 * Throws `agent_misconfigured` if no call is possible, and the signal's reason.
 */
export const checkModel = async (binding: Binding, options: CheckOptions): Promise<AgentCheck> => {
  const {model: name, limits} = binding.config
  const model = await openModel(binding, options)
  const begun = performance.now()
  const result = (more: Partial<AgentCheck>) => ({
    ok: false,
    milliseconds: Math.round(performance.now() - begun),
    model: name,
    answer: null,
    tokens: null,
    problem: null,
    hint: null,
    ...more,
  })
  const question = questionOf(options.tools ?? [], limits.output)
  try {
    const reply = await withTimeLimit(limits.call * 1000, signal => model.call(question, {signal}), options.signal)
    return result({ok: true, answer: reply.text, tokens: tokensOf(reply), ...remarkOn(reply)})
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    if (error instanceof TimeLimitExceeded) return result(lateAnswer(binding))
    if (!(error instanceof ModelFailure)) throw error
    return result({problem: error.message, hint: hintFor(error, binding)})
  }
}

const questionOf = (tools: readonly ModelTool[], output: number) => ({
  instructions: "This is a connection test. Answer with the one word that the user asks for, and call no tool.",
  messages: [{role: "user" as const, text: "Say: ready"}],
  tools,
  output: Math.min(output, longestAnswer),
})

const tokensOf = ({usage}: ModelReply): number | null => (usage === undefined ? null : usage.input + usage.output)

/** Returns remarks on a working answer that may surprise. */
const remarkOn = ({usage, finish}: ModelReply): {hint?: string} => {
  if (usage === undefined) return {hint: "The provider does not report tokens, so svc estimates them for the limits."}
  if (finish === "filtered") return {hint: "The provider's filter withheld the answer: check its safety settings."}
  return {}
}

const lateAnswer = ({name, config: {limits}}: Binding) => ({
  problem: `the model did not answer in ${limits.call} s`,
  hint: `A model answers slowly while it loads: repeat the check. If that does not help, raise agents.${name}.limits.call.`,
})
