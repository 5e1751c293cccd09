import {durationPattern} from "../duration.ts"
import type {Permission} from "../sdk/permission.ts"
import {permissions} from "../sdk/permission.ts"
import type {Secret} from "../secret.ts"
import {Type} from "../type.ts"

const closed = {additionalProperties: false}

/** The providers that svc knows, and the package that speaks each one's protocol. */
export const agentProviders = {
  "openai-compatible": "@ai-sdk/openai-compatible",
  anthropic: "@ai-sdk/anthropic",
  google: "@ai-sdk/google",
} as const
export type AgentProvider = keyof typeof agentProviders

/** What a tool is called: one of svc's own, or `<plugin>.<tool>`. */
export const toolNamePattern = "^[a-z0-9][a-z0-9_-]{0,63}(\\.[a-z0-9][a-z0-9_-]{0,63})?$"

const Target = Type.Object(
  {endpoint: Type.String({minLength: 1}), channel: Type.String({minLength: 1, description: "The platform's id."})},
  closed,
)

const ToolSettings = Type.Object(
  {
    approval: Type.Optional(
      Type.Boolean({
        description: "Ask a person before each call. A tool that asks by itself asks whatever stands here.",
      }),
    ),
    permission: Type.Optional(
      Type.Enum([...permissions], {description: "Who may have it called; the tool's own when left out."}),
    ),
    to: Type.Optional(Type.Array(Target, {description: "Of `send`: the channels that it may send to."})),
    hosts: Type.Optional(
      Type.Array(Type.String({pattern: "^(\\*\\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?$"}), {
        description: "Of `fetch`: the hosts that it may read from: example.org, *.example.org, example.org:8443.",
      }),
    ),
  },
  {...closed, default: {}},
)

const Budget = (what: string) =>
  Type.Object(
    {
      runs: Type.Optional(Type.Integer({minimum: 1, description: "Runs."})),
      tokens: Type.Optional(Type.Integer({minimum: 1, description: "Tokens, in and out."})),
      money: Type.Optional(Type.Number({exclusiveMinimum: 0, description: "In the unit of `prices`."})),
    },
    {...closed, default: {}, description: what},
  )

const Limits = Type.Object(
  {
    steps: Type.Optional(
      Type.Integer({default: 24, minimum: 1, maximum: 1000, description: "Model calls and tool calls of one run."}),
    ),
    tokens: Type.Optional(Type.Integer({default: 200_000, minimum: 1, description: "Tokens of one run, in and out."})),
    seconds: Type.Optional(
      Type.Integer({
        default: 600,
        minimum: 1,
        maximum: 86_400,
        description: "Seconds that one run may work; those that it waits for a person do not count.",
      }),
    ),
    money: Type.Optional(Type.Number({exclusiveMinimum: 0, description: "Of one run, in the unit of `prices`."})),
    output: Type.Optional(
      Type.Integer({default: 4096, minimum: 16, description: "Tokens of one answer of the model at most."}),
    ),
    call: Type.Optional(
      Type.Integer({default: 120, minimum: 1, maximum: 3600, description: "Seconds that one model call may take."}),
    ),
    parallel: Type.Optional(
      Type.Integer({default: 4, minimum: 1, maximum: 256, description: "Runs of this agent side by side."}),
    ),
    user: Type.Optional(Budget("Of one user, a day.")),
    channel: Type.Optional(Budget("Of one channel, a day.")),
    day: Type.Optional(Budget("Of all, a day. Days are those of UTC.")),
  },
  {...closed, default: {}, description: "Counted before each call. What is left out is not limited."},
)

const Triggers = Type.Object(
  {
    mention: Type.Optional(
      Type.Boolean({default: false, description: "Messages that address the bot by name and call no command."}),
    ),
    direct: Type.Optional(
      Type.Boolean({default: false, description: "Direct messages that call no command and answer no question."}),
    ),
    command: Type.Optional(
      Type.String({
        pattern: "^[a-z0-9][a-z0-9_-]{0,31}$",
        description: "A command with this word, whose rest is the question.",
      }),
    ),
    permission: Type.Optional(
      Type.Enum([...permissions], {default: "user", description: "Who may start runs from chat."}),
    ),
    events: Type.Optional(
      Type.Array(
        Type.Object(
          {
            endpoint: Type.String({minLength: 1, description: "For example webhook~deploys."}),
            type: Type.Optional(
              Type.String({minLength: 1, default: "message-created", description: "Type of the event."}),
            ),
          },
          closed,
        ),
        {default: [], description: "Events that each start a run without a user, such as those of a webhook."},
      ),
    ),
    items: Type.Optional(
      Type.Boolean({default: false, description: "Work items that are assigned to `agent:<name>`."}),
    ),
  },
  {...closed, default: {}, description: "What starts runs, beside jobs, timers and plugins."},
)

