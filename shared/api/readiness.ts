import {endpointStates} from "../endpoint-states.ts"
import {type Static, Type} from "../type.ts"
import {CheckpointFailure, NewestCheckpoint} from "./checkpoint.ts"
import {UncommittedConfig} from "./configuration/file.ts"
import {Named} from "./schemas.ts"

/**
 * Why a component is not ready, with what to do about it. `docs/reference/readiness.md` is generated from this table.
 * `<plugin>` and `<name>` are filled in. `whilePinned` takes the remediation's place while a configuration is pinned.
 */
export const readinessReasons = {
  database_not_initialized: {
    message: "The database is not open and migrated.",
    remediation: {text: "Read the Host's log for why the database does not open.", command: "svc doctor"},
  },
  database_unreachable: {
    message: "The remote database does not answer. The Host retries by itself, and runs a provisional generation.",
    remediation: {
      text: "Check database.url, the network and the database's server.",
      command: "svc doctor",
    },
  },
  disk_full: {
    message: "The disk is full: no generation can be recorded. Nothing is taken in or sent until there is space.",
    remediation: {
      text: "Free space on the disk of .svc/ and of the database. The Host goes on by itself.",
      command: "svc doctor",
    },
  },
  database_replaced: {
    message:
      "The database file was removed or replaced under the running Host. It alone holds the data, and takes nothing.",
    remediation: {
      text: "Let the Host write what it holds into a new file, stop it, and put that file in place.",
      command: "svc database rescue",
    },
  },
  last_good: {
    message: "The project as it is does not start. The last good generation runs instead, and nothing is committed.",
    remediation: {
      text: "Correct what keeps the project from starting; svc runtime status tells it.",
      command: "svc runtime restart",
    },
  },
  plugin_missing: {
    message: "The configuration has no plugin instance of that name.",
    remediation: {
      text: "Add plugins.<plugin> to svc.config.yml, or correct http.readiness.endpoints.",
      command: "svc config check",
    },
  },
  plugin_disabled: {
    message: "The plugin instance is disabled.",
    remediation: {text: "Remove plugins.<plugin>.enabled: false from svc.config.yml.", command: "svc runtime reload"},
    /** While a pinned configuration runs: the file may well have it enabled. */
    whilePinned: {
      text: "The pinned configuration has it disabled, as svc plugin disable does. Enable it.",
      command: "svc plugin enable <plugin>",
    },
  },
  plugin_failed: {
    message: "The plugin instance failed and publishes nothing.",
    remediation: {
      text: "Read the Host's log for what plugins.<plugin> threw, and correct it.",
      command: "svc runtime reload",
    },
  },
  slot_missing: {
    message: "The plugin instance publishes no endpoint of that name.",
    remediation: {
      text: "Correct the name to <slot>~<id> of an endpoints[] entry of plugins.<plugin>, or to the slot alone.",
      command: "svc config check",
    },
  },
  no_account: {
    message: "The adapter needs an account and has none.",
    remediation: {text: "Add an entry to plugins.<plugin>.endpoints.", command: "svc runtime reload"},
  },
  endpoint_failed: {
    message: "The endpoint was refused and does not try again.",
    remediation: {
      text: "Correct the account of <name>: its error is in the list of endpoints.",
      command: "svc runtime reload",
    },
  },
  endpoint_closed: {
    message: "The endpoint is closing.",
    remediation: {text: "Wait for the change of generation to end.", command: "svc runtime status"},
  },
  not_opened: {
    message: "The endpoint is not open yet.",
    remediation: {text: "Wait for the endpoint before it to close.", command: "svc runtime status"},
  },
  agent_missing: {
    message: "The configuration has no agent binding of that name.",
    remediation: {
      text: "Add agents.<name> to svc.config.yml, or correct http.readiness.agents.",
      command: "svc config check",
    },
  },
  agent_disabled: {
    message: "The agent binding is disabled.",
    remediation: {text: "Remove agents.<name>.enabled: false from svc.config.yml.", command: "svc runtime reload"},
  },
  agent_provider_unknown: {
    message: "svc does not know the provider of the agent binding.",
    remediation: {text: "Correct agents.<name>.provider.", command: "svc config check"},
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
      command: "svc config check",
    },
  },
  agent_instructions_missing: {
    message: "The agent binding has no instructions.",
    remediation: {
      text: "Set agents.<name>.instructions, or agents.<name>.instructionsFile to a file of the project.",
      command: "svc config check",
    },
  },
  agent_prices_missing: {
    message: "The agent binding limits money, but has no prices.",
    remediation: {text: "Set agents.<name>.prices, or limit tokens instead of money.", command: "svc config check"},
  },
  agent_tool_missing: {
    message: "The agent binding lists a tool that it cannot have.",
    remediation: {
      text: "Correct agents.<name>.tools, or enable the plugin that declares the tool.",
      command: "svc config check",
    },
  },
} as const

