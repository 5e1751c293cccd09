import {agentProviders} from "../../../shared/config/agents.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {EvalFile} from "./cases.ts"

export type Settings = Readonly<Record<string, unknown>>

/** A model to compare: one of the file's `models`, or a name for the provider of the agents. */
export interface ModelChoice {
  readonly provider: string | undefined
  readonly settings: Settings
  readonly isListed: boolean
}

/** Reads `<provider>:<model>`, or the name of a model, which may have a colon too. */
export const choiceOf = (text: string, {models = []}: EvalFile): ModelChoice => {
  const listed = models.find(({provider, model}) => text === model || text === `${provider}:${model}`)
  if (listed !== undefined) return {provider: listed.provider, settings: listed, isListed: true}
  const provider = Object.keys(agentProviders).find(name => text.startsWith(`${name}:`))
  const model = provider === undefined ? text : text.slice(provider.length + 1)
  return {provider, settings: {model}, isListed: false}
}

/** Returns the names of the tools that the agents list. */
export const toolsIn = (raw: Settings): readonly string[] => [
  ...new Set(Object.values(fieldsOf(raw.agents)).flatMap(agent => Object.keys(fieldsOf(fieldsOf(agent).tools)))),
]

/** The parts of a configuration that reach the outside, or that an evaluation replaces. */
const replaced = ["http", "database", "alerts", "watchdog", "checkpoints"]

/** Returns the configuration of an evaluation: the project's, on this machine alone. Throws `request_invalid`. */
export const settingsFor = (raw: Settings, {users = {}}: EvalFile, choice: ModelChoice | undefined): Settings => {
  const plugins = fieldsOf(raw.plugins)
  const rules = Array.isArray(raw.permissions) ? raw.permissions.map(fieldsOf) : []
  return {
    ...Object.fromEntries(Object.entries(raw).filter(([key]) => !replaced.includes(key))),
    http: {port: 0},
    permissions: [
      ...Object.entries(users).map(([user, permission]) => ({endpoint: "sandbox", user, permission})),
      ...rules.filter(({endpoint, user}) => endpoint !== "sandbox" || !Object.hasOwn(users, String(user))),
    ],
    plugins: {...plugins, sandbox: {...fieldsOf(plugins.sandbox), enabled: true}},
    agents: Object.fromEntries(
      Object.entries(fieldsOf(raw.agents)).map(([name, agent]) => [name, agentFor(name, fieldsOf(agent), choice)]),
    ),
  }
}

const agentFor = (name: string, given: Settings, choice: ModelChoice | undefined): Settings => {
  const agent: Settings = {
    ...given,
    ...(Array.isArray(given.mcp) ? {mcp: given.mcp.map(fieldsOf).map(withoutServer)} : {}),
  }
  if (choice === undefined) return agent
  const {models: __, provider, model, baseURL, key, prices, ...rest} = agent
  if (choice.isListed) return withoutIdleLimits({...rest, ...choice.settings})
  if (choice.provider !== undefined && choice.provider !== provider) {
    const hint = `Add {provider: ${choice.provider}, model: ${choice.settings.model}, …} to models of the file.`
    throw new Problem("request_invalid", `agents.${name} has no settings for the provider ${choice.provider}`, {hint})
  }
  const same = model === choice.settings.model ? {prices} : {}
  return withoutIdleLimits({...rest, provider, baseURL, key, ...same, ...choice.settings})
}

/** An MCP server acts, and its tools change without the project: only the rules for its tools remain. */
const withoutServer = ({command: _, env: __, key: ___, oauth: ____, ...entry}: Settings): Settings => ({
  ...entry,
  url: "http://127.0.0.1:9",
})

/** Without prices there is no money to limit. */
const withoutIdleLimits = (agent: Settings): Settings =>
  agent.prices === undefined
    ? {...agent, limits: fromJson(toJson(agent.limits ?? {}, (key, value) => (key === "money" ? undefined : value)))}
    : agent
