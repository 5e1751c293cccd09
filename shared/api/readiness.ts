import {endpointStates} from "../endpoint-states.ts"
import {Named, Optional, orNull, type Static, Type} from "../type.ts"
import {CheckpointFailure, NewestCheckpoint} from "./checkpoint.ts"
import {UncommittedConfig} from "./configuration/file.ts"

/** Makes reasons whose remediation has this command. */
const by = (command: string) => (message: string, text: string) => ({message, remediation: {text, command}})
const reload = by("svc runtime reload")
const doctor = by("svc doctor")
const status = by("svc runtime status")
const resume = by("svc ingress resume")

/**
 * Why a component is not ready, and what to do about it. `docs/reference/readiness.md` is generated from this table.
 * svc fills in `<plugin>` and `<name>`. `whilePinned` replaces the remediation while a configuration is pinned.
 */
export const readinessReasons = {
  database_not_initialized: doctor("The database is not open and migrated.", "Read the Host's log for the cause."),
  database_unreachable: doctor(
    "The Host does not reach its remote database, or cannot write to it. It keeps retrying.",
    "Check database.url, the network and the database's server.",
  ),
  disk_full: doctor(
    "The disk is full, so the Host cannot record a generation. It accepts and sends nothing until there is space.",
    "Free space on the disk of .svc/ and of the database. The Host then continues without a restart.",
  ),
  database_replaced: by("svc database rescue")(
    "The database file was removed, replaced or changed while the Host runs. Only the Host may still have the data, and it accepts no more.",
    "Let the Host write its data into a new file, stop it, and move that file into place.",
  ),
  database_damaged: by("svc checkpoint create")(
    "SQLite has found damaged pages in the database.",
    "Create a checkpoint. If that fails, svc database rescue writes what the Host still reads; if that fails too, restore the newest checkpoint: svc checkpoint restore.",
  ),
  last_good: by("svc runtime restart")(
    "The project does not start in its current state. The last good generation runs instead, and the Host commits no other.",
    "Correct the error that svc runtime status shows.",
  ),
  plugin_missing: reload(
    "The configuration has no plugin instance of that name.",
    "Add plugins.<plugin> to svc.config.yml, or correct http.readiness.endpoints.",
  ),
  plugin_disabled: {
    message: "The plugin instance is disabled.",
    remediation: {text: "Remove plugins.<plugin>.enabled: false from svc.config.yml.", command: "svc runtime reload"},
    /** While a configuration is pinned, the file may have the plugin enabled. */
    whilePinned: {text: "The pinned configuration disables it. Enable it.", command: "svc plugin enable <plugin>"},
  },
  plugin_failed: reload("The plugin instance failed and publishes nothing.", "Correct the error in the Host's log."),
  slot_missing: reload(
    "The plugin instance publishes no endpoint of that name.",
    "Correct the name to <slot>~<id> of an endpoints[] entry of plugins.<plugin>, or to only the slot.",
  ),
  no_account: reload("The adapter needs an account and has none.", "Add an entry to plugins.<plugin>.endpoints."),
  endpoint_failed: reload(
    "The platform or the adapter refused the account, so the Host no longer retries.",
    "Correct the account of <name>: its error is in the list of endpoints.",
  ),
  endpoint_closed: status("The endpoint is closing.", "Wait for the Host to finish switching generations."),
  not_opened: status("The endpoint is not open yet.", "Wait for the previous endpoint to close."),
  agent_missing: reload(
    "The configuration has no agent binding of that name.",
    "Add agents.<name> to svc.config.yml, or correct http.readiness.agents.",
  ),
  agent_disabled: reload("The agent binding is disabled.", "Remove agents.<name>.enabled: false from svc.config.yml."),
  agent_provider_unknown: reload("svc does not know the agent binding's provider.", "Correct agents.<name>.provider."),
  agent_provider_missing: by("svc runtime restart")(
    "The package of the agent's provider is not installed.",
    "Install the package that the message names with the project's package manager, then restart the Host.",
  ),
  agent_model_missing: reload("The agent binding names no model.", "Set agents.<name>.model to a model's name."),
  agent_key_missing: reload(
    "The agent binding has no key, and its provider needs one.",
    "Set agents.<name>.key to ${NAME}, and put the provider's key into that environment variable.",
  ),
  agent_instructions_missing: reload(
    "The agent binding has no instructions.",
    "Set agents.<name>.instructions, or agents.<name>.instructionsFile to a file of the project.",
  ),
  agent_prices_missing: reload(
    "The agent binding limits money, but has no prices.",
    "Set agents.<name>.prices, or limit tokens instead of money.",
  ),
  agent_mcp_wrong: reload("An MCP server of the binding cannot be used.", "Correct agents.<name>.mcp by the message."),
  agent_tool_missing: reload(
    "The agent binding lists a tool that is not available to it.",
    "Correct agents.<name>.tools, or enable the plugin that declares the tool.",
  ),
} as const

