import type {AgentTool, RunFacts, ToolResult, ToolUse} from "../../../server/agents/runs/tool.ts"
import {checkArguments} from "../../../server/agents/tools/arguments.ts"
import type {Binding} from "../../../shared/agents/binding.ts"
import type {ToolSettings} from "../../../shared/config/agents.ts"
import {bindingOf as usualBinding} from "./bindings.ts"

/** A run for a user of the endpoint `line` in the channel `#team`. */
export const runOf = (own: Partial<RunFacts> = {}): RunFacts => ({
  seq: 1,
  runId: "run-1",
  agent: "helper",
  endpoint: "line",
  channel: "#team",
  user: {id: "ada", name: "Ada"},
  place: {channel: {id: "#team", type: 0}, user: {id: "ada", name: "Ada"}},
  item: undefined,
  actor: "agent:helper",
  permission: "trusted",
  ...own,
})

export const bindingOf = (tools: Readonly<Record<string, ToolSettings>> = {}): Binding => usualBinding({tools})

export const useOf = (args: unknown, own: Partial<ToolUse> = {}): ToolUse => ({
  args,
  key: "run-1/2",
  run: runOf(),
  binding: bindingOf(),
  signal: new AbortController().signal,
  now: Date.parse("2026-05-01T09:00:00Z"),
  ...own,
})

/** Calls a tool as an agent does, with a model's arguments. Throws the message that the model gets about them. */
export const callTool = async (tool: AgentTool, args: unknown, own: Partial<ToolUse> = {}): Promise<ToolResult> => {
  const checked = checkArguments(tool, JSON.stringify(args))
  if (checked.is === "wrong") throw new Error(checked.message)
  return tool.run(useOf(checked.args, own))
}
