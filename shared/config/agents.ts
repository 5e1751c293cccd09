import {durationPattern} from "../duration.ts"
import {permissions} from "../sdk/session/permission.ts"
import {Closed, type Filled, Optional, Part, type Static, section, Type} from "../type.ts"

/** The providers that svc knows, and the package that speaks each one's protocol. */
export const agentProviders = {
  "openai-compatible": "@ai-sdk/openai-compatible",
  anthropic: "@ai-sdk/anthropic",
  google: "@ai-sdk/google",
} as const
export type AgentProvider = keyof typeof agentProviders

/** The pattern of tool names: one of svc's own, or `<plugin>.<tool>`. */
export const toolNamePattern = "^[a-z0-9][a-z0-9_-]{0,63}(\\.[a-z0-9][a-z0-9_-]{0,63})?$"

const Target = Closed({
  endpoint: Type.Endpoint(),
  channel: Type.String({minLength: 1, description: "The platform's id."}),
})

const ToolSettings = section({
  approval: Optional.Boolean({
    description: "Ask a person before each call. A tool that declares approval asks in any case.",
  }),
  permission: Optional.Enum([...permissions], {
    description: "Permission that the asking user needs; the tool's own when left out.",
  }),
  to: Optional.Array(Target, {description: "For `send`: the channels that it may send to."}),
  hosts: Optional.Array(Type.String({pattern: "^(\\*\\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?$"}), {
    description:
      "For `fetch`: the hosts that it may read from, such as example.org, *.example.org or example.org:8443.",
  }),
})

const Budget = (what: string, fallback: Readonly<Record<string, number>> = {}) =>
  Optional.Section(
    {
      runs: Optional.Integer({minimum: 1, description: "Number of runs."}),
      tokens: Optional.Integer({minimum: 1, description: "Tokens, in and out."}),
      money: Optional.Number({exclusiveMinimum: 0, description: "Money, in the unit of `prices`."}),
    },
    {default: fallback, none: true, description: what},
  )

const Limits = Optional.Section(
  {
    steps: Optional.Integer({
      default: 24,
      minimum: 1,
      maximum: 1000,
      description: "Model calls and tool calls of one run.",
    }),
    tokens: Optional.Integer({default: 200_000, minimum: 1, description: "Tokens of one run, in and out."}),
    seconds: Optional.Integer({
      default: 600,
      minimum: 1,
      maximum: 86_400,
      description: "Seconds that one run may work. The time that it waits does not count.",
    }),
    money: Optional.Number({exclusiveMinimum: 0, description: "Money of one run, in the unit of `prices`."}),
    output: Optional.Integer({
      default: 4096,
      minimum: 16,
      description: "The most tokens of one response of the model.",
    }),
    call: Optional.Integer({
      default: 120,
      minimum: 1,
      maximum: 3600,
      description: "Seconds that one model call may take.",
    }),
    parallel: Optional.Integer({
      default: 4,
      minimum: 1,
      maximum: 256,
      description: "Runs of this agent that may work at the same time.",
    }),
    user: Budget("Limits of one user for one day (UTC); `{runs: 30}` when left out, `none` for none.", {
      runs: 30,
    }),
    channel: Budget("Limits of one channel for one day (UTC)."),
    day: Budget("Limits of the whole agent for one day (UTC); `{tokens: 2000000}` when left out, `none` for none.", {
      tokens: 2_000_000,
    }),
  },
  {description: "svc checks these before each call. `money` and `channel` are unlimited when left out."},
)

/** What a user needs to start runs from chat. Members are also users whom svc saw in a shared channel, or approved. */
export const triggerPermissions = ["user", "member", "trusted", "admin"] as const
export type TriggerPermission = (typeof triggerPermissions)[number]

const Triggers = Optional.Section(
  {
    mention: Optional.Boolean({
      default: false,
      description: "Messages that name the bot and call no command start a run.",
    }),
    direct: Optional.Boolean({
      default: false,
      description: "Direct messages that call no command and answer no question start a run.",
    }),
    command: Optional.String({
      pattern: "^[a-z0-9][a-z0-9_-]{0,31}$",
      description: "The word of a command. The text after it is the question.",
    }),
    permission: Optional.Enum([...triggerPermissions], {
      default: "member",
      description:
        "Permission that a user needs to start runs from chat. A member wrote in a shared channel of the endpoint, is trusted there, or was approved.",
    }),
    pairing: Optional.Boolean({
      default: false,
      description:
        "Direct messages of users who are no members get a code, with which an operator can approve them; also in `approval.to`.",
    }),
    events: Optional.Array(
      Closed({
        endpoint: Type.Endpoint({description: "For example webhook~deploys."}),
        type: Optional.String({minLength: 1, default: "message-created", description: "Type of the event."}),
      }),
      {default: [], description: "Events that start a run without a user, for example those of a webhook."},
    ),
    items: Optional.Boolean({
      default: false,
      description: "Work items that are assigned to `agent:<name>` start a run.",
    }),
  },
  {description: "What starts runs. Jobs, timers, plugins and operators can always start them."},
)

const Approval = Optional.Section({
  permission: Optional.Enum([...permissions], {
    default: "trusted",
    description: "Permission that a user needs to approve or deny.",
  }),
  to: Type.Optional(
    Closed({...Target.properties}, {description: "The channel to ask in; the conversation of the run when left out."}),
  ),
  expires: Optional.Duration("24h", "How long a question stays open. After that it counts as denied."),
})

const Prices = Part("In any unit, such as dollars. Limits of money need prices.", {
  input: Type.Number({minimum: 0, description: "Price of a million tokens that the model reads."}),
  output: Type.Number({minimum: 0, description: "Price of a million tokens that the model writes."}),
})

