import type {DatabaseInfo} from "../../shared/api/database.ts"
import type {Component} from "../../shared/api/readiness.ts"
import type {TimerView} from "../../shared/api/scheduled/timers.ts"
import {error, type Finding, mebibytes, ok, warning} from "./finding.ts"

const heldTimers = warning(
  "timers",
  "timers are held",
  "svc timer list --state held; then svc timer release --held, or svc timer cancel --held",
)

const heldEvents = warning(
  "inbox",
  "events are held",
  "svc inbox list --state held; then svc inbox release --held, or svc inbox discard --held",
)

/** Finds events that a restore or `ingress.askAfter` holds, or an operator. */
export const checkInbox = (hasHeld: boolean): readonly Finding[] => (hasHeld ? [heldEvents] : [])

/** Timers of a running Host that wait for a person. */
export interface StuckTimers {
  /** The newest timers that came due and did not fire. */
  readonly failed: readonly TimerView[]
  readonly held: boolean
}

export const checkTimers = ({failed, held}: StuckTimers): readonly Finding[] => [
  ...failed.map(({id, plugin, name, reason}) =>
    warning(
      "timers",
      `timer ${id} of ${plugin}/${name} came due but did not fire: ${reason ?? "failed"}`,
      `Enable the plugin that handles it, or run svc timer cancel ${id}`,
    ),
  ),
  ...(held ? [heldTimers] : []),
]

const heldAgents = warning(
  "agents",
  "runs of agents are held",
  "svc agent runs --state held; then svc agent release --held, or svc agent discard --held",
)

/** Work of a running Host's agents that waits for a person. */
export interface StuckAgents {
  readonly held: boolean
  /** The newest calls that wait for an approval. */
  readonly approvals: readonly {readonly id: string; readonly agent: string; readonly tool: string}[]
}

export const checkAgents = ({held, approvals}: StuckAgents): readonly Finding[] => [
  ...(held ? [heldAgents] : []),
  ...approvals.map(({id, agent, tool}) =>
    warning("agents", `${agent} waits for an approval of ${tool}`, `svc agent approve ${id}, or svc agent deny ${id}`),
  ),
]

/** A plugin of a running Host. */
export interface PluginState {
  readonly name: string
  readonly state: string
  readonly error?: string | undefined
}

/** Finds plugins that have failed: the Host calls none of their handlers. */
export const checkPlugins = (plugins: readonly PluginState[]): readonly Finding[] =>
  plugins.flatMap(({name, state, error: why}) =>
    state === "failed" || state === "quarantined"
      ? [
          error(
            "plugins",
            `${name} is ${state}: ${why ?? "see its log"}`,
            `svc plugin list; after the cause: svc runtime reload`,
          ),
        ]
      : [],
  )

/** Finds required components that are not ready, or would not be after a start. The database has its own check. */
export const checkReadiness = (components: readonly Component[]): readonly Finding[] =>
  components.flatMap(({kind, name, required, ready, message, remediation}) =>
    !required || ready || kind === "database"
      ? []
      : [error("readiness", `${kind} ${name}: ${message}`, `${remediation?.text} (${remediation?.command})`)],
  )

/** The share of the quota above which the doctor warns. */
const much = 0.9

const remedy = "Raise files.quota in svc.config.yml, or lower retention.sent so that messages are deleted sooner"

/** Checks whether the files of messages fill their quota. */
export const checkStoredFiles = ({count, bytes, quota}: DatabaseInfo["files"]): readonly Finding[] => {
  if (count === 0) return []
  const detail = `${count} files of messages take ${mebibytes(bytes)} of ${mebibytes(quota)}`
  if (bytes >= quota) return [error("files", `${detail}: the Host refuses messages with new files`, remedy)]
  return [bytes > quota * much ? warning("files", detail, remedy) : ok("files", detail)]
}
