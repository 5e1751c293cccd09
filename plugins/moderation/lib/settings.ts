import {type Static, Type} from "svc-runtime"

const closed = {additionalProperties: false}

/** From the mildest to the most severe. */
export const actions = ["off", "log", "delete", "warn", "mute"] as const
export type Action = (typeof actions)[number]

const Action = (fallback: Action, description: string) => Type.Enum([...actions], {default: fallback, description})

const Words = (description: string) =>
  Type.Array(Type.String({minLength: 1, maxLength: 100, pattern: "\\S"}), {default: [], maxItems: 500, description})

export const Settings = Type.Object(
  {
    log: Type.Object(
      {endpoint: Type.Endpoint(), channel: Type.String({minLength: 1})},
      {...closed, description: "The moderators' channel"},
    ),
    words: Words("Words and phrases that people must not write; only whole words count"),
    parts: Words("The same, also inside of other words"),
    allow: Type.Array(Type.String({pattern: "^[a-z0-9-]+(\\.[a-z0-9-]+)+$", maxLength: 253}), {
      default: [],
      maxItems: 500,
      description: "The domains that links may lead to, with their subdomains: example.org",
    }),
    mentions: Type.Integer({default: 5, minimum: 1, maximum: 100, description: "How many mentions a message may have"}),
    repeats: Type.Integer({
      default: 3,
      minimum: 2,
      maximum: 20,
      description: "How many equal messages of a user within a minute are too many",
    }),
    flood: Type.Object(
      {
        messages: Type.Integer({default: 8, minimum: 2, maximum: 50, description: "How many messages are too many"}),
        seconds: Type.Integer({default: 10, minimum: 1, maximum: 60, description: "Within how many seconds"}),
      },
      {...closed, default: {}, description: "How many messages of a user within a time are too many"},
    ),
    actions: Type.Object(
      {
        words: Action("mute", "What happens to a message with one of the words"),
        parts: Action("mute", "What happens to a message with one of the parts"),
        links: Action("off", "What happens to a message with a link to a domain that is not in allow"),
        invites: Action("off", "What happens to an invitation to Discord, Telegram or WhatsApp"),
        mentions: Action("off", "What happens to a message with too many mentions"),
        repeats: Action("off", "What happens to repeated messages"),
        flood: Action("off", "What happens to too many messages"),
      },
      {
        ...closed,
        default: {},
        description: "Per filter: off; log tells the moderators; delete, warn and mute also delete the message",
      },
    ),
    minutes: Type.Number({
      default: 10,
      exclusiveMinimum: 0,
      maximum: 40_320,
      description: "For how many minutes the bot mutes somebody, at most four weeks",
    }),
    warnings: Type.Object(
      {
        days: Type.Integer({
          default: 30,
          minimum: 1,
          maximum: 365,
          description: "After how many days a warning expires",
        }),
        mute: Type.Integer({default: 3, minimum: 0, maximum: 50, description: "How many warnings mute; 0 for never"}),
        ban: Type.Integer({default: 5, minimum: 0, maximum: 50, description: "How many warnings ban; 0 for never"}),
      },
      {...closed, default: {}, description: "What warnings lead to"},
    ),
    permission: Type.Enum(["trusted", "admin"], {
      default: "trusted",
      description: "Who moderates: the filters ignore them, and the commands need it",
    }),
  },
  closed,
)
export type Settings = Static<typeof Settings>

export type Filter = keyof Settings["actions"]

/** An open case of a user: where it began. `place` is the name of the channel or group. */
export const Case = Type.Object({
  isOpen: Type.Boolean({default: false}),
  channel: Type.String({default: ""}),
  guild: Type.String({default: ""}),
  place: Type.String({default: ""}),
})

/** Who ended a case; empty if its time was over. */
export const Closing = Type.Object({by: Type.String()})

/** A user's warnings, and the numbers of the moderators' newest commands, so that each counts once. */
export const Record = Type.Object({
  warnings: Type.Array(Type.Object({at: Type.Number(), by: Type.String(), why: Type.String()}), {default: []}),
  seen: Type.Array(Type.Object({at: Type.Number(), sn: Type.Integer()}), {default: []}),
})
export type Record = Static<typeof Record>

/** What a moderator does to a user. `name` and `place` are what the moderators read. */
export const Order = Type.Object({
  what: Type.Enum(["warn", "mute", "unmute", "ban", "unban"]),
  by: Type.String(),
  why: Type.String(),
  minutes: Type.Number(),
  guild: Type.String(),
  platform: Type.String(),
  name: Type.String(),
  place: Type.String(),
  sn: Type.Integer(),
})
export type Order = Static<typeof Order>

/** Queued acts at the platform, by their outbox ids, until it has carried them out or refused them; `text` is for the group. */
export const Acts = Type.Object({
  user: Type.String(),
  acts: Type.Array(
    Type.Object({
      id: Type.String(),
      what: Type.Enum(["delete", "mute", "unmute", "ban", "unban", "tell"]),
      text: Type.Optional(Type.String()),
    }),
  ),
  tries: Type.Integer(),
})
export type Act = Static<typeof Acts>["acts"][number]

export const minute = 60_000
export const day = 24 * 60 * minute
