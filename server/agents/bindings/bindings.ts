import type {Binding} from "../../../shared/agents/binding.ts"
import type {Standing, Standings} from "../../../shared/agents/standing.ts"
import type {McpSettings} from "../../../shared/config/agents.ts"
import type {ProjectConfig} from "../../../shared/config/config.ts"
import {durationOf} from "../../../shared/duration.ts"
import {type Issue, Problem} from "../../../shared/problems.ts"
import type {Source} from "../../config/text/source.ts"
import {type Clock, systemClock} from "../../runtime/flow/clock.ts"
import type {McpState} from "../mcp/server.ts"
import {Cooling} from "../providers/cooling.ts"
import type {OptionalPackage} from "../providers/packages.ts"
import type {AgentTool} from "../runs/tool.ts"
import {listedTools, toolProblem} from "../tools/resolve.ts"
import type {ToolTable} from "../tools/table.ts"
import {configurationOf} from "./configured.ts"

export interface BindingsOptions {
  /** Returns the bindings of the running generation; empty before the first one. */
  readonly current: () => ReadonlyMap<string, Binding>
  /** Returns the tools of the running generation. */
  readonly tools: () => ToolTable
  readonly isInstalled: (name: OptionalPackage) => boolean
  readonly mcpStateOf: (agent: string, entry: McpSettings) => McpState
  readonly clock?: Pick<Clock, "elapsed">
}

/** The bindings of the running generation, and whether each is configured. */
export class Bindings {
  readonly #options: BindingsOptions
  readonly cooling: Cooling

  constructor(options: BindingsOptions) {
    this.#options = options
    this.cooling = new Cooling(options.clock ?? systemClock)
  }

  /** Returns the bindings in the order of the configuration. */
  list(): readonly Binding[] {
    return [...this.#options.current().values()]
  }

  /** Returns undefined if the configuration has no binding with this name. */
  find(name: string): Binding | undefined {
    return this.#options.current().get(name)
  }

  /** Throws `agent_unknown`. */
  require(name: string): Binding {
    const binding = this.find(name)
    if (binding === undefined) throw new Problem("agent_unknown", `there is no agent ${name}`)
    return binding
  }

  /** Throws `agent_unknown`, `agent_disabled`, `agent_misconfigured`. */
  requireReady(name: string): Binding {
    const binding = this.require(name)
    if (!binding.config.enabled) throw new Problem("agent_disabled", `agents.${name} is disabled`)
    const standing = this.standingOf(binding)
    if (!standing.configured) throw new Problem("agent_misconfigured", `agents.${name}: ${standing.message}`)
    return binding
  }

  mcpStateOf(agent: string, entry: McpSettings): McpState {
    return this.#options.mcpStateOf(agent, entry)
  }

  standingOf(binding: Binding): Standing {
    return configurationOf(binding, {
      hasTool: (name, of) => toolProblem(of, name, this.#options.tools()),
      isInstalled: this.#options.isInstalled,
    })
  }

  /** Computed at each call, because a plugin that fails takes its tools with it. */
  standings(): Standings {
    return Object.fromEntries(this.list().map(binding => [binding.name, this.standingOf(binding)]))
  }

  /** Returns the existing tools that the binding lists, with its approval and permission. */
  toolsOf(binding: Binding): readonly AgentTool[] {
    return listedTools(binding, this.#options.tools())
  }
}

/** Returns the positions in the configuration of enabled bindings that are not configured. */
export const bindingIssues = (source: Source, standings: Standings): Issue[] =>
  Object.entries(standings).flatMap(([name, standing]) =>
    standing.configured || standing.reason === "agent_disabled"
      ? []
      : [
          source.issue(
            ["agents", name, ...standing.at],
            standing.message,
            standing.at[0] === "tools" ? "key" : "value",
          ),
        ],
  )

/** Returns the positions of agents' search tools that lose messages before retention deletes them. */
export const searchIssues = (source: Source, {agents, retention}: ProjectConfig): Issue[] => {
  const {unhandled, handled} = retention
  const [erased = 0, deleted = 0] = [unhandled, handled.age].map(durationOf)
  // 0 means forever.
  if (erased === 0 || (deleted !== 0 && erased >= deleted)) return []
  return Object.entries(agents)
    .filter(([, {enabled, tools}]) => enabled && Object.hasOwn(tools, "search"))
    .map(([name]) =>
      source.issue(
        ["agents", name, "tools", "search"],
        `finds a message that no handler wanted for ${unhandled} only; raise retention.unhandled if it needs more`,
        "key",
      ),
    )
}
