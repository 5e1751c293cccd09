import type {Binding} from "../../../shared/agents/binding.ts"
import type {ToolSettings} from "../../../shared/config/agents.ts"
import {includesPermission, type Permission} from "../../../shared/sdk/session/permission.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"
import type {AgentTool} from "../runs/tool.ts"
import type {ToolTable} from "./table.ts"

export interface ResolvedTools {
  /** Tools by name, with the binding's approval and permission. */
  readonly tools: ReadonlyMap<string, AgentTool>
  /** Tools that do not exist, or that the binding cannot have; for people. */
  readonly problems: readonly {readonly name: string; readonly problem: string}[]
}

/** Returns the tools that a binding lists, in its order, if they exist and the binding can have them. */
export const resolveTools = (binding: Binding, table: ToolTable): ResolvedTools => {
  const tools = new Map<string, AgentTool>()
  const problems: {name: string; problem: string}[] = []
  for (const [name, settings] of Object.entries(binding.config.tools)) {
    const tool = table.get(name)
    const problem = tool === undefined ? missingTool(name, table) : tool.problem?.(binding)
    if (problem !== undefined) problems.push({name, problem})
    else if (tool !== undefined) tools.set(name, withSettings(tool, settings))
  }
  return {tools, problems}
}

export const missingTool = (name: string, {names}: ToolTable): string =>
  `there is no tool "${name}"${didYouMean(name, names)}: neither svc nor a plugin provides it`

const withSettings = (tool: AgentTool, {approval = false, permission = tool.permission}: ToolSettings): AgentTool => ({
  ...tool,
  approval: approval || tool.approval,
  permission,
})

/** Whether a user with this permission may have this tool called. Without a permission, no tool may be called. */
export const mayCall = (tool: AgentTool, settings: ToolSettings, permission: Permission | undefined): boolean =>
  permission !== undefined && includesPermission(permission, settings.permission ?? tool.permission)