const Mcp = Closed({
  name: Type.String({
    pattern: "^[a-z0-9][a-z0-9-]{0,31}$",
    description: "The agent calls a tool of the server as `<name>.<tool>`.",
  }),
  command: Optional.Array(Type.String({minLength: 1}), {
    minItems: 1,
    description: "The program and its arguments: svc starts it, and talks to it over stdin and stdout.",
  }),
  url: Optional.String({pattern: "^https?://", description: "The server's address, in place of `command`."}),
  key: Optional.Secret({description: "With `url`: the server's token, as ${NAME}."}),
  oauth: Type.Optional(
    Part("With `url`: sign in with OAuth, by svc agent mcp <agent> <server> --sign-in.", {
      stateKey: Type.Secret({
        description: "Encrypts the tokens on the disk: at least 32 characters, as ${SVC_STATE_KEY}.",
      }),
      clientId: Optional.String({minLength: 1, description: "The registered client; svc registers when left out."}),
      clientSecret: Optional.Secret({description: "The client's secret, as ${NAME}; needs `clientId` and `issuer`."}),
      issuer: Optional.String({
        pattern: "^https?://",
        description: "The only authorization server that may get the secret.",
      }),
      scope: Optional.String({minLength: 1, description: "What to ask for; what the server names when left out."}),
    }),
  ),
  env: Optional.Record(Type.String({pattern: "^[A-Za-z_][A-Za-z0-9_]*$"}), Type.Secret(), {
    additionalProperties: false,
    description: "With `command`: the program's whole environment, such as `PATH: ${PATH}`.",
  }),
  allow: Type.Array(Type.String({pattern: "^[A-Za-z0-9_.*-]+$"}), {
    minItems: 1,
    description: "The tools that the agent may call, such as read_file or list_*.",
  }),
  effect: Optional.Enum(["none", "idempotent", "external"], {
    default: "external",
    description: "What an interrupted call of its tools means; none: they only read.",
  }),
  permission: Optional.Enum([...permissions], {
    default: "trusted",
    description: "Permission that the asking user needs.",
  }),
  approval: Optional.Boolean({default: false, description: "Ask a person before each call."}),
})

/** A model, at the top of a binding or in its `models`. */
const model = {
  provider: Type.String({
    minLength: 1,
    description: `The protocol that the model's server speaks: ${Object.keys(agentProviders).join(", ")}.`,
  }),
  model: Type.String({minLength: 1, description: "The provider's name of the model."}),
  baseURL: Optional.String({
    pattern: "^https?://",
    description: "Address of the provider's API; the provider's own when left out.",
  }),
  key: Optional.Secret({description: "The provider's key, as ${NAME}."}),
  prices: Type.Optional(Prices),
}
const ModelConfig = Closed(model)
const {prices: _, ...embedding} = model

const Memory = Part("What the agent remembers beyond one conversation; nothing when left out.", {
  user: Optional.String({
    pattern: durationPattern,
    description: "How long it keeps what users tell it about themselves, such as 30d; not at all when left out.",
  }),
  channel: Optional.String({
    pattern: durationPattern,
    description: "How long it keeps what is about a channel; not at all when left out.",
  }),
  summary: Optional.String({
    pattern: "^([1-9][0-9]*(s|m|h|d)|none)$",
    default: "1h",
    description: "How long a conversation rests until the agent notes a summary of it; `none` for no summaries.",
  }),
  embedding: Type.Optional(
    Part("A model that finds memories by their meaning, besides the search by words; `anthropic` has none.", embedding),
  ),
  commands: Optional.Boolean({
    default: false,
    description: "Users list and delete their memories with the commands memory and forget.",
  }),
})

export const AgentConfig = Closed({
  enabled: Optional.Boolean({
    default: true,
    description: "False: the agent runs nothing, and readiness reports it as disabled.",
  }),
  description: Optional.String({maxLength: 200, description: "What the agent is for, shown to people."}),
  provider: Type.Optional(model.provider),
  model: Type.Optional(model.model),
  baseURL: model.baseURL,
  key: model.key,
  models: Optional.Array(ModelConfig, {
    default: [],
    description: "Models to use in this order when `model` fails. Without `model`, the first is the usual one.",
  }),
  instructions: Optional.String({minLength: 1, description: "What the agent is to do, and how."}),
  instructionsFile: Optional.String({
    minLength: 1,
    description: "A file of the project with the instructions, in place of `instructions`.",
  }),
  tools: Optional.Record(Type.String({pattern: toolNamePattern}), ToolSettings, {
    additionalProperties: false,
    description: "The tools that the agent may call: svc's own, and `<plugin>.<tool>`. It has no others.",
  }),
  mcp: Optional.Array(Mcp, {default: [], description: "MCP servers whose tools the agent may call."}),
  memory: Type.Optional(Memory),
  limits: Limits,
  prices: model.prices,
  triggers: Triggers,
  permission: Optional.Enum(["none", ...permissions], {
    default: "none",
    description: "Permission of runs without a user, such as those of jobs, webhooks and work items. None: no tools.",
  }),
  approval: Approval,
  resumeWithin: Optional.String({
    pattern: durationPattern,
    description:
      "A run that was cut off for longer waits until an operator releases it. When left out, every run continues.",
  }),
})

export type AgentTarget = Readonly<Static<typeof Target>>
export type ToolSettings = Filled<typeof ToolSettings>
export type McpSettings = Filled<typeof Mcp>
/** The limits of one user, channel or agent for a day. */
export type Budget = Readonly<Static<ReturnType<typeof Budget>>>

/** The settings of one model. */
export type ModelSettings = Filled<typeof ModelConfig>

/** A binding after expansion, with its defaults. */
export type AgentSettings = Filled<typeof AgentConfig>
