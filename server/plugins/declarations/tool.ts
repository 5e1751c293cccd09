import {toolEffects} from "../../../shared/agents/states.ts"
import {capabilityId, type PluginPath, pluginNameOf} from "../../../shared/ids.ts"
import type {ToolDefinition} from "../../../shared/sdk/plugin/tool.ts"
import {permissions} from "../../../shared/sdk/session/permission.ts"
import {fieldsOf, readJson} from "../../../shared/sdk/session/values.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {isHandler} from "./checks.ts"
import type {DeclaredTool} from "./declared.ts"

/** How long a call may take, in seconds. */
const longestCall = 3600

/** The longest tool name of model providers, in characters. A plugin's tool is called `<plugin>__<tool>` there. */
const longestName = 64

const known = ["description", "parameters", "effect", "permission", "approval", "timeout"]

/** Reads a `plugin.tool` declaration, because plugins may be JavaScript. Throws if it is invalid. */
export const readTool = (owner: PluginPath, name: unknown, definition: unknown, run: unknown): DeclaredTool => {
  const what = `tool("${String(name)}")`
  requireToolName(what, pluginNameOf(owner), name)
  if (!isHandler<DeclaredTool["handle"]>(run)) throw new TypeError(`${what} needs a function`)
  requireDefinition(what, definition)
  return {id: capabilityId(owner, "tool", name), definition, handle: run}
}

function requireToolName(what: string, plugin: string, name: unknown): asserts name is string {
  if (typeof name !== "string" || !/^[a-z0-9][a-z0-9_-]*$/.test(name) || name.includes("__"))
    throw new Error(
      `${what}: a name may have only lower-case letters, digits, _ and -, no two _ in a row, and no _ or - first`,
    )
  const most = longestName - `${plugin}__`.length
  if (name.length > most)
    throw new Error(`${what}: the name of a tool of the plugin "${plugin}" may have at most ${most} characters`)
}

function requireDefinition(what: string, definition: unknown): asserts definition is ToolDefinition {
  const {description, parameters, effect, permission = "user", approval = false, timeout = 1} = fieldsOf(definition)
  const unknown = Object.keys(fieldsOf(definition)).find(key => !known.includes(key))
  if (unknown !== undefined) throw new Error(`${what}: there is no "${unknown}"; the keys are ${known.join(", ")}`)
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
