import type {BuiltInPlatform, NameOf} from "./names.ts"

export type MethodParameters = Readonly<Record<string, unknown>>

type Id = string | number
type Needs<K extends string> = MethodParameters & {readonly [N in K]: Id}
type Chat = Needs<"chat_id">
type Member = Needs<"chat_id" | "user_id">
type Affiliation = "owner" | "admin" | "member" | "none" | "outcast"
type BuiltIn = {[P in BuiltInPlatform]: `${P}/${NameOf<P>}`}[BuiltInPlatform]

/**
 * The parameters of each platform's own methods, as the platform documents them. A platform of another adapter adds its
 * methods: `declare module "svc-runtime" {interface PlatformMethods {"shop/refund": {readonly order: string}}}`.
 */
export interface PlatformMethods extends Readonly<Record<BuiltIn, MethodParameters>> {
  readonly "telegram/pinChatMessage": Needs<"chat_id" | "message_id">
  readonly "telegram/unpinChatMessage": Chat
  readonly "telegram/sendPoll": Chat & {
    readonly question: string
    readonly options: readonly {readonly text: string}[]
  }
  readonly "telegram/stopPoll": Needs<"chat_id" | "message_id">
  readonly "telegram/forwardMessage": Needs<"chat_id" | "from_chat_id" | "message_id">
  readonly "telegram/createChatInviteLink": Chat
  readonly "telegram/createForumTopic": Chat & {readonly name: string}
  readonly "telegram/closeForumTopic": Chat
  readonly "telegram/banChatMember": Member
  readonly "telegram/unbanChatMember": Member
  readonly "telegram/restrictChatMember": Member & {readonly permissions: Readonly<Record<string, boolean>>}
  readonly "discord/pinMessage": Needs<"channel_id" | "message_id">
  readonly "discord/unpinMessage": Needs<"channel_id" | "message_id">
  readonly "discord/createMessage": Needs<"channel_id">
  readonly "discord/createThread": Needs<"channel_id"> & {readonly name: string}
  readonly "discord/startThread": Needs<"channel_id" | "message_id"> & {readonly name: string}
  readonly "discord/createInvite": Needs<"channel_id">
  readonly "discord/ban": Needs<"guild_id" | "user_id">
  readonly "discord/unban": Needs<"guild_id" | "user_id">
  readonly "discord/editMember": Needs<"guild_id" | "user_id">
  readonly "discord/addRole": Needs<"guild_id" | "user_id" | "role_id">
  readonly "discord/removeRole": Needs<"guild_id" | "user_id" | "role_id">
  readonly "matrix/pinMessage": Needs<"room_id" | "event_id">
  readonly "matrix/unpinMessage": Needs<"room_id" | "event_id">
  readonly "matrix/invite": Needs<"room_id" | "user_id">
  readonly "matrix/kick": Needs<"room_id" | "user_id">
  readonly "matrix/ban": Needs<"room_id" | "user_id">
  readonly "matrix/unban": Needs<"room_id" | "user_id">
  readonly "matrix/setTopic": Needs<"room_id"> & {readonly topic: string}
  readonly "matrix/setPowerLevel": Needs<"room_id" | "user_id"> & {readonly level: number}
  readonly "slack/pins.add": Needs<"channel" | "timestamp">
  readonly "slack/pins.remove": Needs<"channel" | "timestamp">
  readonly "slack/conversations.invite": Needs<"channel" | "users">
  readonly "slack/conversations.setTopic": Needs<"channel"> & {readonly topic: string}
  readonly "onebot/set_essence_msg": Needs<"message_id">
  readonly "onebot/set_group_ban": Needs<"group_id" | "user_id">
  readonly "onebot/set_group_kick": Needs<"group_id" | "user_id">
  readonly "xmpp/listAffiliations": Needs<"room"> & {readonly affiliation: Affiliation}
  readonly "xmpp/setAffiliation": Needs<"room" | "jid"> & {readonly affiliation: Affiliation}
  readonly "xmpp/setRole": Needs<"room" | "nick"> & {readonly role: "moderator" | "participant" | "visitor" | "none"}
  readonly "xmpp/setSubject": Needs<"room"> & {readonly subject: string}
  readonly "xmpp/invite": Needs<"room" | "jid">
}

/** A method's name, unless it begins with a platform of svc that has no such method. */
export type CheckedMethod<M extends string> = M extends keyof PlatformMethods
  ? string
  : M extends `${BuiltInPlatform}/${string}`
    ? `svc has no method ${M}`
    : string

export type ParametersOf<M extends string> = M extends keyof PlatformMethods ? PlatformMethods[M] : MethodParameters
