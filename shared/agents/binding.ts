import type {AgentSettings} from "../config/agents.ts"

/** A binding in a generation: the settings of `agents.<name>`, with the instructions loaded. */
export interface Binding {
  readonly name: string
  readonly config: AgentSettings
  /** From `instructions` or from the file; empty if there are none. */
  readonly instructions: string
  /** Why the file could not be read; undefined if it was read or not configured. */
  readonly fileProblem: string | undefined
}

/** The name of the plugin instance that handles chats with agents. No other plugin may use it if there are agents. */
export const agentsPluginName = "agents"