export type ReadinessReason = keyof typeof readinessReasons

/** What a ready endpoint's component says where nothing comes in all the same. `<name>`, `<state>`, `<reasons>` are filled in. */
export const readyBut = {
  not_connected: {
    message: "Admitting, not connected: the endpoint is <state>.",
    remediation: {
      text: "Readiness does not depend on the connection. The list of endpoints has the last error of <name>.",
      command: "svc logs --level warn",
    },
  },
  provisional: {
    message: "Present and enabled, not opened: it opens once the database answers.",
    remediation: {
      text: "Check database.url, the network and the database's server.",
      command: "svc doctor",
    },
  },
  ingress_paused: {
    message: "Admission is open, and ingress is paused (<reasons>): nothing comes in.",
    remediation: {
      text: "Resume ingress once its reason is gone. The reason disk ends by itself once there is space.",
      command: "svc ingress resume",
    },
  },
  paused_and_not_connected: {
    message: "Admission is open, ingress is paused (<reasons>), and the endpoint is not connected: it is <state>.",
    remediation: {
      text: "Resume ingress once its reason is gone. The list of endpoints has the last error of <name>.",
      command: "svc ingress resume",
    },
  },
} as const

const Component = Named("Component", {
  kind: Type.Enum(["generation", "database", "endpoint", "agent"]),
  owner: Type.Optional(Type.String()),
  name: Type.String(),
  required: Type.Boolean(),
  ready: Type.Boolean(),
  check: Type.Enum(["project_started", "initialized", "admission_open", "binding_configured"]),
  reason: Type.Optional(Type.Enum(Object.keys(readinessReasons) as ReadinessReason[])),
  state: Type.Optional(
    Type.Enum([...endpointStates], {description: "An endpoint's connection, which the check does not ask for"}),
  ),
  message: Type.String(),
  since: Type.String({format: "date-time"}),
  proves: Type.String({description: "What the check shows, and no more"}),
  remediation: Type.Optional(Type.Object({text: Type.String(), command: Type.String()})),
})
export type Component = Static<typeof Component>

/** The Host-wide switch in front of all side effects. */
export const IngressView = Named("IngressView", {
  state: Type.Enum(["open", "paused"]),
  reasons: Type.Array(Type.Enum(["operator", "release", "disk", "database"])),
  since: Type.String({format: "date-time", description: "Since when it is open or paused"}),
})
export type IngressView = Static<typeof IngressView>

/**
 * The detailed readiness report. `generation` is null before the first is committed; `committedAt` also where it is provisional.
 */
export const ReadinessReport = Named("ReadinessReport", {
  schema: Type.Literal("svc.readiness/1"),
  ready: Type.Boolean(),
  generation: Type.Union([Type.Integer(), Type.Null()]),
  provisional: Type.Optional(
    Type.Boolean({
      description:
        "True while the remote database was never reached: the generation is not recorded, and nothing is opened",
    }),
  ),
  committedAt: Type.Union([Type.String({format: "date-time"}), Type.Null()]),
  checkedAt: Type.String({format: "date-time"}),
  authority: Type.Optional(Type.String()),
  uncommitted: Type.Optional(UncommittedConfig),
  lastFailure: Type.Optional(Type.String({description: "Why the newest configuration was not committed"})),
  ingress: IngressView,
  checkpoint: Type.Optional(NewestCheckpoint),
  checkpointFailure: Type.Optional(CheckpointFailure),
  components: Type.Array(Component, {
    description:
      "Required ones that are not ready first, then required ones that have a remediation all the same: not connected, paused",
  }),
})
export type ReadinessReport = Static<typeof ReadinessReport>
