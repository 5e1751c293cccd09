import {type Static, Type} from "../../../../shared/sdk/sdk.ts"

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
          "The server, if DNS does not name it: xmpp://host:port for STARTTLS, xmpps://host:port for direct TLS",
      }),
    ),
    tls: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Turn this off only for a server on the same machine: nothing is encrypted then",
      }),
    ),
    verify: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Verify the server's certificate. Turn this off only on your own network.",
      }),
    ),
    resource: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        default: "svc",
        description: "The XMPP resource; give each Host of an account a different one",
      }),
    ),
    nick: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "The bot's nick in rooms; by default the first part of jid",
      }),
    ),
    rooms: Type.Optional(Type.Array(Room, {default: [], maxItems: 200, description: "Rooms to join"})),
    joins: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Report users entering and leaving a room, as guild-member-added and -removed",
      }),
    ),
    subscriptions: Type.Optional(
      Type.Enum(["accept", "ignore"], {
        default: "accept",
        description: "How the bot answers requests to see whether it is online",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>
export type RoomSettings = Static<typeof Room>
