import {toolEffects} from "../../../shared/agents/states.ts"
import {pluginNameOf} from "../../../shared/ids.ts"
import type {ToolDefinition, ToolHandler} from "../../../shared/sdk/plugin/tool.ts"
import {permissions} from "../../../shared/sdk/session/permission.ts"
import {fieldsOf, readJson} from "../../../shared/sdk/session/values.ts"
import type {Declared} from "../../messages/forms/declared.ts"
import type {Handler} from "../../messages/session/handler.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import type {Setup} from "./kind.ts"
import {named} from "./named.ts"

type DeclaredTool = Declared<ToolDefinition, ToolHandler<never>>

export type PublishedTool = Handler & DeclaredTool

/** How long a call may take, in seconds. */
const longestCall = 3600

/** The longest tool name of model providers, in characters. A plugin's tool is called `<plugin>__<tool>` there. */
const longestName = 64

export const tools = (setup: Setup) => {
  const {declare, ...all} = named<ToolDefinition, DeclaredTool["handle"], [string, PublishedTool]>(setup, "tool", {
    check: (what, definition, name) => {
      requireToolName(what, pluginNameOf(setup.owner), name)
      requireDefinition(what, definition)
    },
    needs: "a function",
    publish: (tool, at, name) => [`${at.owner.name}.${name}`, {...at.handler(tool.id), ...tool}],
  })
  // Without a definition, the function is missing too.
  const tool = (name: string, definition: unknown, run: unknown) => declare(name, definition, run ?? null)
  return {...all, methods: {tool}}
}

const requireToolName = (what: string, plugin: string, name: unknown): void => {
  if (typeof name !== "string" || !/^[a-z0-9][a-z0-9_-]*$/.test(name) || name.includes("__"))
    throw new Error(`${what}: a name may have only a to z, digits, _ and -, no two _ in a row, and no _ or - first`)
  const most = longestName - `${plugin}__`.length
  if (name.length > most)
    throw new Error(`${what}: the name of a tool of the plugin "${plugin}" may have at most ${most} characters`)
}

const requireDefinition = (what: string, definition: unknown): void => {
  const {description, parameters, effect, permission = "user", approval = false, timeout = 1} = fieldsOf(definition)
  if (typeof description !== "string" || description.trim() === "")
    throw new TypeError(`${what}: description must be text that tells the model what the tool does`)
  requireParameters(what, parameters)
  if (!isOneOf(toolEffects, effect)) throw new Error(`${what}: effect must be one of ${toolEffects.join(", ")}`)
  if (!isOneOf(permissions, permission)) throw new Error(`${what}: permission must be one of ${permissions.join(", ")}`)
  if (typeof approval !== "boolean") throw new TypeError(`${what}: approval must be true or false`)
  if (typeof timeout !== "number" || !(timeout > 0 && timeout <= longestCall))
    throw new Error(`${what}: timeout must be seconds, at most ${longestCall}`)
}

const isOneOf = (all: readonly string[], value: unknown) => all.some(each => each === value)

const requireParameters = (what: string, parameters: unknown): void => {
  const {type, properties} = fieldsOf(parameters)
  if (type !== "object" || typeof properties !== "object" || properties === null)
    throw new TypeError(`${what}: parameters must be the schema of an object: Type.Object({…})`)
  readJson(`the parameters of ${what}`, parameters, "request_invalid")
  // Reports an unreadable schema here, not at the first call.
  explainValue(parameters as ToolDefinition["parameters"], {})
}
