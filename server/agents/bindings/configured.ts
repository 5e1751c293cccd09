import type {Binding} from "../../../shared/agents/binding.ts"
import {agentProviders} from "../../../shared/agents/config.ts"
import {type ReadinessReason, readinessReasons} from "../../../shared/api/readiness.ts"
import {didYouMean} from "../../config/suggest.ts"

/** Why a binding is not configured, as a word. */
export type BindingReason = Extract<ReadinessReason, `agent_${string}`>

/** What keeps a binding from being configured. */
export interface BindingProblem {
  readonly configured: false
  readonly reason: BindingReason
  /** A sentence for people; it has no value of a secret. */
  readonly message: string
  /** The key of the binding that is to blame, below `agents.<name>`; empty for the binding as a whole. */
  readonly at: readonly string[]
}

/** Whether a binding is configured: what `binding_configured` checks, without any network. */
export type Standing = {readonly configured: true} | BindingProblem

/** By the name of the binding. */
export type Standings = Readonly<Record<string, Standing>>

/** What a binding needs around it. */
export interface BindingFacts {
  /** Why the binding cannot have the tool; undefined where it can. */
  hasTool(name: string, binding: Binding): string | undefined
  /** Is the package of the provider there? */
  isInstalled(provider: keyof typeof agentProviders): boolean
}

/** Whether `binding` is configured; the first thing that is missing where it is not. */
export const configurationOf = (binding: Binding, facts: BindingFacts): Standing =>
  problemOf(binding, facts) ?? {configured: true}

const problemOf = (binding: Binding, facts: BindingFacts): BindingProblem | undefined => {
  if (!binding.config.enabled) return problem("agent_disabled", ["enabled"])
  return (
    providerProblem(binding, facts) ??
    modelProblem(binding) ??
    keyProblem(binding) ??
    instructionsProblem(binding) ??
    pricesProblem(binding) ??
    toolProblem(binding, facts)
  )
}

const problem = (reason: BindingReason, at: readonly string[], more = ""): BindingProblem => ({
  configured: false,
  reason,
  message: `${readinessReasons[reason].message} ${more}`.trimEnd(),
  at,
})

const isProvider = (name: string): name is keyof typeof agentProviders => Object.hasOwn(agentProviders, name)

const providerProblem = ({config: {provider}}: Binding, {isInstalled}: BindingFacts) => {
  const known = Object.keys(agentProviders)
  if (!isProvider(provider)) {
    const more = `There is no "${provider}"${didYouMean(provider, known)}; the providers are ${known.join(", ")}.`
    return problem("agent_provider_unknown", ["provider"], more)
  }
  if (isInstalled(provider)) return undefined
  return problem("agent_provider_missing", ["provider"], `It is ${agentProviders[provider]}.`)
}

const modelProblem = ({config: {model}}: Binding) =>
  model.trim() === "" ? problem("agent_model_missing", ["model"]) : undefined

/** A server of one's own may want no key; the providers' own addresses do. */
const keyProblem = ({config: {provider, baseURL, key}}: Binding) => {
  const isNeeded = provider !== "openai-compatible" || baseURL === undefined
  return isNeeded && (key === undefined || key.reveal().trim() === "")
    ? problem("agent_key_missing", ["key"])
    : undefined
}

const instructionsProblem = ({config, instructions, fileProblem}: Binding) => {
  if (fileProblem !== undefined) {
    return problem("agent_instructions_missing", ["instructionsFile"], sentence(fileProblem))
  }
  if (instructions.trim() !== "") return undefined
  if (config.instructionsFile === undefined) return problem("agent_instructions_missing", [])
  return problem("agent_instructions_missing", ["instructionsFile"], `${config.instructionsFile} is empty.`)
}

/** Without prices nothing is counted, and the limit would hold nobody. */
const pricesProblem = ({config: {limits, prices}}: Binding) => {
  const limited = [limits, limits.user, limits.channel, limits.day].some(({money}) => money !== undefined)
  return limited && prices === undefined ? problem("agent_prices_missing", ["limits"]) : undefined
}

const toolProblem = (binding: Binding, {hasTool}: BindingFacts) => {
  for (const name of Object.keys(binding.config.tools)) {
    const why = hasTool(name, binding)
    if (why !== undefined) return problem("agent_tool_missing", ["tools", name], sentence(`${name}: ${why}`))
  }
  return undefined
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
