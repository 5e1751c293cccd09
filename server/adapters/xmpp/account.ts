import {type Static, Type} from "../../../shared/sdk/sdk.ts"

const bareJid = "^[^@/\\s]+@[^@/\\s]+$"

const Room = Type.Object(
  {
    jid: Type.String({pattern: bareJid, description: "Address of the room, such as team@rooms.example.org"}),
    nick: Type.Optional(Type.String({minLength: 1, maxLength: 200, description: "The bot's nick in this room"})),
    password: Type.Optional(Type.Secret({description: "The room's password, as ${NAME}"})),
  },
  {additionalProperties: false},
)

/** One XMPP account. */
export const Account = Type.Object(
  {
    jid: Type.String({pattern: bareJid, description: "Address of the account, such as bot@example.org"}),
    password: Type.Secret({description: "As ${NAME}"}),
    service: Type.Optional(
      Type.String({
        pattern: "^xmpps?://[^/\\s@]+$",
        description:
          "The server, where DNS does not name it: xmpp://host:port for STARTTLS, xmpps://host:port for direct TLS",
      }),
    ),
    tls: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Turn it off only for a server on the same machine: nothing is encrypted",
      }),
    ),
    verify: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Check the server's certificate. Turn it off on a network of your own only.",
      }),
    ),
    resource: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        default: "svc",
        description: "Another one for each Host of an account",
      }),
    ),
    nick: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "The bot's nick in rooms; the first part of jid when left out",
      }),
    ),
    rooms: Type.Optional(Type.Array(Room, {default: [], maxItems: 200, description: "Rooms to join"})),
    joins: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Hand over who enters and leaves a room, as guild-member-added and -removed",
      }),
    ),
    subscriptions: Type.Optional(
      Type.Enum(["accept", "ignore"], {
        default: "accept",
        description: "What becomes of requests to see whether the bot is online",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>
export type RoomSettings = Static<typeof Room>
