import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentModelCheck} from "../../../shared/api/agents/agents.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {ModelFailure, type ModelReply} from "./model.ts"
import type {BoundModel} from "./models.ts"
import {type OpenOptions, openModel} from "./open-model.ts"

const hintFor = (failure: ModelFailure, model: BoundModel): string => {
  const {code, status, kind} = failure
  if (code !== undefined) return hintForConnection(code, model)
  if (status !== undefined) return hintForStatus(status, failure.message, model)
  return kind === "malformed" ? hintForNonsense(model) : "Read the provider's message, and repeat the check."
}

const hintForConnection = (code: string, {at, settings}: BoundModel): string => {
  const address = settings.baseURL === undefined ? "the provider's address" : `${at}.baseURL`
  if (code === "cut")
    return "The connection broke during the answer: repeat the check, and check the proxies in between."
  if (/REFUSED|ConnectionRefused|FailedToOpenSocket/i.test(code))
    return `Nothing listens there: start the model's server, or correct ${address}.`
  if (/NOTFOUND|EAI_AGAIN|DNS/i.test(code)) return `The host name does not resolve: correct ${address}.`
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/i.test(code))
    return `The certificate of the server is not trusted: name its authority in NODE_EXTRA_CA_CERTS, or correct ${address}.`
  return `Check that this machine can reach the server, or correct ${address}.`
}

const hintForStatus = (status: number, message: string, {at, settings}: BoundModel): string => {
  if (status < 400) return `Set ${at}.baseURL to the address that it redirects to.`
  if (status === 401 || status === 403)
    return settings.key === undefined
      ? `The server wants a key: set ${at}.key as \${NAME}.`
      : `Check the variable that ${at}.key names: the key is wrong, has expired, or may not use this model.`
  if (status === 404) return hintForAbsence(at, settings.baseURL)
  if (status === 429) return "The provider limits requests, or the account has no credit left: wait, or check its plan."
  if (status === 402) return "The account has no credit left: check its plan."
  if (status === 413 || /context.length|too long/i.test(message)) return "The request is too large for the model."
  if (/tool|function.call/i.test(message))
    return `This model or server may not support tools: choose another model, or start the server with tool calls enabled.`
  if (/model/i.test(message) && status < 500)
    return `Correct ${at}.model: the provider does not offer ${settings.model} for this.`
  if (status >= 500) return "The provider has a problem: retry later, and check its status page or log."
  return "The provider's message says what it does not accept."
}

const hintForAbsence = (at: string, baseURL: string | undefined): string => {
  const model = `Correct ${at}.model`
  return baseURL === undefined
    ? `${model}: the provider has no model of that name for this key.`
    : `${model}, or ${at}.baseURL: most servers want /v1 at its end.`
}

const hintForNonsense = ({at, settings: {provider, baseURL}}: BoundModel): string =>
  baseURL === undefined
    ? "Something between this machine and the provider answers instead of it: check the proxies."
    : `The server at ${at}.baseURL does not speak the protocol ${provider}, or its address needs /v1 at its end.`

/** A check's time limit, in milliseconds: below a request's minute, so that the result can say if a provider hangs. */
const longestCheck = 45_000

/** The tokens of the answer. A model that thinks first needs some. */
const longestAnswer = 1024

/**
 * Calls a model of a binding once, within its time limit. The result includes a failure with its remedy.
 * Throws `agent_misconfigured` if no call is possible, and the signal's reason.
 */
export const checkModel = async (
  binding: Binding,
  model: BoundModel,
  options: OpenOptions & {readonly signal: AbortSignal},
): Promise<AgentModelCheck> => {
  const {limits} = binding.config
  const opened = await openModel(model, options)
  const begun = performance.now()
  const result = (more: Partial<AgentModelCheck>) => ({
    ok: false,
    milliseconds: Math.round(performance.now() - begun),
    model: model.settings.model,
    answer: null,
    tokens: null,
    problem: null,
    hint: null,
    ...more,
  })
  const limit = Math.min(limits.call * 1000, longestCheck)
  const question = questionOf(limits.output)
  try {
    const reply = await withTimeLimit(limit, signal => opened.call(question, {signal}), options.signal)
    return result({ok: true, answer: reply.text, tokens: tokensOf(reply), ...remarkOn(reply)})
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    if (error instanceof TimeLimitExceeded) return result(lateAnswer(limit, binding, model))
    if (!(error instanceof ModelFailure)) throw error
    return result({problem: error.message, hint: hintFor(error, model)})
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

const lateAnswer = (limit: number, {name}: Binding, {at}: BoundModel) => ({
  problem: `the model did not answer in ${limit / 1000} s`,
  hint: `A model answers slowly while it loads: repeat the check. If that does not help, check ${at}.baseURL, or raise agents.${name}.limits.call.`,
})
