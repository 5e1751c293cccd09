import {agePattern, durationPattern, ratePattern} from "../duration.ts"
import {namePattern} from "../ids.ts"
import {logLevels} from "../log.ts"
import {pagePattern} from "../sdk/plugin/page.ts"
import type {HandlerOrder} from "../sdk/session/handler.ts"
import {PermissionRule} from "../sdk/session/permission.ts"
import {Closed, type Filled, Optional, Part, type Static, section, Type} from "../type.ts"
import {AgentConfig} from "./agents.ts"
import {AlertsConfig} from "./alerts.ts"

const ReadinessConfig = Optional.Section({
  database: Optional.Boolean({
    default: true,
    description:
      "Require an initialized database. With false, the Host runs a provisional generation while its remote database does not answer.",
  }),
  endpoints: Optional.Array(
    Closed({
      owner: Type.String({pattern: "^root/", description: "The plugin instance, root/<plugin_name>."}),
      name: Type.String({
        minLength: 1,
        description: "<adapter_slot>~<endpoint_id>, or only the adapter slot if it has no accounts.",
      }),
    }),
    {default: [], description: "The endpoints that must admit events for the Host to be ready. Others are optional."},
  ),
  agents: Optional.Array(Type.String(), {default: [], description: "The agent bindings that must be configured."}),
})

const HttpConfig = Optional.Section({
  host: Optional.String({default: "127.0.0.1", minLength: 1, description: "Address to listen on."}),
  port: Optional.Integer({default: 8068, minimum: 0, maximum: 65535, description: "TCP port."}),
  token: Optional.Secret({description: "The full token, as ${HTTP_TOKEN}. Required in production."}),
  previousToken: Type.Optional(
    Part("During a token rotation, the Host accepts the previous token as well as http.token.", {
      token: Type.Secret({description: "The previous full token, as ${HTTP_PREVIOUS_TOKEN}."}),
      until: Type.String({
        format: "date-time",
        description: "When the Host stops accepting it: date, time and time zone, such as 2026-12-01T18:00:00Z.",
      }),
    }),
  ),
  demoToken: Optional.Secret({description: "A read-only token, as ${NAME}."}),
  corsOrigins: Optional.Array(
    Type.String({pattern: "^https?://[^/?#]+$", description: "An origin: scheme, host and port, without a path."}),
    {default: [], description: "Origins whose pages may call the API."},
  ),
  consoleHosts: Optional.Array(
    Type.String({pattern: "^https?://[^/?#;,\\s'\"]+$", description: "An origin: scheme, host and port."}),
    {default: [], description: "Other Hosts that this Host's console may switch to. Each must allow this origin."},
  ),
  mcp: Optional.Array(
    Type.String({pattern: "^[A-Za-z0-9.-]+$|^\\[[0-9A-Fa-f:]+\\]$", description: "A host name or address, no port."}),
    {
      default: [],
      description:
        "Names by which MCP clients reach this Host at /mcp, such as localhost, which works on this machine. Without a name, /mcp is off.",
    },
  ),
  base: Optional.String({
    default: "",
    pattern: "^(/[A-Za-z0-9._~-]+)*$",
    description: "Path prefix of everything but /pub, for example /bot.",
  }),
  trustedProxies: Optional.Array(Type.String({description: "An address or a CIDR range."}), {
    default: [],
    description: "Proxies whose X-Forwarded-For the Host trusts.",
  }),
  connections: Optional.Integer({
    default: 10_000,
    minimum: 10,
    maximum: 1_000_000,
    description: "The most open connections. Above that, the Host closes the connection that has been idle longest.",
  }),
  readiness: ReadinessConfig,
})

const DatabaseConfig = Optional.Section({
  dialect: Optional.Enum(["sqlite", "libsql"], {default: "sqlite", description: "sqlite: a file. libsql: remote."}),
  filename: Optional.String({minLength: 1, description: "The file, relative to the project (dialect sqlite)."}),
  url: Optional.String({pattern: "^(libsql|https?|wss?)://", description: "Address of the database (dialect libsql)."}),
  authToken: Optional.Secret({description: "Token of the remote database, as ${NAME}."}),
  timeout: Optional.String({
    default: "10s",
    pattern: "^[1-9][0-9]*(s|m|h|d)$",
    description:
      "How long the Host waits for a remote database's response. For a migration or a copy it waits 10 minutes.",
  }),
})

