import type {Binding} from "../../shared/agents/binding.ts"
import {durationOf} from "../../shared/duration.ts"
import {Problem} from "../../shared/problems.ts"
import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {Permission} from "../../shared/sdk/session/permission.ts"
import type {TimerPlace} from "../../shared/sdk/session/timer.ts"
import type {PermissionOf} from "../messages/command/permissions.ts"
import {builtInTexts, type HostTexts, type Say} from "../messages/texts/host-texts.ts"
import type {Bindings} from "./bindings/bindings.ts"
import type {Model} from "./providers/model.ts"
import {openModel} from "./providers/open-model.ts"
import type {Engine} from "./runs/engine.ts"
import type {AgentRun} from "./runs/run-rows.ts"
import type {AgentTool} from "./runs/tool.ts"
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
  /** Removes the values of secrets from a text. */
  readonly hide: (text: string) => string
}

/** The parts of the running generation that runs use. */
export class Running {
  readonly #options: RunningOptions
  readonly #models = new WeakMap<Binding, Promise<Model>>()
  readonly #tools = new WeakMap<Binding, {readonly table: ToolTable; readonly tools: ReadonlyMap<string, AgentTool>}>()

  constructor(options: RunningOptions) {
    this.#options = options
  }

  enabled(agent: string): Binding | undefined {
    const binding = this.#options.bindings.find(agent)
    return binding?.config.enabled === true ? binding : undefined
  }

  resumeLimits(): ReturnType<Engine["resumeLimits"]> {
    return this.#options.bindings
      .list()
      .flatMap(({name, config: {resumeWithin}}) =>
        resumeWithin === undefined ? [] : [[name, durationOf(resumeWithin)] as const],
      )
  }

  /** Throws `agent_unknown`, `agent_disabled`, `agent_misconfigured`. */
  requireReady(agent: string): Binding {
    const {bindings} = this.#options
    const binding = bindings.require(agent)
    if (!binding.config.enabled) throw new Problem("agent_disabled", `agents.${agent} is disabled`)
    const standing = bindings.standingOf(binding)
    if (!standing.configured) throw new Problem("agent_misconfigured", `agents.${agent}: ${standing.message}`)
    return binding
  }

  modelOf(binding: Binding): Promise<Model> {
    const {project, hide} = this.#options
    const known = this.#models.get(binding)
    if (known !== undefined) return known
    const opened = openModel(binding, {project, hide})
    this.#models.set(binding, opened)
    // A failed opening is retried at the next call.
    opened.catch(() => this.#models.delete(binding))
    return opened
  }

  toolsOf(binding: Binding, {item}: AgentRun): ReadonlyMap<string, AgentTool> {
    const table = this.#options.tools()
    const known = this.#tools.get(binding)
    const tools = known?.table === table ? known.tools : resolveTools(binding, table).tools
    if (known?.table !== table) this.#tools.set(binding, {table, tools})
    if (item === undefined) return tools
    const block = itemBlock(this.#options.workroom, item)
    return new Map([...tools, [block.name, block]])
  }

  permissionOf({endpoint, place}: AgentRun, {config}: Binding): Permission | undefined {
    const {user, channel, permission} = place
    if (endpoint !== undefined && user !== undefined) {
      const event: SatoriEvent = {
        sn: 0,
        type: "message-created",
        timestamp: 0,
        login: {platform: endpoint},
        user,
        ...(channel === undefined ? {} : {channel}),
      }
      return this.#options.permissionOf(endpoint, event)
    }
    if (permission !== undefined) return permission
    return config.permission === "none" ? undefined : config.permission
  }

  async sayFor({endpoint, channel, place}: Pick<AgentRun, "endpoint" | "channel" | "place">): Promise<Say> {
    const {texts, languageOf} = this.#options
    const known = texts() ?? builtInTexts
    if (endpoint === undefined) return known.in("en")
    const user = place.user?.id
    const language = await languageOf({
      endpoint,
      ...(channel === undefined ? {} : {channel}),
      ...(user === undefined ? {} : {user}),
    })
    return known.in(language)
  }
}
