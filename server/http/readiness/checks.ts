import type {Standing} from "../../../shared/agents/standing.ts"
import {type Component, type ReadinessReason, readinessReasons, readyBut} from "../../../shared/api/readiness.ts"
import {resumeCommand} from "../../../shared/attention/resume.ts"
import {isAdmittingOffline} from "../../../shared/endpoint-states.ts"
import {type PluginPath, pluginNameOf} from "../../../shared/ids.ts"
import type {EndpointFacts, Facts} from "./facts.ts"

type Named = Pick<Component, "kind" | "name" | "required" | "check" | "since" | "proves" | "state"> & {
  readonly owner?: string
}

const pass = (component: Named, message: string): Component => ({...component, ready: true, message})

const fail = (component: Named, reason: ReadinessReason, isPinned = false): Component => {
  const {message, ...ways} = readinessReasons[reason]
  const remediation = isPinned && "whilePinned" in ways ? ways.whilePinned : ways.remediation
  const plugin = component.owner === undefined ? "" : pluginNameOf(component.owner as PluginPath)
  const fill = (text: string) => text.replaceAll("<plugin>", () => plugin).replaceAll("<name>", () => component.name)
  return {
    ...component,
    ready: false,
    reason,
    message,
    remediation: {text: fill(remediation.text), command: fill(remediation.command)},
  }
}

/** Says more about a failure, if there is more. */
const adding = (failed: Component, more: string): Component => ({
  ...failed,
  message: `${failed.message} ${more}`.trimEnd(),
})

/** `project_started`: listed only if it fails, and always required. `why` says what keeps the project from starting. */
export const checkProject = (why: string, since: string): Component => {
  const generation = {kind: "generation", name: "generation", required: true, check: "project_started"} as const
  const failed = fail({...generation, since, proves: "the project as it is has started"}, "last_good")
  return adding(failed, why === "" ? "" : `It fails with: ${why}`)
}

/** Replaces the database's component while a start waits for space; always required. `why`: what was not stored. */
export const checkSpace = (why: string, since: string): Component =>
  adding(fail({...ofDatabase, required: true, since}, "disk_full"), why)

const ofDatabase = {
  kind: "database",
  name: "database",
  check: "initialized",
  proves: "opened and migrated, not a live SQL test",
} as const

/** Failures that leave it unknown whether the newest change is stored. */
const silences: Readonly<Record<string, string>> = {
  database_unanswered: "does not answer",
  database_stalled: "its disk does not answer",
}

/**
 * `initialized`: opened and migrated in this run. It is not a live SQL test: a database that fails now stays ready,
 * with a message, but not a remote one that does not renew the lease. A database whose file is lost or damaged is never
 * ready and always required.
 */
export const checkDatabase = (
  facts: Pick<Facts, "required" | `database${"Initialized" | "Unreachable" | "Failure" | "Damage"}`>,
  since: string,
): Component => {
  const {required, databaseInitialized, databaseUnreachable, databaseFailure: failure, databaseDamage: damage} = facts
  const component = {...ofDatabase, required: required.database, since}
  if (databaseUnreachable !== undefined) return adding(fail(component, "database_unreachable"), databaseUnreachable)
  if (!databaseInitialized) return fail(component, "database_not_initialized")
  if (failure?.code === "database_replaced") {
    const {message} = failure
    return adding(fail({...component, required: true}, "database_replaced"), message === "" ? "" : `${message}.`)
  }
  if (damage !== undefined) {
    const more = damage.tables.length === 0 ? "" : `Damaged: ${damage.tables.join(", ")}.`
    return adding(fail({...component, required: true}, "database_damaged"), more)
  }
  if (failure === undefined) return pass(component, "The database is initialized.")
  const but = silences[failure.code] ?? "the newest change was not stored"
  return {
    ...pass(component, `The database is initialized, but ${but}: ${failure.message}`),
    remediation: {text: failure.hint, command: "svc doctor"},
  }
}

/**
 * `admission_open`: the endpoint is present and enabled, and its own gate is open. It does not test the transport: a
 * paused ingress or a lost connection leaves it ready, with a message.
 */
export const checkEndpoint = (
  selector: {readonly owner: string; readonly name: string},
  facts: Pick<Facts, "endpoints" | "plugins" | "ingress" | "isPinned" | "isProvisional">,
  generationSince: string,
  required: boolean,
): Component => {
  const {owner, name} = selector
  const endpoint = facts.endpoints.find(each => each.owner === owner && each.name === name)
  const component = {
    kind: "endpoint",
    owner,
    name,
    required,
    check: "admission_open",
    since: endpoint === undefined ? generationSince : new Date(endpoint.since).toISOString(),
    proves: "admission only, not transport connectivity",
    ...(endpoint === undefined ? {} : {state: endpoint.state}),
  } as const
  const reason = endpointReason(pluginNameOf(owner as PluginPath), endpoint, facts.plugins)
  return reason === undefined ? admitting(component, facts) : fail(component, reason, facts.isPinned)
}

const admitting = (component: Named, {ingress, isProvisional}: Pick<Facts, "ingress" | "isProvisional">): Component => {
  const {name, state = ""} = component
  if (isProvisional) {
    const {message, remediation} = readyBut.provisional
    return {...pass(component, message), remediation}
  }
  const isPaused = ingress?.state === "paused"
  const isOffline = isAdmittingOffline(state)
  if (!isPaused && !isOffline) return pass(component, "The endpoint admits events.")
  const which = isPaused ? (isOffline ? "paused_and_not_connected" : "ingress_paused") : "not_connected"
  const {message, remediation} = readyBut[which]
  const said = message.replace("<state>", state).replace("<reasons>", ingress?.reasons.join(", ") ?? "")
  const command = isPaused ? resumeCommand(ingress.reasons) : remediation.command
  return {...pass(component, said), remediation: {text: remediation.text.replace("<name>", () => name), command}}
}

const endpointReason = (
  plugin: string,
  endpoint: EndpointFacts | undefined,
  plugins: Facts["plugins"],
): ReadinessReason | undefined => {
  const state = Object.hasOwn(plugins, plugin) ? plugins[plugin] : undefined
  if (state === undefined) return "plugin_missing"
  if (state === "disabled") return "plugin_disabled"
  if (state !== "active") return "plugin_failed"
  if (endpoint === undefined) return "slot_missing"
  if (endpoint.admission.is === "open") return undefined
  const {reason} = endpoint.admission
  return Object.hasOwn(readinessReasons, reason) ? (reason as ReadinessReason) : "endpoint_closed"
}

/**
 * `binding_configured`: provider, package, model, key, instructions and tools are present. It does not validate the
 * credentials. A disabled binding is not configured.
 */
export const checkAgent = (name: string, agent: Standing | undefined, since: string, required: boolean): Component => {
  const component = {
    kind: "agent",
    name,
    required,
    check: "binding_configured",
    since,
    proves: "configuration only, not provider credential validation",
  } as const
  if (agent === undefined) return fail(component, "agent_missing")
  if (agent.configured) return pass(component, "The binding is configured.")
  return {...fail(component, agent.reason), message: agent.message}
}