const maxAge = (what: string) =>
  Optional.String({pattern: agePattern, description: `The age up to which ${what}, such as 1h; never: at any age.`})

const outboxKeys = {
  onUnknown: Optional.Enum(["hold", "retry"], {
    description:
      "What to do with a message that may have arrived. hold (the default): a person decides. retry: the Host sends it again, maybe twice.",
  }),
  maxAge: maxAge("messages and acts are sent"),
  rate: Type.Optional(
    Part("A rate limit of each endpoint, in addition to its adapter's own.", {
      messages: Type.Integer({minimum: 1, maximum: 10_000, description: "The most messages to start within `per`."}),
      per: Type.String({pattern: durationPattern, description: "The time that `messages` counts for, such as 1m."}),
    }),
  ),
}

const maxAges = {
  commands: maxAge("commands run"),
  agents: maxAge("messages start agents"),
  messages: maxAge("other handlers of events run"),
  presses: maxAge("presses of buttons and answers to questions count"),
}

/** The kinds of handlers that age limits tell apart. */
export type AgeKind = keyof typeof maxAges

/** Age limits by kind of handler. */
export type MaxAges = Readonly<Partial<Record<AgeKind, string>>>

const order = (what: string) =>
  Optional.Enum(["channel", "user", "none"], {
    default: "channel",
    description: `Which earlier events ${what} wait for: all of their channel, those of their user there, or none.`,
  })

const orders = {commands: order("commands"), messages: order("other handlers of events")}

/** The order of handlers by their kind. */
export type HandlerOrders = Readonly<Partial<Record<AgeKind, HandlerOrder>>>

const rate = (whose: string) =>
  Optional.String({
    pattern: ratePattern,
    description: `How many commands ${whose} may call at once, and then again within a time, such as 10/1m.`,
  })

const commandRates = {user: rate("a user"), channel: rate("the users of a channel together")}

/** Limits over all commands, by who is counted. */
export type CommandRates = Readonly<Partial<Record<keyof typeof commandRates, string>>>

const InboxConfig = Optional.Section({
  order: Optional.Section(orders),
  limits: Optional.Section(commandRates),
  maxAge: Optional.Section({
    ...maxAges,
    notice: Optional.Boolean({
      default: true,
      description: "Tell users once in each conversation that the bot did not run what they asked, because of its age.",
    }),
  }),
})

export const EndpointEntry = Type.Object(
  {
    id: Type.String({pattern: namePattern, description: "Stable id of the account; the endpoint is <slot>~<id>."}),
    outbox: Type.Optional(Closed(outboxKeys, {description: "How this account sends. Overrides the plugin's outbox."})),
    inbox: Type.Optional(Closed({maxAge: Type.Optional(Closed(maxAges))})),
  },
  {description: "One account of the plugin's adapter. The adapter defines the other keys."},
)

export const PluginConfig = section({
  use: Optional.String({minLength: 1, description: "The plugin: a project's file, a built-in adapter or a package."}),
  enabled: Optional.Boolean({default: true, description: "false: the plugin publishes no capabilities."}),
  config: Type.Optional(Type.Unknown({description: "The plugin's settings; the plugin defines their schema."})),
  outbox: Type.Optional(Closed(outboxKeys)),
  pages: Optional.Array(Type.String({pattern: pagePattern}), {
    default: [],
    description: "Pages of the plugin that anyone may open without a token: `/callback` is `/pages/<name>/callback`.",
  }),
  endpoints: Optional.Array(EndpointEntry, {default: [], description: "Accounts of the plugin's adapter."}),
})

const WorkroomConfig = Optional.Section({
  store: Optional.Enum(["database", "file"], {
    default: "database",
    description:
      "Where svc stores work items: in the database, or in `.svc/workroom-catalog.json` and `.svc/workroom-journal/`. svc does not move existing items.",
  }),
})

const IngressConfig = Optional.Section({
  minimumFree: Optional.Integer({
    default: 100,
    minimum: 0,
    description:
      "The Host pauses ingress while the disk of its data has less free space than this, in MiB; 0 for no limit.",
  }),
  askAfter: Optional.String({
    pattern: "^[1-9][0-9]*(m|h|d)$",
    description:
      "After an outage longer than this, such as 10m, the Host holds the events that were written before its end, until an operator decides. Off when left out.",
  }),
  askFor: Optional.String({
    pattern: "^[1-9][0-9]*(s|m|h|d)$",
    description: "The Host releases what `askAfter` holds after this time. Without it, an operator must.",
  }),
})

