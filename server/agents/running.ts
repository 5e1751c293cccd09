import type {Binding} from "../../shared/agents/binding.ts"
import {durationOf} from "../../shared/duration.ts"
import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {TimerPlace} from "../../shared/sdk/session/timer.ts"
import type {PermissionOf} from "../messages/command/permissions.ts"
import {builtInTexts, type HostTexts} from "../messages/texts/host-texts.ts"
import type {Bindings} from "./bindings/bindings.ts"
import type {McpServers} from "./mcp/servers.ts"
import {memoryTools} from "./memory/tools.ts"
import type {Model} from "./providers/model.ts"
import {openModel} from "./providers/open-model.ts"
import {modelNameOf} from "./runs/conversation.ts"
import type {Engine} from "./runs/engine.ts"
import type {AgentTool} from "./runs/tool.ts"
import type {StandIns} from "./stand-ins.ts"
import {itemBlock} from "./tools/item-block.ts"
import {resolveTools} from "./tools/resolve.ts"
import type {ToolTable} from "./tools/table.ts"

/** All options refer to the current generation. */
export interface RunningOptions extends Pick<Engine, "database" | "log"> {
  readonly project: string
  readonly workroom: Engine["workroom"]
  readonly bindings: Bindings
  readonly tools: () => ToolTable
  readonly permissionOf: PermissionOf
  readonly languageOf: (place: TimerPlace) => Promise<string>
  readonly texts: () => HostTexts | undefined
  readonly hide: (text: string) => string
  readonly mcp: Pick<McpServers, "learn" | "toolsOf">
  readonly standIns?: StandIns | undefined
}

/** The parts of an engine that the running generation decides. */
type Running = Pick<
  Engine,
  "bindingOf" | "resumeLimits" | "summarizing" | "toolsOf" | "learnTools" | "modelOf" | "permissionOf" | "sayFor"
>

export const createRunning = (options: RunningOptions): Running => {
  const {project, workroom, bindings, hide, standIns} = options
  const models = new WeakMap<Binding, Map<string, Promise<Model>>>()
  const tools = new WeakMap<Binding, {readonly table: ToolTable; readonly tools: ReadonlyMap<string, AgentTool>}>()
  const remembers = memoryTools(options)
  return {
    bindingOf: agent => {
      const binding = bindings.find(agent)
      return binding?.config.enabled === true ? binding : undefined
    },
    resumeLimits: () =>
      bindings
        .list()
        .flatMap(({name, config: {resumeWithin}}) =>
          resumeWithin === undefined ? [] : [[name, durationOf(resumeWithin)] as const],
        ),
    summarizing: () =>
      bindings.list().flatMap(({name, config}) => ((config.memory?.summary ?? "none") === "none" ? [] : [name])),
    modelOf: (binding, model) => {
      const known = models.get(binding) ?? new Map<string, Promise<Model>>()
      models.set(binding, known)
      const open = () => openModel(model, {project, hide})
      const opened = known.get(model.at) ?? standIns?.model(binding, open, hide) ?? open()
      known.set(model.at, opened)
      // A failed opening is retried at the next call.
      opened.catch(() => known.delete(model.at))
      return opened
    },
    toolsOf: (binding, {item, isSummary}) => {
      if (isSummary) return new Map()
      const table = options.tools()
      const known = tools.get(binding)
      const resolved = known?.table === table ? known.tools : standing(resolveTools(binding, table), standIns)
      if (known?.table !== table) tools.set(binding, {table, tools: resolved})
      const listed = withForeign(resolved, standIns?.foreign(binding) ?? options.mcp.toolsOf(binding))
      if (item === undefined && binding.config.memory === undefined) return listed
      if (item === undefined) return new Map([...listed, ...remembers.map(tool => [tool.name, tool] as const)])
      const block = itemBlock(workroom, item)
      return new Map([...listed, [block.name, block]])
    },
    learnTools: async binding => (standIns === undefined ? options.mcp.learn(binding) : undefined),
    permissionOf: ({endpoint, place: {user, channel, permission}}, {config}) => {
      if (endpoint !== undefined && user !== undefined) {
        const event: SatoriEvent = {
          sn: 0,
          type: "message-created",
          timestamp: 0,
          login: {platform: endpoint},
          user,
          ...(channel === undefined ? {} : {channel}),
        }
        return options.permissionOf(endpoint, event)
      }
      if (permission !== undefined) return permission
      return config.permission === "none" ? undefined : config.permission
    },
    sayFor: async ({endpoint, channel, place}) => {
      const known = options.texts() ?? builtInTexts
      if (endpoint === undefined) return known.in("en")
      const user = place.user?.id
      const language = await options.languageOf({
        endpoint,
        ...(channel === undefined ? {} : {channel}),
        ...(user === undefined ? {} : {user}),
      })
      return known.in(language)
    },
  }
}

/** Adds the tools of MCP servers. A model tells tools apart by other names, and none may take a listed one's. */
const withForeign = (listed: ReadonlyMap<string, AgentTool>, foreign: readonly AgentTool[]) => {
  if (foreign.length === 0) return listed
  const taken = new Set([...listed.keys()].map(modelNameOf))
  const isFree = ({name}: AgentTool) => {
    const isNew = !taken.has(modelNameOf(name))
    taken.add(modelNameOf(name))
    return isNew
  }
  return new Map([...listed, ...foreign.filter(isFree).map(tool => [tool.name, tool] as const)])
}

const standing = (tools: ReadonlyMap<string, AgentTool>, standIns: StandIns | undefined) =>
  standIns === undefined ? tools : new Map([...tools].map(([name, tool]) => [name, standIns.tool(tool)]))
