import {checkArguments} from "../../../server/agents/tools/arguments.ts"
import type {AgentTool, RunFacts, ToolResult, ToolUse} from "../../../server/agents/tools/tool.ts"
import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentSettings, ToolSettings} from "../../../shared/agents/config.ts"

/** A run that a user of the endpoint `line` asked for in the channel `#team`. */
export const runOf = (own: Partial<RunFacts> = {}): RunFacts => ({
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

export const bindingOf = (tools: Readonly<Record<string, ToolSettings>> = {}): Binding => {
  const config: AgentSettings = {
    enabled: true,
    provider: "openai-compatible",
    model: "small",
    tools,
    limits: {
      steps: 24,
      tokens: 200_000,
      seconds: 600,
      output: 4096,
      call: 120,
      parallel: 4,
      user: {},
      channel: {},
      day: {},
    },
    triggers: {mention: false, direct: false, permission: "user", events: [], items: false},
    permission: "none",
    approval: {permission: "trusted", expires: "24h"},
  }
  return {name: "helper", config, instructions: "", fileProblem: undefined}
}

/** One call with these arguments. */
export const useOf = (args: unknown, own: Partial<ToolUse> = {}): ToolUse => ({
  args,
  key: "run-1/2",
  run: runOf(),
  binding: bindingOf(),
  signal: new AbortController().signal,
  now: Date.parse("2026-05-01T09:00:00Z"),
  ...own,
})

/** Calls a tool as an agent does: with arguments that a model wrote. Throws what the model is told of them. */
export const callTool = async (tool: AgentTool, args: unknown, own: Partial<ToolUse> = {}): Promise<ToolResult> => {
  const checked = checkArguments(tool, JSON.stringify(args))
  if (checked.is === "wrong") throw new Error(checked.message)
  return tool.run(useOf(checked.args, own))
}
