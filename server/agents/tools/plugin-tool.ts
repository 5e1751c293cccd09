import {Problem} from "../../../shared/problems.ts"
import type {ToolCall} from "../../../shared/sdk/plugin/tool.ts"
import type {SessionDatabase} from "../../../shared/sdk/session/session.ts"
import {closed} from "../../config/close.ts"
import type {PublishedTool} from "../../generation/kinds/tool.ts"
import {type PluginWork, type PluginWorkOptions, runPluginWork} from "../../messages/session/plugin-work.ts"
import {type AgentTool, ToolCutOff, type ToolUse} from "../runs/tool.ts"
import {resultOf} from "../runs/tool-result.ts"

/** The default time limit of a call, in seconds. */
const usualTimeout = 30

/** The parts of the Host that calls of plugin tools need; the composition root passes them in. */
export type PluginToolDeps = Pick<PluginWorkOptions, "requireTarget" | "files">

/** Returns a plugin's tool for an agent. Its parameters are closed: unknown keys are rejected. */
export const pluginTool = (name: string, published: PublishedTool, deps: PluginToolDeps): AgentTool => {
  const {description, parameters, effect, permission = "user", approval = false, timeout} = published.definition
  const tool = {
    name,
    description,
    parameters: closed(parameters),
    effect,
    permission,
    approval,
    timeout: (timeout ?? usualTimeout) * 1000,
  }
  return {...tool, run: use => callTool(tool, published, use, deps)}
}

const callTool = async (tool: Omit<AgentTool, "run">, published: PublishedTool, use: ToolUse, deps: PluginToolDeps) => {
  const {agent, runId} = use.run
  if (published.signal.aborted) throw new Problem("not_active", `the plugin of ${tool.name} has ended`)
  const about = {agent, runId, tool: tool.name}
  const options = {...deps, handler: published, about, timeout: tool.timeout, signal: use.signal}
  const {result, sends, writes, release} = await runPluginWork(options, open =>
    published.handle(callOf(tool, published, use, open) as Parameters<typeof published.handle>[0]),
  ).catch(cause => {
    if (!published.signal.aborted || use.signal.aborted) throw cause
    throw new ToolCutOff(`the plugin of ${tool.name} ended during the call`, {cause})
  })
  return {value: resultOf(result), sends, statements: writes, release}
}

const callOf = (
  {name, effect}: Omit<AgentTool, "run">,
  {log}: PublishedTool,
  use: ToolUse,
  open: PluginWork,
): ToolCall => {
  const {args, key, run} = use
  const {agent, runId, endpoint, channel, user, permission = "user"} = run
  const requireTransaction = (what: string) => {
    if (effect !== "transaction")
      throw new Problem("tool_effect", `${name} has the effect ${effect}: ${what} is not allowed`)
  }
  const database: SessionDatabase = {
    ...open.database,
    write: async statements => {
      requireTransaction("database.write()")
      return open.database.write(statements)
    },
  }
  return {
    args,
    agent,
    runId,
    key,
    place: endpoint === undefined ? undefined : {endpoint, ...(channel === undefined ? {} : {channel})},
    user,
    permission,
    signal: open.signal,
    log: log.with({agent, runId, tool: name}),
    send: async (to, content) => {
      requireTransaction("send()")
      return open.send(to, content)
    },
    database,
  }
}
