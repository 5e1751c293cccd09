import type {ProjectConfig} from "../../../shared/config.ts"
import {Problem} from "../../../shared/problems.ts"
import {Bindings} from "../../agents/bindings/bindings.ts"
import {bindingsIn} from "../../agents/bindings/in-config.ts"
import {isProviderInstalled} from "../../agents/providers/installed.ts"
import type {AgentService} from "../../agents/service.ts"

export interface AgentsOptions {
  /** Of the running generation; undefined before the first one. */
  readonly config: () => Pick<ProjectConfig, "agents"> | undefined
  /** The project's folder. */
  readonly project: string
}

/** What a Host has of agents. */
export interface HostAgents {
  readonly agents: AgentService
  readonly bindings: Bindings
}

/** The agents of a Host. */
export const createAgents = (options: AgentsOptions): HostAgents => ({
  agents: notRunning,
  bindings: createBindings(options),
})

/** Of a Host, of one that waits for its database, and of a start that opens nothing. */
export const createBindings = ({config, project}: AgentsOptions): Bindings =>
  new Bindings({
    current: () => bindingsIn(config() ?? {agents: {}}, project),
    tool: () => undefined,
    isInstalled: isProviderInstalled,
  })

const refuse = async (): Promise<never> => {
  throw new Problem("not_active", "this Host runs no agents")
}

const notRunning: AgentService = {queue: refuse, cancel: refuse, decide: refuse, actOnHeld: refuse, check: refuse}
