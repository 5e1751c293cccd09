import {type AlertCode, alertCodes, alertItems, type Item, severities} from "../alerts/items.ts"
import {durationPattern} from "../duration.ts"
import {namePattern} from "../ids.ts"
import {Closed, type Filled, Optional, Part, type Static, Type} from "../type.ts"

const AboveZero = (fallback: string, description: string) =>
  Optional.String({default: fallback, pattern: "^[1-9][0-9]*(s|m|h|d)$", description})

/** Text that an environment variable may supply. svc hides it like a secret. */
const Hidden = (options: {readonly pattern?: string; readonly description: string}) =>
  Type.String({...options, minLength: 1, hidden: true})

const Url = (description: string) => Hidden({pattern: "^https?://[^\\s/?#]+[^\\s]*$", description})

const Address = Type.String({
  pattern: '^[^\\s@<>",;:\\\\]+@[^\\s@<>",;:\\\\/]+$',
  maxLength: 254,
  description: "An email address.",
})

const Webhook = Part("Posts alerts to an HTTP address.", {
  url: Url("The address that the Host posts JSON to. It may be ${NAME}; svc never shows it."),
  headers: Type.Optional(
    Type.Record(
      Type.String({pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$"}),
      Hidden({pattern: "^[\\t -~]*$", description: "The value, which may be ${NAME}."}),
      {additionalProperties: false, default: {}, description: "More headers of each request, such as authorization."},
    ),
  ),
  secret: Optional.Secret({
    description:
      "Signs each request as Standard Webhooks describes. Write it as ${NAME}: whsec_ and base64 of 24 to 64 bytes.",
  }),
})

const Smtp = Part("The mail server.", {
  host: Type.String({minLength: 1, description: "Host name or address of the server."}),
  port: Optional.Integer({minimum: 1, maximum: 65535, description: "By default 465, or 587 with starttls and none."}),
  tls: Optional.Enum(["tls", "starttls", "none"], {
    default: "tls",
    description: "tls from the first byte, starttls (then mandatory), or none on your own network.",
  }),
  verify: Optional.Boolean({default: true, description: "Check the server's certificate."}),
  user: Optional.String({minLength: 1, description: "User name; without it the Host does not log in."}),
  password: Optional.Secret({description: "The password, as ${NAME}."}),
})

const Email = Part("Sends alerts by email, without the outbox.", {
  from: Address,
  to: Type.Array(Address, {minItems: 1, maxItems: 20, description: "The recipients."}),
  smtp: Smtp,
})

const codes = Type.Enum([...alertCodes])

const Target = Part("One of endpoint with channel, webhook, email.", {
  endpoint: Type.Optional(Type.Endpoint({description: "Alerts go through this endpoint: <slot>~<id>, or the slot."})),
  channel: Optional.String({minLength: 1, description: "The platform's id of the channel."}),
  webhook: Type.Optional(Webhook),
  email: Type.Optional(Email),
  items: Optional.Array(codes, {minItems: 1, description: "Only these alerts; all when left out."}),
  least: Optional.Enum([...severities], {default: "warning", description: "The lowest severity that it receives."}),
  quiet: Optional.Boolean({default: true, description: "false: the target receives alerts in quiet hours too."}),
})

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
export type Day = (typeof days)[number]

const timeOfDay = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

const QuietHours = Closed({
  from: Type.String({pattern: timeOfDay, description: "Start, such as 22:00."}),
  to: Type.String({pattern: "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$", description: "End, such as 07:00 or 24:00."}),
  days: Optional.Array(Type.Enum([...days]), {
    minItems: 1,
    description: "The days on which these hours start; every day when left out.",
  }),
})

const Quiet = Optional.Section({
  zone: Optional.String({default: "UTC", description: "The time zone, such as Europe/Berlin."}),
  hours: Optional.Array(QuietHours, {
    default: [],
    description: "During these hours the Host sends only critical alerts. The others follow afterwards.",
  }),
  critical: Optional.Boolean({default: true, description: "false: the Host holds critical alerts too."}),
})

const Rule = (code: AlertCode) => {
  const {severity, for: after, above, unit, happens, when}: Item = alertItems[code]
  const lasting = {
    for: Optional.String({pattern: durationPattern, description: `How long it must last; ${after} when left out.`}),
  }
  const limit =
    above === undefined
      ? {}
      : {
          above: Optional.Number({minimum: 0, description: `Raised above this, in ${unit}; ${above} when left out.`}),
        }
  return Type.Optional(
    Part(`Raised when ${when}.`, {
      enabled: Optional.Boolean({description: "false: the Host never raises it; true when left out."}),
      // Something that happened does not last.
      ...(happens === true ? {} : lasting),
      severity: Optional.Enum([...severities], {description: `How urgent it is; ${severity} when left out.`}),
      ...limit,
    }),
  )
}

const Heartbeat = Closed(
  {
    url: Url("The address that the Host calls with GET while all is well. It may be ${NAME}; svc never shows it."),
    every: AboveZero("1m", "How often the Host calls it."),
  },
  {description: "A monitor that notices missing calls. The Host calls while it is ready and its database stores rows."},
)

export const AlertsConfig = Optional.Section({
  targets: Optional.Record(Type.String({pattern: namePattern}), Target, {
    additionalProperties: false,
    description: "Where the Host sends alerts, by names that you choose.",
  }),
  items: Optional.Section(
    Object.fromEntries(alertCodes.map(code => [code, Rule(code)])) as Record<AlertCode, ReturnType<typeof Rule>>,
    {description: "Changes to the defaults, by the alert's code."},
  ),
  every: AboveZero("15s", "How often the Host checks."),
  grace: Optional.Duration("1m", "How long after its start the Host raises no alerts, so that endpoints can connect."),
  settle: Optional.Duration(
    "1m",
    "How long the condition must be over before an alert ends. The time doubles each time the alert returns within an hour.",
  ),
  repeat: Optional.Duration("24h", "How often the Host resends an alert that is still in force. 0s: never."),
  quiet: Quiet,
  heartbeat: Type.Optional(Heartbeat),
})

export type WebhookTarget = Readonly<Static<typeof Webhook>>
export type QuietSettings = Filled<typeof Quiet>
export type HeartbeatSettings = Filled<typeof Heartbeat>

/** Every key is present, except those without a default. */
export type AlertSettings = Filled<typeof AlertsConfig>
export type AlertTarget = AlertSettings["targets"][string]
export type AlertRules = AlertSettings["items"]

/** Returns whether there is a target or a heartbeat. */
export const isAlerting = ({targets, heartbeat}: Pick<AlertSettings, "targets" | "heartbeat">): boolean =>
  Object.keys(targets).length > 0 || heartbeat !== undefined

export const kindOf = ({webhook, email}: Pick<AlertTarget, "webhook" | "email">): "channel" | "webhook" | "email" =>
  webhook !== undefined ? "webhook" : email !== undefined ? "email" : "channel"

export const isCriticalOnly = ({least}: Pick<AlertTarget, "least">): boolean => least === "critical"
