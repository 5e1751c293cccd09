import type {AgentSettings} from "./config.ts"

/** A binding of a generation: what `agents.<name>` says, with its instructions read. */
export interface Binding {
  readonly name: string
  readonly config: AgentSettings
  /** Of `instructions` or of the file; empty where there are none. */
  readonly instructions: string
  /** Why the file could not be read; undefined where it was, or there is none. */
  readonly fileProblem: string | undefined
}

/** The name of the plugin instance through which agents are asked. No other plugin has it where there are agents. */
export const agentsPluginName = "agents"
