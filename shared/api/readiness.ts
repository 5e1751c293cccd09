import {endpointStates} from "../endpoint-states.ts"
import {Named, Optional, orNull, type Static, Type} from "../type.ts"
import {CheckpointFailure, NewestCheckpoint} from "./checkpoint.ts"
import {UncommittedConfig} from "./configuration/file.ts"

/**
 * Why a component is not ready, and what to do about it. `docs/reference/readiness.md` is generated from this table.
 * svc fills in `<plugin>` and `<name>`. `whilePinned` replaces the remediation while a configuration is pinned.
 */
export const readinessReasons = {
  database_not_initialized: {
    message: "The database is not open and migrated.",
    remediation: {text: "Read the Host's log for why the database does not open.", command: "svc doctor"},
  },
  database_unreachable: {
    message: "The Host does not reach its remote database, or cannot write to it. It keeps retrying.",
    remediation: {text: "Check database.url, the network and the database's server.", command: "svc doctor"},
  },
  disk_full: {
    message:
      "The disk is full, so the Host cannot record a generation. It accepts and sends nothing until there is space.",
    remediation: {
      text: "Free space on the disk of .svc/ and of the database. The Host then continues without a restart.",
      command: "svc doctor",
    },
  },
  database_replaced: {
    message:
      "The database file was removed, replaced or changed while the Host runs. Only the Host may still have the data, and it accepts no more.",
    remediation: {
      text: "Let the Host write its data into a new file, stop it, and move that file into place.",
      command: "svc database rescue",
    },
  },
  database_damaged: {
    message: "SQLite has found damaged pages in the database.",
    remediation: {
      text: "Create a checkpoint. If that fails, svc database rescue writes what the Host still reads; if that fails too, restore the newest checkpoint: svc checkpoint restore.",
      command: "svc checkpoint create",
    },
  },
  last_good: {
    message:
      "The project does not start in its current state. The last good generation runs instead, and the Host commits no other.",
    remediation: {text: "Correct the error that svc runtime status shows.", command: "svc runtime restart"},
  },
  plugin_missing: {
    message: "The configuration has no plugin instance of that name.",
    remediation: {
      text: "Add plugins.<plugin> to svc.config.yml, or correct http.readiness.endpoints.",
      command: "svc runtime reload",
    },
  },
  plugin_disabled: {
    message: "The plugin instance is disabled.",
    remediation: {text: "Remove plugins.<plugin>.enabled: false from svc.config.yml.", command: "svc runtime reload"},
    /** While a configuration is pinned, the file may have the plugin enabled. */
    whilePinned: {
      text: "The pinned configuration disables it, as svc plugin disable does. Enable it.",
      command: "svc plugin enable <plugin>",
    },
  },
  plugin_failed: {
    message: "The plugin instance failed and publishes nothing.",
    remediation: {
      text: "Find the error of plugins.<plugin> in the Host's log, and correct it.",
      command: "svc runtime reload",
    },
  },
  slot_missing: {
    message: "The plugin instance publishes no endpoint of that name.",
    remediation: {
      text: "Correct the name to <slot>~<id> of an endpoints[] entry of plugins.<plugin>, or to only the slot.",
      command: "svc runtime reload",
    },
  },
  no_account: {
    message: "The adapter needs an account and has none.",
    remediation: {text: "Add an entry to plugins.<plugin>.endpoints.", command: "svc runtime reload"},
  },
  endpoint_failed: {
    message: "The platform or the adapter refused the account, so the Host no longer retries.",
    remediation: {
      text: "Correct the account of <name>: its error is in the list of endpoints.",
      command: "svc runtime reload",
    },
  },
  endpoint_closed: {
    message: "The endpoint is closing.",
    remediation: {text: "Wait for the Host to finish switching generations.", command: "svc runtime status"},
  },
  not_opened: {
    message: "The endpoint is not open yet.",
    remediation: {text: "Wait for the previous endpoint to close.", command: "svc runtime status"},
  },
  agent_missing: {
    message: "The configuration has no agent binding of that name.",
    remediation: {
      text: "Add agents.<name> to svc.config.yml, or correct http.readiness.agents.",
      command: "svc runtime reload",
    },
  },
  agent_disabled: {
    message: "The agent binding is disabled.",
    remediation: {text: "Remove agents.<name>.enabled: false from svc.config.yml.", command: "svc runtime reload"},
  },
  agent_provider_unknown: {
    message: "svc does not know the provider of the agent binding.",
    remediation: {text: "Correct agents.<name>.provider.", command: "svc runtime reload"},
  },
  agent_provider_missing: {
    message: "The package of the agent's provider is not installed.",
    remediation: {
      text: "Install the package that the message names with the project's package manager, then restart the Host.",
      command: "svc runtime restart",
    },
  },
  agent_model_missing: {
    message: "The agent binding names no model.",
    remediation: {text: "Set agents.<name>.model to the provider's name of a model.", command: "svc runtime reload"},
  },
  agent_key_missing: {
    message: "The agent binding has no key, and its provider needs one.",
    remediation: {
      text: "Set agents.<name>.key to ${NAME}, and put the provider's key into that environment variable.",
      command: "svc runtime reload",
    },
  },
  agent_instructions_missing: {
    message: "The agent binding has no instructions.",
    remediation: {
      text: "Set agents.<name>.instructions, or agents.<name>.instructionsFile to a file of the project.",
      command: "svc runtime reload",
    },
  },
  agent_prices_missing: {
    message: "The agent binding limits money, but has no prices.",
    remediation: {text: "Set agents.<name>.prices, or limit tokens instead of money.", command: "svc runtime reload"},
  },
  agent_tool_missing: {
    message: "The agent binding lists a tool that is not available to it.",
    remediation: {
      text: "Correct agents.<name>.tools, or enable the plugin that declares the tool.",
      command: "svc runtime reload",
    },
  },
} as const

