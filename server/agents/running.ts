import type {Binding} from "../../shared/agents/binding.ts"
import {durationOf} from "../../shared/duration.ts"
import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {TimerPlace} from "../../shared/sdk/session/timer.ts"
import type {PermissionOf} from "../messages/command/permissions.ts"
import {builtInTexts, type HostTexts} from "../messages/texts/host-texts.ts"
import type {Bindings} from "./bindings/bindings.ts"
import type {Model} from "./providers/model.ts"
import {openModel} from "./providers/open-model.ts"
import type {Engine} from "./runs/engine.ts"
import type {AgentTool} from "./runs/tool.ts"
import type {StandIns} from "./stand-ins.ts"
import {itemBlock} from "./tools/item-block.ts"
import {resolveTools} from "./tools/resolve.ts"
import type {ToolTable} from "./tools/table.ts"

/** All options refer to the current generation. */
export interface RunningOptions {
  readonly project: string
  readonly workroom: Engine["workroom"]
  readonly bindings: Bindings
  readonly tools: () => ToolTable
  readonly permissionOf: PermissionOf
  readonly languageOf: (place: TimerPlace) => Promise<string>
  readonly texts: () => HostTexts | undefined
  readonly hide: (text: string) => string
  readonly standIns?: StandIns | undefined
}

/** The parts of an engine that the running generation decides. */
type Running = Pick<Engine, "bindingOf" | "resumeLimits" | "toolsOf" | "modelOf" | "permissionOf" | "sayFor">

export const createRunning = (options: RunningOptions): Running => {
  const {project, workroom, bindings, hide, standIns} = options
  const models = new WeakMap<Binding, Promise<Model>>()
  const tools = new WeakMap<Binding, {readonly table: ToolTable; readonly tools: ReadonlyMap<string, AgentTool>}>()
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
    modelOf: binding => {
      const known = models.get(binding)
      if (known !== undefined) return known
      const open = () => openModel(binding, {project, hide})
      const opened = standIns?.model(binding, open, hide) ?? open()
      models.set(binding, opened)
      // A failed opening is retried at the next call.
      opened.catch(() => models.delete(binding))
      return opened
    },
    toolsOf: (binding, {item}) => {
      const table = options.tools()
      const known = tools.get(binding)
      const listed = known?.table === table ? known.tools : standing(resolveTools(binding, table), standIns)
      if (known?.table !== table) tools.set(binding, {table, tools: listed})
      if (item === undefined) return listed
      const block = itemBlock(workroom, item)
      return new Map([...listed, [block.name, block]])
    },
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

const standing = (tools: ReadonlyMap<string, AgentTool>, standIns: StandIns | undefined) =>
  standIns === undefined ? tools : new Map([...tools].map(([name, tool]) => [name, standIns.tool(tool)]))
