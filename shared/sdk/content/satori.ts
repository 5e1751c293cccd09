import {Named, Optional, type Static, Type} from "../../type.ts"

/**
 * The resources of the Satori v1 protocol as svc stores, shows and serves them. `private` marks what a demo token must
 * not see: text, names, addresses, payloads. The OpenAPI document refers to each by its `title`.
 */
export const User = Type.Object(
  {
    id: Type.String({private: true}),
    name: Optional.String({private: true}),
    nick: Optional.String({private: true}),
    avatar: Optional.String({private: true}),
    is_bot: Optional.Boolean(),
    account: Optional.String({
      private: true,
      description: "The account that the platform vouches for, if a user's id is not one. Not part of Satori",
    }),
    roles: Optional.Array(Type.String(), {
      private: true,
      description: "The ids of the platform's roles of the user, as the event reports them. Not part of Satori",
    }),
    locale: Optional.String({
      private: true,
      description: "The user's language as the platform reports it, as a tag such as de-AT. Not part of Satori",
    }),
  },
  {title: "User", description: "A user of a platform"},
)
export type User = Static<typeof User>

/** `type`: 0 text, 1 direct, 2 category, 3 voice. */
export const Channel = Type.Object(
  {
    id: Type.String({private: true}),
    type: Type.Integer({minimum: 0, maximum: 3}),
    name: Optional.String({private: true}),
  },
  {title: "Channel", description: "A channel of a platform; type 0 is text, 1 is direct"},
)
export type Channel = Static<typeof Channel>
export const channelType = {text: 0, direct: 1, category: 2, voice: 3} as const

export const Guild = Named("Guild", {id: Type.String({private: true}), name: Optional.String({private: true})})

export type Guild = Static<typeof Guild>

export const Member = Named("Member", {nick: Optional.String({private: true}), joined_at: Optional.Integer()})

export const Message = Named("Message", {
  id: Type.String(),
  content: Type.String({private: true, description: "Satori message elements"}),
  created_at: Optional.Integer(),
})
export type Message = Static<typeof Message>

/** The pressed button, by the id that it had when it was sent. */
export const Button = Named("Button", {id: Type.String()})

/** The values of a filled-in form, by field name. Not part of Satori. */
export const FilledForm = Type.Object(
  {values: Type.Record(Type.String(), Type.String(), {private: true})},
  {title: "FilledForm", description: "The values of a filled-in form. Not part of Satori"},
)

/** The emoji of a reaction: the emoji itself, or the platform's id if it is not a Unicode emoji. */
export const Emoji = Named("Emoji", {id: Type.String({private: true}), name: Optional.String({private: true})})

/** `status`: 0 offline, 1 online, 2 connecting, 3 disconnecting, 4 reconnecting. */
export const Login = Named("Login", {
  sn: Optional.Integer(),
  platform: Type.String(),
  user: Type.Optional(User),
  status: Optional.Integer({minimum: 0, maximum: 4}),
})
export type Login = Static<typeof Login>

/** The events of the Satori v1 protocol, from its chapters on events and resources. */
export const eventTypes = [
  "friend-request",
  "guild-added",
  "guild-member-added",
  "guild-member-removed",
  "guild-member-request",
  "guild-member-updated",
  "guild-removed",
  "guild-request",
  "guild-role-created",
  "guild-role-deleted",
  "guild-role-updated",
  "guild-updated",
  "interaction/button",
  "interaction/command",
  "internal",
  "login-added",
  "login-removed",
  "login-updated",
  "message-created",
  "message-deleted",
  "message-updated",
  "reaction-added",
  "reaction-removed",
] as const

/** An event type: one of Satori's, or one with a slash that an adapter defines. */
export type EventType = (typeof eventTypes)[number] | `${string}/${string}`

const standard: ReadonlySet<string> = new Set<EventType>(eventTypes)

/** Returns whether `_data` of such an event has its payload: of `internal`, and of every type that an adapter defines. */
export const hasPayload = (type: string): boolean => type === "internal" || (type.includes("/") && !standard.has(type))

/** An inbox event. `sn` is its sequence in the inbox; `timestamp` is in milliseconds since 1970. */
export const SatoriEvent = Type.Object(
  {
    sn: Type.Integer(),
    type: Type.String(),
    timestamp: Type.Integer(),
    login: Login,
    button: Type.Optional(Button),
    form: Type.Optional(FilledForm),
    channel: Type.Optional(Channel),
    emoji: Type.Optional(Emoji),
    guild: Type.Optional(Guild),
    member: Type.Optional(Member),
    message: Type.Optional(Message),
    operator: Type.Optional(User),
    user: Type.Optional(User),
    referrer: Type.Optional(Type.Unknown({private: true})),
    _type: Optional.String(),
    _data: Type.Optional(Type.Unknown({private: true})),
  },
  {title: "SatoriEvent", description: "A Satori v1 event"},
)
export type SatoriEvent = Static<typeof SatoriEvent>
