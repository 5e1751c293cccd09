import {durationPattern} from "../duration.ts"
import {namePattern} from "../ids.ts"
import {type Static, Type} from "../type.ts"
import {type AlertCode, alertCodes, alertItem, type Severity, severities} from "./items.ts"

const closed = {additionalProperties: false}

const Duration = (fallback: string, description: string) =>
  Type.Optional(Type.String({default: fallback, pattern: durationPattern, description}))

const AboveZero = (fallback: string, description: string) =>
  Type.Optional(Type.String({default: fallback, pattern: "^[1-9][0-9]*(s|m|h|d)$", description}))

/** Text that a variable may supply: then it is hidden as a secret is. */
const Hidden = (options: {readonly pattern?: string; readonly description: string}) =>
  Type.String({...options, minLength: 1, hidden: true})

const Url = (description: string) => Hidden({pattern: "^https?://[^\\s/?#]+[^\\s]*$", description})

const Address = Type.String({
  pattern: '^[^\\s@<>",;:\\\\]+@[^\\s@<>",;:\\\\/]+$',
  maxLength: 254,
  description: "An address of mail.",
})

const Webhook = Type.Object(
  {
    url: Url("Where the Host posts, as JSON; it may be ${NAME}, and is never shown."),
    headers: Type.Optional(
      Type.Record(
        Type.String({pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$"}),
        Hidden({pattern: "^[\\t -~]*$", description: "The value; it may be ${NAME}."}),
        {...closed, default: {}, description: "More headers of each post, such as authorization."},
      ),
    ),
    secret: Type.Optional(
      Type.Secret({
        description: "Signs each post by Standard Webhooks, as ${NAME}: whsec_ and base64 of 24 to 64 bytes.",
      }),
    ),
  },
  {...closed, description: "Posts alerts to an address."},
)

const Smtp = Type.Object(
  {
    host: Type.String({minLength: 1, description: "Host name or address of the server."}),
    port: Type.Optional(Type.Integer({minimum: 1, maximum: 65535, description: "465, or 587 with starttls and none."})),
    tls: Type.Optional(
      Type.Enum(["tls", "starttls", "none"], {
        default: "tls",
        description: "tls from the first byte on, starttls (required then), or none on a network of your own.",
      }),
    ),
    verify: Type.Optional(Type.Boolean({default: true, description: "Check the server's certificate."})),
    user: Type.Optional(Type.String({minLength: 1, description: "Without it there is no login."})),
    password: Type.Optional(Type.Secret({description: "As ${NAME}."})),
  },
  {...closed, description: "The server that takes the mail."},
)

const Email = Type.Object(
  {
    from: Address,
    to: Type.Array(Address, {minItems: 1, maxItems: 20, description: "Who gets the mail."}),
    smtp: Smtp,
  },
  {...closed, description: "Sends alerts by mail, past the outbox."},
)

const codes = Type.Enum([...alertCodes])

const Target = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({minLength: 1, description: "Sends alerts through this endpoint: <slot>~<id>, or the slot alone."}),
    ),
    channel: Type.Optional(Type.String({minLength: 1, description: "The platform's id of the channel there."})),
    webhook: Type.Optional(Webhook),
    email: Type.Optional(Email),
    items: Type.Optional(Type.Array(codes, {minItems: 1, description: "Only these alerts; all when left out."})),
    least: Type.Optional(
      Type.Enum([...severities], {default: "warning", description: "The least severity that goes to this target."}),
    ),
    quiet: Type.Optional(Type.Boolean({default: true, description: "false sends to this target in quiet hours too."})),
  },
  {...closed, description: "One of endpoint with channel, webhook, email."},
)

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
export type Day = (typeof days)[number]

const timeOfDay = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

const QuietHours = Type.Object(
  {
    from: Type.String({pattern: timeOfDay, description: "When they begin: 22:00."}),
    to: Type.String({
      pattern: "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
      description: "When they end: 07:00, or 24:00.",
    }),
    days: Type.Optional(
      Type.Array(Type.Enum([...days]), {
        minItems: 1,
        description: "The days on which they begin; every day when left out.",
      }),
    ),
  },
  closed,
)

