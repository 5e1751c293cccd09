import type {Binding} from "../../../shared/agents/binding.ts"
import {includesPermission, type Permission} from "../../../shared/sdk/session/permission.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"
import type {AgentTool} from "../runs/tool.ts"
import type {ToolTable} from "./table.ts"

/** Returns the existing tools that a binding lists, in its order, with its approval and permission. */
export const listedTools = (binding: Binding, table: ToolTable): readonly AgentTool[] =>
  Object.entries(binding.config.tools).flatMap(([name, {approval = false, permission}]) => {
    const tool = table.get(name)
    if (tool === undefined) return []
    return [{...tool, approval: approval || tool.approval, permission: permission ?? tool.permission}]
  })

/** Returns those that the binding can have, by name. */
export const resolveTools = (binding: Binding, table: ToolTable): ReadonlyMap<string, AgentTool> => {
  const fitting = listedTools(binding, table).filter(tool => tool.problem?.(binding) === undefined)
  return new Map(fitting.map(tool => [tool.name, tool]))
}

/** Returns why a binding cannot have a tool, for people; undefined if it can. */
export const toolProblem = (binding: Binding, name: string, table: ToolTable): string | undefined => {
  const tool = table.get(name)
  if (tool !== undefined) return tool.problem?.(binding)
  return `there is no tool "${name}"${didYouMean(name, table.names)}: neither svc nor a plugin provides it`
}

/** Whether a user with this permission may have a listed tool called. Without a permission, no tool may be called. */
export const mayCall = (tool: Pick<AgentTool, "permission">, permission: Permission | undefined): boolean =>
  permission !== undefined && includesPermission(permission, tool.permission)
