import type {Binding} from "../../../shared/agents/binding.ts"
import type {BindingProblem, BindingReason, Standing} from "../../../shared/agents/standing.ts"
import {readinessReasons} from "../../../shared/api/readiness.ts"
import {agentProviders, type McpSettings} from "../../../shared/config/agents.ts"
import {isLoopback} from "../../runtime/proxy.ts"
import type {Path} from "../../runtime/text/path.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"
import {type BoundModel, embeddingOf, modelsOf} from "../providers/models.ts"
import {installCommand, isAgentProvider, needsKey, type OptionalPackage} from "../providers/packages.ts"

export interface BindingFacts {
  /** Returns why the binding cannot have the tool; undefined if it can. */
  hasTool(name: string, binding: Binding): string | undefined
  isInstalled(name: OptionalPackage): boolean
}

/** Returns whether `binding` is configured, or the first problem. */
export const configurationOf = (binding: Binding, facts: BindingFacts): Standing => {
  if (!binding.config.enabled) return problem("agent_disabled", ["enabled"])
  const models = modelsOf(binding)
  return (
    firstOf(models, model => modelProblem(model, facts)) ??
    instructionsProblem(binding) ??
    embeddingProblem(binding, facts) ??
    firstOf(models, model => pricesProblem(binding, model)) ??
    mcpProblem(binding, facts) ??
    toolProblem(binding, facts) ?? {configured: true}
  )
}

const firstOf = (models: readonly BoundModel[], find: (model: BoundModel) => BindingProblem | undefined) =>
  models.reduce<BindingProblem | undefined>((found, model) => found ?? find(model), undefined)

const problem = (reason: BindingReason, at: Path, more = ""): BindingProblem => ({
  configured: false,
  reason,
  message: `${readinessReasons[reason].message} ${more}`.trimEnd(),
  at,
})

const modelProblem = ({settings, path}: BoundModel, {isInstalled}: BindingFacts) => {
  const {provider, model, key} = settings
  const known = Object.keys(agentProviders)
  if (!isAgentProvider(provider)) {
    const more = `There is no "${provider}"${didYouMean(provider, known)}; the providers are ${known.join(", ")}.`
    return problem("agent_provider_unknown", [...path, "provider"], more)
  }
  if (!isInstalled(agentProviders[provider]))
    return problem("agent_provider_missing", [...path, "provider"], `It is ${agentProviders[provider]}.`)
  if (model.trim() === "") return problem("agent_model_missing", [...path, "model"])
  const hasKey = (key?.reveal() ?? "").trim() !== ""
  return needsKey(settings) && !hasKey ? problem("agent_key_missing", [...path, "key"]) : undefined
}

const embeddingProblem = (binding: Binding, facts: BindingFacts) => {
  const model = embeddingOf(binding)
  if (model === undefined) return undefined
  if (model.settings.provider === "anthropic")
    return problem("agent_provider_unknown", [...model.path, "provider"], "Anthropic has no embedding models.")
  return modelProblem(model, facts)
}

const instructionsProblem = ({config, instructions, fileProblem}: Binding) => {
  if (fileProblem !== undefined) {
    return problem("agent_instructions_missing", ["instructionsFile"], sentence(fileProblem))
  }
  if (instructions.trim() !== "") return undefined
  if (config.instructionsFile === undefined) return problem("agent_instructions_missing", [])
  return problem("agent_instructions_missing", ["instructionsFile"], `${config.instructionsFile} is empty.`)
}

/** Without prices svc counts no money, so a money limit would have no effect. */
const pricesProblem = ({config: {limits}}: Binding, {path, settings}: BoundModel) => {
  const limited = [limits, limits.user, limits.channel, limits.day].some(({money}) => money !== undefined)
  const at = path.length === 0 ? ["limits"] : [...path, "prices"]
  return limited && settings.prices === undefined ? problem("agent_prices_missing", at) : undefined
}

const mcpProblem = ({config: {mcp}}: Binding, {isInstalled}: BindingFacts) => {
  const wrong = (n: number, key: string, why: string) => problem("agent_mcp_wrong", ["mcp", String(n), key], why)
  for (const [n, {name, command, url, env, key, oauth}] of mcp.entries()) {
    if ((command === undefined) === (url === undefined)) return wrong(n, "name", `${name} needs either command or url.`)
    if (command === undefined && Object.keys(env ?? {}).length > 0)
      return wrong(n, "env", "env is for a server with command.")
    if (url === undefined && key !== undefined) return wrong(n, "key", "key is for a server with url.")
    const signIn = oauth === undefined ? undefined : oauthProblem(oauth, url, key)
    if (signIn !== undefined) return wrong(n, "oauth", signIn)
    if (mcp.findIndex(each => each.name === name) !== n) return wrong(n, "name", `There are two servers ${name}.`)
  }
  if (mcp.length === 0 || isInstalled("@ai-sdk/mcp")) return undefined
  return problem("agent_mcp_wrong", ["mcp"], `The package is missing: run ${installCommand("@ai-sdk/mcp")}.`)
}

const oauthProblem = (
  {stateKey, clientId, clientSecret, issuer}: NonNullable<McpSettings["oauth"]>,
  url: string | undefined,
  key: McpSettings["key"],
) => {
  if (url === undefined || key !== undefined) return "oauth is for a server with url, in place of key."
  if (!URL.canParse(url) || !(url.startsWith("https:") || isLoopback(new URL(url))))
    return "oauth needs an https address."
  if (stateKey.reveal().length < 32) return "stateKey needs at least 32 characters."
  if (clientSecret !== undefined && (clientId === undefined || issuer === undefined))
    return "clientSecret needs clientId and issuer."
  return undefined
}

const toolProblem = (binding: Binding, {hasTool}: BindingFacts) => {
  for (const name of Object.keys(binding.config.tools)) {
    const why = hasTool(name, binding)
    if (why !== undefined) return problem("agent_tool_missing", ["tools", name], sentence(`${name}: ${why}`))
  }
  return undefined
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
