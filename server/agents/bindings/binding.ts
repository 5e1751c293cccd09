import type {AgentSettings} from "../../../shared/agents/config.ts"

/** A binding of the running generation: what `agents.<name>` says, with its instructions read. */
export interface Binding {
  readonly name: string
  readonly config: AgentSettings
  /** Of `instructions` or of the file. */
  readonly instructions: string
  /** Why the file could not be read; undefined where it was, or there is none. */
  readonly fileProblem: string | undefined
}