export type ReadinessReason = keyof typeof readinessReasons

/** What the component of a ready endpoint reports if no messages arrive; with `<name>`, `<state>` and `<reasons>`. */
export const readyBut = {
  not_connected: {
    message: "The endpoint is not connected: it is <state>.",
    remediation: {
      text: "Readiness does not depend on the connection. The list of endpoints shows the last error of <name>.",
      command: "svc logs --level warn",
    },
  },
  provisional: {
    message: "Present and enabled, but not open: the Host opens it once the database answers.",
    remediation: {text: "Check database.url, the network and the database's server.", command: "svc doctor"},
  },
  ingress_paused: {
    message: "Ingress is paused (<reasons>), so the endpoint admits no events.",
    remediation: {
      text: "Resume ingress once its reason is resolved. The reason disk ends automatically once there is space.",
      command: "svc ingress resume",
    },
  },
  paused_and_not_connected: {
    message: "Ingress is paused (<reasons>), and the endpoint is not connected: it is <state>.",
    remediation: {
      text: "Resume ingress once its reason is resolved. The list of endpoints shows the last error of <name>.",
      command: "svc ingress resume",
    },
  },
} as const

const Component = Named("Component", {
  kind: Type.Enum(["generation", "database", "endpoint", "agent"]),
  owner: Optional.String(),
  name: Type.String(),
  required: Type.Boolean(),
  ready: Type.Boolean(),
  check: Type.Enum(["project_started", "initialized", "admission_open", "binding_configured"]),
  reason: Optional.Enum(Object.keys(readinessReasons) as ReadinessReason[]),
  state: Optional.Enum([...endpointStates], {
    description: "The state of an endpoint's connection, which is not part of the check",
  }),
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

/**
 * The detailed readiness report. `generation` is null until the first one is committed. `committedAt` is also null while
 * the generation is provisional.
 */
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