export type ReadinessReason = keyof typeof readinessReasons

/** What the component of a ready endpoint reports if no messages arrive; with `<name>`, `<state>` and `<reasons>`. */
export const readyBut = {
  not_connected: by("svc logs --level warn")(
    "The endpoint is not connected: it is <state>.",
    "Readiness does not depend on the connection. The list of endpoints shows the last error of <name>.",
  ),
  provisional: doctor(
    "Present and enabled, but not open: the Host opens it once the database answers.",
    "Check database.url, the network and the database's server.",
  ),
  ingress_paused: resume(
    "Ingress is paused (<reasons>), so the endpoint admits no events.",
    "Resume ingress once its reason is resolved. The reason disk ends automatically once there is space.",
  ),
  paused_and_not_connected: resume(
    "Ingress is paused (<reasons>), and the endpoint is not connected: it is <state>.",
    "Resume ingress once its reason is resolved. The list of endpoints shows the last error of <name>.",
  ),
} as const

const Component = Named("Component", {
  kind: Type.Enum(["generation", "database", "endpoint", "agent"]),
  owner: Optional.String(),
  name: Type.String(),
  required: Type.Boolean(),
  ready: Type.Boolean(),
  check: Type.Enum(["project_started", "initialized", "admission_open", "binding_configured"]),
  reason: Optional.Enum(Object.keys(readinessReasons) as ReadinessReason[]),
  state: Optional.Enum([...endpointStates], {description: "An endpoint's connection, which is not part of the check"}),
  message: Type.String(),
  since: Type.String({format: "date-time"}),
  proves: Type.String({description: "What the check proves, and no more"}),
  remediation: Type.Optional(Type.Object({text: Type.String(), command: Type.String()})),
})
export type Component = Static<typeof Component>

/** The Host-wide switch in front of all side effects. */
export const IngressView = Named("IngressView", {
  state: Type.Enum(["open", "paused"]),
  reasons: Type.Array(Type.Enum(["operator", "release", "disk", "database"])),
  since: Type.String({format: "date-time", description: "When it was opened or paused"}),
})
export type IngressView = Static<typeof IngressView>

/** `generation` is null until the first commit, and `committedAt` while the generation is provisional. */
export const ReadinessReport = Named("ReadinessReport", {
  schema: Type.Literal("svc.readiness/1"),
  ready: Type.Boolean(),
  generation: orNull(Type.Integer()),
  provisional: Optional.Boolean({
    description:
      "True until the Host first reaches the remote database. The generation is not recorded, and the Host opens no endpoints",
  }),
  committedAt: orNull(Type.String({format: "date-time"})),
  checkedAt: Type.String({format: "date-time"}),
  authority: Optional.String(),
  uncommitted: Type.Optional(UncommittedConfig),
  lastFailure: Optional.String({description: "Why the newest configuration was not committed"}),
  ingress: IngressView,
  checkpoint: Type.Optional(NewestCheckpoint),
  checkpointFailure: Type.Optional(CheckpointFailure),
  components: Type.Array(Component, {
    description:
      "First the required components that are not ready, then those that are ready but have a remediation: not connected, paused",
  }),
})
export type ReadinessReport = Static<typeof ReadinessReport>
