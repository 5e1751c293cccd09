import {AsyncLocalStorage} from "node:async_hooks"
import {type AgentProvider, agentProviders} from "../../../shared/config/agents.ts"
import {Problem} from "../../../shared/problems.ts"
import {field} from "./known-parts.ts"
import type {CallOptions, LanguageModel} from "./language-model.ts"
import type {BoundModel} from "./models.ts"
import {installCommand, isAgentProvider, loadPackage, needsKey} from "./packages.ts"
import type {Wire} from "./wire.ts"

/** A model whose package is loaded. */
export interface Opened {
  /** Calls the package's model, which uses this `fetch`. */
  stream(options: CallOptions, fetch: Wire["fetch"]): ReturnType<LanguageModel["doStream"]>
  readonly provider: AgentProvider
  readonly source: BoundModel["source"]
  /** Empty if no key is sent. */
  readonly key: string
}

/** What a package exports, and the address of its provider, which it would otherwise read from the environment. */
const providers: Readonly<Record<AgentProvider, {readonly factory: string; readonly address: string}>> = {
  "openai-compatible": {factory: "createOpenAICompatible", address: "https://api.openai.com/v1"},
  anthropic: {factory: "createAnthropic", address: "https://api.anthropic.com/v1"},
  google: {factory: "createGoogle", address: "https://generativelanguage.googleapis.com/v1beta"},
}

const misconfigured = (detail: string) => new Problem("agent_misconfigured", detail)

/** A provider's package, with the settings of a model. */
interface Loaded extends Pick<Opened, "provider" | "key"> {
  /** Returns what the package makes for one call. */
  make(fetch: Wire["fetch"]): unknown
}

/** Throws `agent_misconfigured`. */
export const loadFor = async ({at, settings: given}: BoundModel, project: string): Promise<Loaded> => {
  const {provider} = given
  if (!isAgentProvider(provider)) {
    const known = Object.keys(agentProviders).join(", ")
    throw misconfigured(`${at}.provider: unknown provider ${provider}; expected one of ${known}`)
  }
  const baseURL = given.baseURL?.replace(/\/+$/, "") ?? providers[provider].address
  if (needsKey(given) && given.key === undefined)
    throw misconfigured(`${at}.key is missing: ${baseURL} needs one; set it as \${NAME}`)
  if (URL.parse(baseURL) === null) throw misconfigured(`${at}.baseURL is not an address`)
  const key = given.key?.reveal() ?? ""
  if (!/^[\x21-\x7e]*$/.test(key))
    throw misconfigured(`${at}.key has a space, a line break or another character that keys do not have`)
  const loaded = await loadPackage(agentProviders[provider], project)
  const factory: unknown = Reflect.get(loaded, providers[provider].factory)
  const settings = {
    baseURL,
    ...(key === "" ? {} : {apiKey: key}),
    ...(provider === "openai-compatible" ? {name: "svc", includeUsage: true, ...ofOpenAI(baseURL)} : {}),
  }
  const make = (fetch: Wire["fetch"]): unknown =>
    typeof factory === "function" ? factory({...settings, fetch}) : undefined
  return {make, provider, key}
}

/** Returns the problem of a package that does not make what svc expects. */
export const oldPackage = (provider: AgentProvider): Problem => {
  const name = agentProviders[provider]
  return misconfigured(`the package ${name} has a version that svc does not support: run ${installCommand(name)}`)
}

/** Throws `agent_misconfigured`. */
export const createFor = async (bound: BoundModel, project: string): Promise<Opened> => {
  const {make, provider, key} = await loadFor(bound, project)
  const fetches = new AsyncLocalStorage<Wire["fetch"]>()
  // A model takes long to make, so all calls share it.
  const made = make((input, init) => {
    const own = fetches.getStore()
    if (own === undefined) throw new Error("a request outside of a model call")
    return own(input, init)
  })
  const model: unknown = typeof made === "function" ? made(bound.settings.model) : undefined
  if (!isModel(model)) throw oldPackage(provider)
  const stream: Opened["stream"] = (options, own) => fetches.run(own, () => model.doStream(options))
  return {stream, provider, source: bound.source, key}
}

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
  field(value, "specificationVersion") === "v4" && typeof field(value, "doStream") === "function"
