import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentCheck} from "../../../shared/api/agents/agents.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {ModelFailure, type ModelReply} from "./model.ts"
import {type OpenOptions, openModel} from "./open-model.ts"

const hintFor = (failure: ModelFailure, binding: Binding): string => {
  const {code, status, kind} = failure
  if (code !== undefined) return hintForConnection(code, binding)
  if (status !== undefined) return hintForStatus(status, failure.message, binding)
  return kind === "malformed" ? hintForNonsense(binding) : "Read the provider's message, and repeat the check."
}

const hintForConnection = (code: string, {name, config}: Binding): string => {
  const address = config.baseURL === undefined ? "the provider's address" : `agents.${name}.baseURL`
  if (code === "cut")
    return "The connection broke during the answer: repeat the check, and check the proxies in between."
  if (/REFUSED|ConnectionRefused|FailedToOpenSocket/i.test(code))
    return `Nothing listens there: start the model's server, or correct ${address}.`
  if (/NOTFOUND|EAI_AGAIN|DNS/i.test(code)) return `The host name does not resolve: correct ${address}.`
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/i.test(code))
    return `The certificate of the server is not trusted: name its authority in NODE_EXTRA_CA_CERTS, or correct ${address}.`
  return `Check that this machine can reach the server, or correct ${address}.`
}

const hintForStatus = (status: number, message: string, {name, config}: Binding): string => {
  if (status < 400) return `Set agents.${name}.baseURL to the address that it redirects to.`
  if (status === 401 || status === 403)
    return config.key === undefined
      ? `The server wants a key: set agents.${name}.key as \${NAME}.`
      : `Check the variable that agents.${name}.key names: the key is wrong, has expired, or may not use this model.`
  if (status === 404) return hintForAbsence(name, config.baseURL)
  if (status === 429) return "The provider limits requests, or the account has no credit left: wait, or check its plan."
  if (status === 402) return "The account has no credit left: check its plan."
  if (status === 413 || /context.length|too long/i.test(message)) return "The request is too large for the model."
  if (/tool|function.call/i.test(message))
    return `This model or server may not support tools: choose another model, or start the server with tool calls enabled.`
  if (/model/i.test(message) && status < 500)
    return `Correct agents.${name}.model: the provider does not offer ${config.model} for this.`
  if (status >= 500) return "The provider has a problem: retry later, and check its status page or log."
  return "The provider's message says what it does not accept."
}

const hintForAbsence = (name: string, baseURL: string | undefined): string => {
  const model = `Correct agents.${name}.model`
  return baseURL === undefined
    ? `${model}: the provider has no model of that name for this key.`
    : `${model}, or agents.${name}.baseURL: most servers want /v1 at its end.`
}

const hintForNonsense = ({name, config: {provider, baseURL}}: Binding): string =>
  baseURL === undefined
    ? "Something between this machine and the provider answers instead of it: check the proxies."
    : `The server at agents.${name}.baseURL does not speak the protocol ${provider}, or its address needs /v1 at its end.`

/** The tokens of the answer. A model that thinks first needs some. */
const longestAnswer = 1024

/**
 * Calls a binding's model once, within the time limit of one call. The result includes a failure with its remedy.
 * Throws `agent_misconfigured` if no call is possible, and the signal's reason.
 */
export const checkModel = async (
  binding: Binding,
  options: OpenOptions & {readonly signal: AbortSignal},
): Promise<AgentCheck> => {
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
  const question = questionOf(limits.output)
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

const questionOf = (output: number) => ({
  instructions: "This is a connection test. Answer with the one word that the user asks for, and call no tool.",
  messages: [{role: "user" as const, text: "Say: ready"}],
  tools: [],
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