const Approval = Type.Object(
  {
    permission: Type.Optional(
      Type.Enum([...permissions], {default: "trusted", description: "Who may approve and deny."}),
    ),
    to: Type.Optional(
      Type.Object({...Target.properties}, {...closed, description: "Where to ask; in the conversation when left out."}),
    ),
    expires: Type.Optional(
      Type.String({
        pattern: durationPattern,
        default: "24h",
        description: "An approval that nobody decides is denied then.",
      }),
    ),
  },
  {...closed, default: {}},
)

const Prices = Type.Object(
  {
    input: Type.Number({minimum: 0, description: "Of a million tokens of what the model reads."}),
    output: Type.Number({minimum: 0, description: "Of a million tokens of what the model writes."}),
  },
  {...closed, description: "In any unit, such as dollars. Without it nothing is counted as money."},
)

/** One binding of `agents`. */
export const AgentConfig = Type.Object(
  {
    enabled: Type.Optional(
      Type.Boolean({default: true, description: "False: the binding is not there for readiness, and runs nothing."}),
    ),
    description: Type.Optional(Type.String({maxLength: 200, description: "For people: what it is for."})),
    provider: Type.String({
      minLength: 1,
      description: `Whose protocol the model's server speaks: ${Object.keys(agentProviders).join(", ")}.`,
    }),
    model: Type.String({minLength: 1, description: "The provider's name of the model."}),
    baseURL: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description: "Where the provider's API is; the provider's own address when left out.",
      }),
    ),
    key: Type.Optional(Type.Secret({description: "The provider's key, as ${NAME}."})),
    instructions: Type.Optional(Type.String({minLength: 1, description: "What the agent is to do, and how."})),
    instructionsFile: Type.Optional(
      Type.String({minLength: 1, description: "A file of the project that has them instead."}),
    ),
    tools: Type.Optional(
      Type.Record(Type.String({pattern: toolNamePattern}), ToolSettings, {
        ...closed,
        default: {},
        description: "The tools that it may call: svc's own, and `<plugin>.<tool>`. Others it does not know.",
      }),
    ),
    limits: Type.Optional(Limits),
    prices: Type.Optional(Prices),
    triggers: Type.Optional(Triggers),
    permission: Type.Optional(
      Type.Enum(["none", ...permissions], {
        default: "none",
        description: "What runs without a user may do: those of jobs, timers, webhooks and work items. None: no tools.",
      }),
    ),
    approval: Type.Optional(Approval),
  },
  closed,
)

export interface AgentTarget {
  readonly endpoint: string
  readonly channel: string
}

/** What a binding says of one of its tools. */
export interface ToolSettings {
  readonly approval?: boolean
  readonly permission?: Permission
  readonly to?: readonly AgentTarget[]
  readonly hosts?: readonly string[]
}

/** What a day may take of one subject. */
export interface Budget {
  readonly runs?: number
  readonly tokens?: number
  readonly money?: number
}

/** A binding as it is after expansion, with its defaults. */
export interface AgentSettings {
  readonly enabled: boolean
  readonly description?: string
  readonly provider: string
  readonly model: string
  readonly baseURL?: string
  readonly key?: Secret
  readonly instructions?: string
  readonly instructionsFile?: string
  readonly tools: Readonly<Record<string, ToolSettings>>
  readonly limits: {
    readonly steps: number
    readonly tokens: number
    readonly seconds: number
    readonly money?: number
    readonly output: number
    readonly call: number
    readonly parallel: number
    readonly user: Budget
    readonly channel: Budget
    readonly day: Budget
  }
  readonly prices?: {readonly input: number; readonly output: number}
  readonly triggers: {
    readonly mention: boolean
    readonly direct: boolean
    readonly command?: string
    readonly permission: Permission
    readonly events: readonly {readonly endpoint: string; readonly type: string}[]
    readonly items: boolean
  }
  /** Of runs without a user. */
  readonly permission: Permission | "none"
  readonly approval: {readonly permission: Permission; readonly to?: AgentTarget; readonly expires: string}
}
