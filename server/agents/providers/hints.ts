import type {Binding} from "../../../shared/agents/binding.ts"
import type {ModelFailure} from "./model.ts"

export const hintFor = (failure: ModelFailure, binding: Binding): string => {
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
