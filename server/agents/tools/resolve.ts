import type {Binding} from "../../../shared/agents/binding.ts"
import type {ToolSettings} from "../../../shared/agents/config.ts"
import {includesPermission, type Permission} from "../../../shared/sdk/permission.ts"
import {didYouMean} from "../../config/suggest.ts"
import type {ToolTable} from "./table.ts"
import type {AgentTool} from "./tool.ts"

/** The tools of a binding. */
export interface ResolvedTools {
  /** By name, as the binding wants them: with its approval and its permission. */
  readonly tools: ReadonlyMap<string, AgentTool>
  /** What is not there, or cannot be had; for people. */
  readonly problems: readonly {readonly name: string; readonly problem: string}[]
}

/** The tools that a binding lists, in its order, as far as there are such tools and nothing keeps it from having them. */
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

/** For people. */
export const missingTool = (name: string, {names}: ToolTable): string =>
  `there is no tool "${name}"${didYouMean(name, names)}: neither svc nor a plugin provides it`

const withSettings = (tool: AgentTool, {approval = false, permission = tool.permission}: ToolSettings): AgentTool => ({
  ...tool,
  approval: approval || tool.approval,
  permission,
})

/** May this tool be called on behalf of somebody with this permission, where a binding has these settings for it? None may nothing. */
export const mayCall = (tool: AgentTool, settings: ToolSettings, permission: Permission | undefined): boolean =>
  permission !== undefined && includesPermission(permission, settings.permission ?? tool.permission)
