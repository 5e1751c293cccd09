import type {Standings} from "../../../shared/agents/standing.ts"
import type {CheckpointFailure, NewestCheckpoint} from "../../../shared/api/checkpoint.ts"
import type {UncommittedConfig} from "../../../shared/api/configuration/file.ts"
import type {IngressView} from "../../../shared/api/readiness.ts"
import type {endpointStates} from "../../../shared/endpoint-states.ts"
import type {PluginPath} from "../../../shared/ids.ts"
import type {DatabaseFailure} from "../../database/failing.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import type {EndpointSpec} from "../../endpoints/spec.ts"
import type {Generation} from "../../generation/generation.ts"

export interface EndpointFacts {
  readonly owner: PluginPath
  readonly name: string
  /** The state of the connection, as in `/api/endpoints`. */
  readonly state: (typeof endpointStates)[number]
  /** The endpoint's own gate, and why it is closed. */
  readonly admission: {readonly is: "open"} | {readonly is: "closed"; readonly reason: string}
  /** Milliseconds since 1970. */
  readonly since: number
}

/** The state of the Host at one moment. Times in milliseconds since 1970. */
export interface Facts {
  readonly now: number
  readonly startedAt: number
  readonly authority: string | undefined
  readonly generation: {readonly number: number; readonly committedAt: number} | undefined
  /** Why the project as it is does not start, while the last good generation runs. */
  readonly notStarted?: string | undefined
  /** Whether a pinned configuration runs instead of the file's. */
  readonly isPinned?: boolean | undefined
  /** Why the newest draft was not committed, if it failed. */
  readonly failure: string | undefined
  /** The configuration that git does not have in its current form. */
  readonly uncommitted?: UncommittedConfig | undefined
  readonly databaseInitialized: boolean
  /** Why a remote database does not answer. */
  readonly databaseUnreachable?: string | undefined
  /** Whether a generation runs that no database has recorded. */
  readonly isProvisional?: boolean | undefined
  /** Why nothing can be stored, while a start waits for space and no generation is recorded. */
  readonly noSpace?: string | undefined
  /** Why the newest change was not stored, while the database fails. */
  readonly databaseFailure?: DatabaseFailure | undefined
  /** The damaged tables, none while they are unknown. */
  readonly databaseDamage?: {readonly tables: readonly string[]; readonly since: number} | undefined
  readonly endpoints: readonly EndpointFacts[]
  /** For display only: a paused Host is ready. Defaults to open since the start. */
  readonly ingress?: IngressView | undefined
  /** The newest verified checkpoint; left out if checkpoints are not available. */
  readonly checkpoint?: NewestCheckpoint | undefined
  readonly checkpointFailure?: CheckpointFailure | undefined
  /** The state of each plugin instance by name; `disabled` for a plugin that the configuration disables. */
  readonly plugins: Readonly<Record<string, string>>
  readonly agents: Standings
  readonly required: {
    readonly database: boolean
    readonly endpoints: readonly {readonly owner: string; readonly name: string}[]
    readonly agents: readonly string[]
  }
}

export const endpointFacts = ({
  spec: {owner, name},
  state,
  ownAdmission,
}: Pick<Endpoint, "spec" | "ownAdmission" | "state">): EndpointFacts => ({
  owner,
  name,
  state: state.is,
  admission: ownAdmission,
  since: state.since,
})

/**
 * Returns the endpoints that a generation would have. One that stays failed is failed; any other that can be opened
 * counts as admitting, because whether it connects shows only afterwards.
 */
export const foreseeEndpoints = (
  specs: readonly EndpointSpec[],
  running: (name: string) => Endpoint | undefined,
  since: number,
): readonly EndpointFacts[] =>
  specs.map(spec => {
    const {owner, name, open, fingerprint} = spec
    const present = running(name)
    if (present?.spec.fingerprint === fingerprint && present.state.is === "failed") return endpointFacts(present)
    return open === undefined
      ? {owner, name, since, state: "idle", admission: {is: "closed", reason: "no_account"}}
      : {owner, name, since, state: "connecting", admission: {is: "open"}}
  })

/** Returns the states of a generation's plugins. Those of a draft start with its commit. */
export const pluginStates = ({config, instances}: Pick<Generation, "config" | "instances">): Facts["plugins"] => {
  const disabled = Object.entries(config.config.plugins).filter(([, entry]) => !entry.enabled)
  return Object.fromEntries([
    ...disabled.map(([name]) => [name, "disabled"] as const),
    ...instances.map(({name, state: {is}}) => [name, is === "starting" ? "active" : is] as const),
  ])
}
