import {type Static, Type} from "../../../../shared/sdk/sdk.ts"

/** The events that a bot can receive, and the bit of each (Discord: Gateway, "List of Intents"). */
export const intentBits = {
  guilds: 1 << 0,
  guild_members: 1 << 1,
  guild_messages: 1 << 9,
  guild_message_reactions: 1 << 10,
  direct_messages: 1 << 12,
  direct_message_reactions: 1 << 13,
  message_content: 1 << 15,
  guild_message_polls: 1 << 24,
  direct_message_polls: 1 << 25,
} as const

export type Intent = keyof typeof intentBits

/** The intents that must be turned on in the Developer Portal, with the name of their switch there. */
export const privilegedIntents = {
  guild_members: "Server Members Intent",
  message_content: "Message Content Intent",
} as const satisfies Partial<Record<Intent, string>>

const usualIntents = Object.keys(intentBits).filter(name => name !== "guild_members") as Intent[]

/** One Discord bot. */
export const Account = Type.Object(
  {
    token: Type.Secret({description: "The bot's token, as ${NAME}"}),
    intents: Type.Optional(
      Type.Array(Type.Enum(Object.keys(intentBits) as Intent[]), {
        default: usualIntents,
        description: "The events that the bot receives; turn on guild_members and message_content in the portal too",
      }),
    ),
    applicationId: Type.Optional(
      Type.String({pattern: "^\\d{1,20}$", description: "The application's id; svc asks Discord if you leave it out"}),
    ),
    publicKey: Type.Optional(
      Type.String({
        pattern: "^[0-9A-Fa-f]{64}$",
        description: "The application's public key; needed for interactions by signed HTTP",
      }),
    ),
    api: Type.Optional(
      Type.String({
        pattern: "^https?://[^/@\\s?#]+(/[^\\s?#]*[^/\\s?#])?$",
        default: "https://discord.com/api",
        description: "Address of Discord's HTTP API; for a proxy or a test",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>

export const usualApi = "https://discord.com/api"

export const intentsOf = ({intents = usualIntents}: AccountSettings): number =>
  intents.reduce((all, name) => all | intentBits[name], 0)