const Quiet = Type.Object(
  {
    zone: Type.Optional(Type.String({default: "UTC", description: "The time zone, such as Europe/Berlin."})),
    hours: Type.Optional(
      Type.Array(QuietHours, {
        default: [],
        description: "Within them only critical alerts are sent; the others follow afterwards.",
      }),
    ),
    critical: Type.Optional(Type.Boolean({default: true, description: "false holds critical alerts too."})),
  },
  {...closed, default: {}},
)

const Rule = (code: AlertCode) => {
  const {severity, for: after, above, unit, when} = alertItem(code)
  const limit =
    above === undefined
      ? {}
      : {
          above: Type.Optional(
            Type.Number({minimum: 0, description: `Told with more ${unit} than this; ${above} when left out.`}),
          ),
        }
  return Type.Optional(
    Type.Object(
      {
        enabled: Type.Optional(Type.Boolean({description: "false tells nobody of it; true when left out."})),
        for: Type.Optional(
          Type.String({pattern: durationPattern, description: `How long it must last; ${after} when left out.`}),
        ),
        severity: Type.Optional(
          Type.Enum([...severities], {description: `How urgent it is; ${severity} when left out.`}),
        ),
        ...limit,
      },
      {...closed, description: `When ${when}.`},
    ),
  )
}

const Heartbeat = Type.Object(
  {
    url: Url("The Host asks it by GET while all is well; it may be ${NAME}, and is never shown."),
    every: AboveZero("1m", "How often."),
  },
  {
    ...closed,
    description:
      "A watch elsewhere that notices when the Host stops calling: it is ready, and its database takes rows.",
  },
)

/** `alerts` of the configuration. */
export const AlertsConfig = Type.Object(
  {
    targets: Type.Optional(
      Type.Record(Type.String({pattern: namePattern}), Target, {
        ...closed,
        default: {},
        description: "Where the Host sends alerts, by a name that you choose.",
      }),
    ),
    items: Type.Optional(
      Type.Object(
        Object.fromEntries(alertCodes.map(code => [code, Rule(code)])) as Record<AlertCode, ReturnType<typeof Rule>>,
        {
          ...closed,
          default: {},
          description: "What differs from the defaults, by the alert's code.",
        },
      ),
    ),
    every: AboveZero("15s", "How often the Host looks."),
    grace: Duration("1m", "How long after its start the Host raises no new alert, while endpoints connect."),
    settle: Duration(
      "1m",
      "How long it must be over before an alert ends; twice as long each time that it came back within an hour.",
    ),
    repeat: Duration("24h", "How often an alert that goes on is sent again; 0s for never."),
    quiet: Type.Optional(Quiet),
    heartbeat: Type.Optional(Heartbeat),
  },
  {...closed, default: {}},
)

type Filled<T, Kept extends keyof T = never> = Readonly<Required<Omit<T, Kept>> & Pick<T, Kept>>

export type AlertTarget = Filled<Static<typeof Target>, "endpoint" | "channel" | "webhook" | "email" | "items">
export type WebhookTarget = Readonly<Static<typeof Webhook>>
export type EmailTarget = Readonly<Static<typeof Email>>
export type QuietSettings = Filled<Static<typeof Quiet>>
export type HeartbeatSettings = Filled<Static<typeof Heartbeat>>

/** What the configuration says about an alert. */
interface RuleSettings {
  readonly enabled?: boolean
  readonly for?: string
  readonly severity?: Severity
  readonly above?: number
}
export type AlertRules = Readonly<Partial<Record<AlertCode, RuleSettings>>>

/** Every key present but those without a default. */
export interface AlertSettings {
  readonly targets: Readonly<Record<string, AlertTarget>>
  readonly items: AlertRules
  readonly every: string
  readonly grace: string
  readonly settle: string
  readonly repeat: string
  readonly quiet: QuietSettings
  readonly heartbeat?: HeartbeatSettings
}

/** Does anybody want to hear anything? */
export const isAlerting = ({targets, heartbeat}: Pick<AlertSettings, "targets" | "heartbeat">): boolean =>
  Object.keys(targets).length > 0 || heartbeat !== undefined

/** Where a target's alerts go. */
export const kindOf = ({webhook, email}: Pick<AlertTarget, "webhook" | "email">): "channel" | "webhook" | "email" =>
  webhook !== undefined ? "webhook" : email !== undefined ? "email" : "channel"

export const isCriticalOnly = ({least}: Pick<AlertTarget, "least">): boolean => least === "critical"
