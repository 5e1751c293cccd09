import {v7 as uuid} from "uuid"
import {Problem} from "../../shared/problems.ts"
import {Channel, Guild, Login, Message, User} from "../../shared/sdk/satori.ts"
import {type Static, type TSchema, Type} from "../../shared/type.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import {parseContent} from "../messages/parse-content.ts"
import type {Outbox} from "../outbox/outbox.ts"
import {type History, seenEvents} from "./history.ts"
import {type KnownLogin, showLogin} from "./protocol.ts"

export interface MethodServices {
  readonly outbox: Outbox
  readonly endpoints: Endpoints
  readonly history: History
}

/** One `{resource}.{method}` of Satori v1, asked of one login. */
export interface Method {
  readonly name: string
  readonly summary: string
  readonly body: TSchema
  readonly answer: TSchema
  readonly handle: (services: MethodServices, login: KnownLogin, body: never) => unknown
}

const method = <B extends TSchema>(
  name: string,
  summary: string,
  body: B,
  answer: TSchema,
  handle: (services: MethodServices, login: KnownLogin, body: Static<B>) => unknown,
): Method => ({name, summary, body, answer, handle})

/** An id of the platform. */
const Id = Type.String({minLength: 1, maxLength: 1000, pattern: "^[^\\0]+$"})

const Nothing = Type.Object({})

export const LoginView = Type.Intersect(
  [Login, Type.Object({adapter: Type.String(), features: Type.Array(Type.String()), self_id: Type.String()})],
  {title: "LoginView"},
)

const createMessage = method(
  "message.create",
  "Send a message; it is durable when this answers, and its id is that of the outbox",
  Type.Object({
    channel_id: Id,
    content: Type.String({minLength: 1, pattern: "^[^\\0]*$"}),
    referrer: Type.Optional(Type.Unknown()),
  }),
  Type.Array(Message),
  async ({outbox}, {endpoint}, {channel_id, content}) => {
    const id = uuid()
    await outbox.enqueue({id, kind: "message", endpoint, channel: channel_id, content: parseContent(content)})
    return [{id, content, created_at: Date.now()}]
  },
)

const createReaction = method(
  "reaction.create",
  "Add a reaction; it is durable when this answers",
  Type.Object({channel_id: Id, message_id: Id, emoji_id: Id}),
  Nothing,
  async ({outbox, endpoints, history}, login, {channel_id, message_id, emoji_id}) => {
    const {endpoint} = login
    const sender = endpoints.get(endpoint)?.sender
    if (sender !== undefined && sender.react === undefined) {
      throw new Problem("not_supported", `${login.platform} has no reactions`)
    }
    const message = (await history.platformId(endpoint, message_id)) ?? message_id
    const content = {message, emoji: emoji_id}
    await outbox.enqueue({id: uuid(), kind: "reaction", endpoint, channel: channel_id, content})
    return {}
  },
)

const found = <T>(value: T | undefined, what: string): T => {
  if (value !== undefined) return value
  throw new Problem("not_found", `the newest ${seenEvents} events tell of no such ${what}`)
}

/** What the Host answers, in the words of https://satori.js.org: what it sends, and what it has seen. */
export const methods: readonly Method[] = [
  method("login.get", "The login itself", Nothing, LoginView, (_, login) => showLogin(login)),
  createMessage,
  method(
    "message.get",
    "A message that came in",
    Type.Object({channel_id: Id, message_id: Id}),
    Message,
    async ({history}, {endpoint}, {channel_id, message_id}) =>
      found(await history.received(endpoint, channel_id, message_id), "message"),
  ),
  createReaction,
  method(
    "channel.get",
    "A channel that a message came from",
    Type.Object({channel_id: Id}),
    Channel,
    async ({history}, {endpoint}, {channel_id}) => found(await history.channel(endpoint, channel_id), "channel"),
  ),
  method(
    "user.get",
    "A user who was heard",
    Type.Object({user_id: Id}),
    User,
    async ({history}, {endpoint}, {user_id}) => found(await history.user(endpoint, user_id), "user"),
  ),
  method(
    "user.channel.create",
    "The channel in which a user has written to the bot alone",
    Type.Object({user_id: Id, guild_id: Type.Optional(Type.String())}),
    Channel,
    async ({history}, {endpoint}, {user_id}) => found(await history.directChannel(endpoint, user_id), "direct channel"),
  ),
  method(
    "guild.get",
    "A guild that a message came from",
    Type.Object({guild_id: Id}),
    Guild,
    async ({history}, {endpoint}, {guild_id}) => found(await history.guild(endpoint, guild_id), "guild"),
  ),
]

/** The rest of Satori v1: a platform may have it, the Host does not. */
export const otherMethods: ReadonlySet<string> = new Set([
  "channel.list",
  "channel.create",
  "channel.update",
  "channel.delete",
  "channel.mute",
  "message.update",
  "message.delete",
  "message.list",
  "reaction.delete",
  "reaction.clear",
  "reaction.list",
  "upload.create",
  "guild.list",
  "guild.approve",
  "guild.member.get",
  "guild.member.list",
  "guild.member.kick",
  "guild.member.mute",
  "guild.member.approve",
  "guild.member.role.set",
  "guild.member.role.unset",
  "guild.member.role.list",
  "guild.role.list",
  "guild.role.create",
  "guild.role.update",
  "guild.role.delete",
  "friend.list",
  "friend.delete",
  "friend.approve",
])
