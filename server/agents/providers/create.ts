import type {Binding} from "../../../shared/agents/binding.ts"
import {type AgentProvider, agentProviders} from "../../../shared/config/agents.ts"
import {Problem} from "../../../shared/problems.ts"
import type {LanguageModel} from "./language-model.ts"
import {installCommand, isAgentProvider, loadProvider} from "./packages.ts"
import type {Wire} from "./wire.ts"

/** A model whose package is loaded. */
export interface Opened {
  /** Returns the package's model for one call, which uses this `fetch`. */
  create(fetch: Wire["fetch"]): LanguageModel
  readonly provider: AgentProvider
  /** The provider and the model. Details of a reply are valid only for these. */
  readonly source: string
  /** Empty if no key is sent. */
  readonly key: string
}

/** The packages would otherwise read addresses from the environment. */
const addresses: Readonly<Record<AgentProvider, string>> = {
  "openai-compatible": "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
}

const factories: Readonly<Record<AgentProvider, string>> = {
  "openai-compatible": "createOpenAICompatible",
  anthropic: "createAnthropic",
  google: "createGoogle",
}

/** Returns why a binding's model cannot be opened, apart from the provider's package; undefined if it can. */
export const bindingProblem = ({name, config}: Binding): string | undefined => {
  const {provider, key, baseURL} = config
  if (!isAgentProvider(provider))
    return `agents.${name}.provider: unknown provider ${provider}; expected one of ${Object.keys(agentProviders).join(", ")}`
  if (needsKey(provider, baseURL) && key === undefined)
    return `agents.${name}.key is missing: ${baseURL ?? addresses[provider]} needs one; set it as \${NAME}`
  if (baseURL !== undefined && URL.parse(baseURL) === null) return `agents.${name}.baseURL is not an address`
  return undefined
}

/** Your own servers, such as Ollama, usually accept any caller. */
const needsKey = (provider: AgentProvider, baseURL: string | undefined): boolean =>
  provider !== "openai-compatible" || baseURL === undefined

/** Throws `agent_misconfigured`. */
export const createFor = async (binding: Binding, project: string): Promise<Opened> => {
  const {name, config} = binding
  const {provider, model} = config
  const problem = bindingProblem(binding)
  if (problem !== undefined || !isAgentProvider(provider)) throw new Problem("agent_misconfigured", problem ?? provider)
  const key = config.key?.reveal() ?? ""
  if (!/^[\x21-\x7e]*$/.test(key))
    throw new Problem(
      "agent_misconfigured",
      `agents.${name}.key has a space, a line break or another character that keys do not have`,
    )
  const baseURL = config.baseURL?.replace(/\/+$/, "") ?? addresses[provider]
  const factory: unknown = Reflect.get(await loadProvider(provider, project), factories[provider])
  const create = (fetch: Wire["fetch"]) => {
    const made: unknown =
      typeof factory === "function" ? factory(settingsOf(provider, {key, baseURL, fetch}))(model) : undefined
    if (isModel(made)) return made
    const old = `the package ${agentProviders[provider]} has a version that svc does not support: run ${installCommand(provider)}`
    throw new Problem("agent_misconfigured", old)
  }
  create(globalThis.fetch)
  return {create, provider, source: `${provider}/${model}`, key}
}

interface Access {
  readonly key: string
  readonly baseURL: string
  readonly fetch: Wire["fetch"]
}

const settingsOf = (provider: AgentProvider, {key, baseURL, fetch}: Access) => ({
  baseURL,
  fetch,
  ...(key === "" ? {} : {apiKey: key}),
  ...(provider === "openai-compatible" ? {name: "svc", includeUsage: true, ...ofOpenAI(baseURL)} : {}),
})

/** OpenAI's newer models reject `max_tokens`, but most other servers know only that. */
const ofOpenAI = (baseURL: string) =>
  new URL(baseURL).hostname === "api.openai.com"
    ? {
        transformRequestBody: ({max_tokens, ...body}: Record<string, unknown>) => ({
          ...body,
          max_completion_tokens: max_tokens,
        }),
      }
    : {}

const isModel = (value: unknown): value is LanguageModel =>
  typeof value === "object" &&
  value !== null &&
  "specificationVersion" in value &&
  value.specificationVersion === "v4" &&
  "doStream" in value &&
  typeof value.doStream === "function"