const FilesConfig = Optional.Section({
  allowPrivate: Optional.Array(
    Type.String({
      pattern: "^(\\[[0-9A-Fa-f:.]+\\]|[^\\s/:@?#\\[\\]]+)(:[0-9]{1,5})?$",
      description: "A host name or an address, with a port or for all ports: media.local:9000, 10.0.0.7, [fd00::7].",
    }),
    {
      default: [],
      description:
        "Hosts on private networks, or this machine, from which the Host may read the files of messages. Anybody who can write to the bot can make it read from them.",
    },
  ),
  quota: Optional.Integer({default: 1024, minimum: 0, description: "The most space for files, in MiB; 0 rejects all."}),
})

const EventsConfig = Optional.Section({
  history: Optional.Section({
    events: Optional.Integer({default: 200_000, minimum: 1, description: "The most events that the Host keeps."}),
    bytes: Optional.Integer({default: 256 * 1024 * 1024, minimum: 1, description: "The most bytes of kept events."}),
    age: Optional.Duration("24h", "How long the Host keeps an event."),
  }),
})

const age = (limit: string, what: string) => Optional.Duration(limit, `${what}; 0s for no limit.`)

const kept = (limit: string, rows: number, what: string) => ({
  age: age(limit, `How long the Host keeps ${what}`),
  rows: Optional.Integer({default: rows, minimum: 1, description: `The most entries that the Host keeps: ${what}.`}),
})

const keptOf = (limit: string, rows: number, what: string) => Optional.Section(kept(limit, rows, what))

const CheckpointsConfig = Optional.Section({
  every: Optional.Duration("24h", "How often the Host makes and verifies a checkpoint (dialect sqlite). 0s: never."),
  keep: Optional.Integer({default: 3, minimum: 1, description: "How many of these to keep; those by hand stay."}),
})

const ReleasesConfig = Optional.Section({
  window: Optional.Duration("24h", "How long a completed release is observed. Meanwhile svc keeps its checkpoint."),
})

const RuntimeConfig = Optional.Section({
  memory: Optional.Enum(["small", "fast"], {
    default: "small",
    description:
      "`fast`, on Bun where the process may use 512 MiB: a message takes less processor time, and memory stays as large as in the largest rush.",
  }),
})

const WatchdogConfig = Optional.Section({
  seconds: Optional.Integer({
    default: 20,
    minimum: 1,
    maximum: 3600,
    description: "How long the event loop may be blocked before the watchdog writes a line to standard error.",
  }),
  kill: Optional.Boolean({default: false, description: "Kill a blocked Host by SIGKILL. Its supervisor restarts it."}),
})

const RetentionConfig = Optional.Section({
  handled: Optional.Section({
    ...kept("30d", 1_000_000, "events that every handler has handled, or that were discarded"),
    least: Optional.Integer({
      default: 10_000,
      minimum: 0,
      description: "How many of the newest events the Host keeps at any age. Satori applications resume from them.",
    }),
  }),
  unhandled: age("0s", "How long the Host keeps text, names and payload of unwanted events. Ids and times stay"),
  duplicates: keptOf("90d", 2_000_000, "platform ids of dropped events, to recognize repeated deliveries"),
  sent: keptOf("30d", 1_000_000, "messages that were sent or discarded"),
  undelivered: Optional.Section({
    age: age("180d", "How long the Host keeps failed, dead, unknown and held rows before it drops them and reports it"),
  }),
  jobRuns: keptOf("90d", 50_000, "ended runs of jobs"),
  agentRuns: keptOf("30d", 50_000, "ended runs of agents, with their steps"),
  gaps: keptOf("365d", 50_000, "ended gaps"),
  runs: keptOf("365d", 10_000, "runs of the Host"),
})

/** The reply to a failed command or message. Unless the project sets one, it is translated to the event's language. */
export const defaultFailure = "Something went wrong (event {event})."

