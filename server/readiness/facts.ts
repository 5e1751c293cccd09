import type {CheckpointFailure, NewestCheckpoint} from "../../shared/api/checkpoint.ts"
import type {UncommittedConfig} from "../../shared/api/configuration/file.ts"
import type {IngressView} from "../../shared/api/readiness.ts"
import type {endpointStates} from "../../shared/endpoint-states.ts"
import type {PluginPath} from "../../shared/ids.ts"
import type {Standings} from "../agents/bindings/configured.ts"

export interface EndpointFacts {
  readonly owner: PluginPath
  readonly name: string
  /** Of its connection, as `/api/endpoints` shows it. */
  readonly state: (typeof endpointStates)[number]
  /** The endpoint's own gate, and why it is closed. */
  readonly admission: {readonly is: "open"} | {readonly is: "closed"; readonly reason: string}
  /** Milliseconds since 1970. */
  readonly since: number
}

/** Why the newest change was not stored. `since` in milliseconds since 1970. */
export interface DatabaseFailure {
  /** Of the problem. */
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly since: number
}

/** What the Host knows, at one moment. Times in milliseconds since 1970. */
export interface Facts {
  readonly now: number
  readonly startedAt: number
  readonly authority: string | undefined
  readonly generation: {readonly number: number; readonly committedAt: number} | undefined
  /** What keeps the project as it is from starting, while the last good generation runs. */
  readonly notStarted?: string | undefined
  /** Does a pinned configuration run, and not the file's? */
  readonly isPinned?: boolean | undefined
  /** Why the newest draft was not committed, if it was not. */
  readonly failure: string | undefined
  /** The configuration that git does not have as it is. */
  readonly uncommitted?: UncommittedConfig | undefined
  readonly databaseInitialized: boolean
  /** Why a remote database does not answer, while a provisional generation runs. */
  readonly databaseUnreachable?: string | undefined
  /** Why nothing can be stored, while a start waits for space and no generation is recorded. */
  readonly noSpace?: string | undefined
  /** Why the newest change was not stored, while the database fails. */
  readonly databaseFailure?: DatabaseFailure | undefined
  readonly endpoints: readonly EndpointFacts[]
  /** Shown, and no check: a paused Host is ready. Open since the start when left out. */
  readonly ingress?: IngressView | undefined
  /** The newest verified checkpoint; left out where nobody makes any. */
  readonly checkpoint?: NewestCheckpoint | undefined
  readonly checkpointFailure?: CheckpointFailure | undefined
  /** State of each plugin instance by name; `disabled` for one that the configuration switches off. */
  readonly plugins: Readonly<Record<string, string>>
  readonly agents: Standings
  readonly required: {
    readonly database: boolean
    readonly endpoints: readonly {readonly owner: string; readonly name: string}[]
    readonly agents: readonly string[]
  }
}