/** One rule of `languages.rules`. */
export const LanguageRule = Part("A rule matches if every key that it names matches.", {
  endpoint: PermissionRule.properties.endpoint,
  channel: PermissionRule.properties.channel,
  language: Type.String({description: "The language there, as a tag (BCP 47) such as de."}),
})
export type LanguageRule = Readonly<Static<typeof LanguageRule>>

const LanguagesConfig = Optional.Section({
  default: Optional.String({default: "en", description: "The language without a rule or choice, as a tag (BCP 47)."}),
  offer: Optional.Array(Type.String(), {
    description:
      "The languages that the bot speaks in addition to those of `default` and `rules`. When left out: the languages of the plugins' texts and of `texts`.",
  }),
  rules: Optional.Array(LanguageRule, {
    default: [],
    description: "The languages of channels. The first matching rule counts. A user's own choice overrides it.",
  }),
  texts: Optional.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
    description: "Replacements for svc's own chat texts, by language and key, in ICU MessageFormat.",
  }),
})

const StatusLabel = Part("Shows one endpoint, plugin or agent. If it names none, it shows the whole bot.", {
  label: Type.String({minLength: 1, maxLength: 80, description: "The name on the page."}),
  endpoint: Type.Optional(Type.Endpoint({description: "The label is up while this endpoint is up."})),
  plugin: Optional.String({minLength: 1, description: "The label is up while this plugin is up."}),
  agent: Optional.String({minLength: 1, description: "The label is up while this agent is up."}),
})

export type StatusLabel = Readonly<Static<typeof StatusLabel>>

const StatusConfig = Optional.Section({
  title: Optional.String({default: "Status", minLength: 1, maxLength: 80, description: "The heading of the page."}),
  note: Optional.String({maxLength: 500, description: "A sentence below the heading of the page."}),
  labels: Optional.Array(StatusLabel, {
    default: [],
    maxItems: 50,
    description: "What the public page /status/ shows as up or down. Without labels there is no page.",
  }),
})

/** The expanded `svc.config.yml`. The description of each key is its line in the reference. */
export const ProjectConfig = Closed({
  log_level: Optional.Enum([...logLevels], {default: "info", description: "The lowest level that the Host logs."}),
  http: HttpConfig,
  database: DatabaseConfig,
  commands: Optional.Section({
    prefixes: Optional.Array(Type.String({minLength: 1, maxLength: 8}), {
      default: ["/", "!"],
      description: "Prefixes that make a message a command. Addressing the bot by name works too.",
    }),
  }),
  messages: Optional.Section({
    failure: Optional.String({
      default: defaultFailure,
      maxLength: 500,
      description:
        "The reply when a command or a direct message fails for the last time, at most once a minute in a channel. `{event}` is the number of the event. Empty: no reply. The default is translated to the event's language.",
    }),
  }),
  plugins: Optional.Record(Type.String({pattern: namePattern}), PluginConfig, {
    additionalProperties: false,
    description: "Plugin instances by name.",
  }),
  permissions: Optional.Array(PermissionRule, {
    default: [],
    description:
      "Who may use what a plugin reserves. The first matching rule counts; without one, a user has the permission user.",
  }),
  files: FilesConfig,
  languages: LanguagesConfig,
  inbox: InboxConfig,
  outbox: Optional.Section({maxAge: outboxKeys.maxAge}),
  ingress: IngressConfig,
  agents: Optional.Record(Type.String({pattern: namePattern}), AgentConfig, {
    additionalProperties: false,
    description: "Agent bindings by name. Readiness may require them.",
  }),
  workroom: WorkroomConfig,
  events: EventsConfig,
  retention: RetentionConfig,
  status: StatusConfig,
  checkpoints: CheckpointsConfig,
  releases: ReleasesConfig,
  runtime: RuntimeConfig,
  watchdog: WatchdogConfig,
  alerts: AlertsConfig,
})

/** Settings after expansion: every key with a default is present. */
export type ProjectConfig = Filled<typeof ProjectConfig>
/** `http.previousToken`, if configured. */
export type PreviousToken = NonNullable<ProjectConfig["http"]["previousToken"]>
export type StatusSettings = ProjectConfig["status"]
export type RetentionSettings = ProjectConfig["retention"]
export type PluginEntry = ProjectConfig["plugins"][string]

/** The value of HTTP_TOKEN in the example's `.env`; production refuses it. */
export const placeholderToken = "replace-me-with-a-long-random-token"
