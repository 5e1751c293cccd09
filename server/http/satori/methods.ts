import {Problem} from "../../../shared/problems.ts"
import type {Feature} from "../../../shared/sdk/adapter/sender.ts"
import {parseContent} from "../../../shared/sdk/content/parse-content.ts"
import {Channel, Guild, Login, Message, User} from "../../../shared/sdk/content/satori.ts"
import {Named, Optional, type Static, type TSchema, Type} from "../../../shared/type.ts"
import {askMethod} from "../../endpoints/ask.ts"
import {searchedEvents} from "../../inbox/look-ups.ts"
import {contentOf} from "../../outbox/draft.ts"
import {uuid} from "../../runtime/uuid.ts"
import {act, ask, can, type MethodServices, requireFeature} from "./asking.ts"
import {type KnownLogin, showLogin} from "./protocol/protocol.ts"

/** One `{resource}.{method}` of Satori v1, called for one login. */
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

/** An id that the platform assigned. */
const Id = Type.String({minLength: 1, maxLength: 1000, pattern: "^[^\\0]+$"})

const Nothing = Type.Object({})

const MessageListRequest = Named("MessageListRequest", {
  channel_id: Id,
  next: Type.Optional(Id),
  direction: Optional.Enum(["before", "after"]),
  limit: Optional.Integer({minimum: 1, maximum: 500}),
  order: Optional.Enum(["asc", "desc"]),
})

export const LoginView = Type.Intersect(
  [Login, Type.Object({adapter: Type.String(), features: Type.Array(Type.String()), self_id: Type.String()})],
  {title: "LoginView"},
)

const createMessage = method(
  "message.create",
  "Send a message; it is durable when this returns, and its id is the one in the outbox",
  Type.Object({
    channel_id: Id,
    content: Type.String({minLength: 1, pattern: "^[^\\0]*$"}),
    referrer: Type.Optional(Type.Unknown()),
  }),
  Type.Array(Message),
  async ({outbox}, {endpoint}, {channel_id, content}) => {
    const id = uuid()
    await outbox.enqueue({
      id,
      kind: "message",
      endpoint,
      channel: channel_id,
      content: contentOf(parseContent(content)),
    })
    return [{id, content, created_at: Date.now()}]
  },
)

const createReaction = method(
  "reaction.create",
  "Add a reaction; it is durable when this returns",
  Type.Object({channel_id: Id, message_id: Id, emoji_id: Id}),
  Nothing,
  async (services, login, {channel_id, message_id, emoji_id}) => {
    requireFeature(services, login, "react", "reaction.create")
    const {outbox, history} = services
    const {endpoint} = login
    const message = (await history.platformId(endpoint, message_id)) ?? message_id
    const content = {message, emoji: emoji_id}
    await outbox.enqueue({id: uuid(), kind: "reaction", endpoint, channel: channel_id, content})
    return {}
  },
)

const updateMessage = method(
  "message.update",
  "Replace the content of a message; returns once the platform has done it, or after 10 s once the change is durable",
  Type.Object({channel_id: Id, message_id: Id, content: Type.String({minLength: 1, pattern: "^[^\\0]*$"})}),
  Nothing,
  async (services, login, {channel_id, message_id, content}) => {
    requireFeature(services, login, "edit", "message.update")
    const {endpoint} = login
    const {channel, message} = await services.history.messageOf(endpoint, channel_id, message_id)
    const nodes = contentOf(parseContent(content))
    await act(services, {id: uuid(), kind: "edit", endpoint, channel, content: {message, content: nodes}})
    return {}
  },
)

const deleteMessage = method(
  "message.delete",
  "Delete a message; returns like message.update",
  Type.Object({channel_id: Id, message_id: Id}),
  Nothing,
  async (services, login, {channel_id, message_id}) => {
    requireFeature(services, login, "delete", "message.delete")
    const {endpoint} = login
    const {channel, message} = await services.history.messageOf(endpoint, channel_id, message_id)
    await act(services, {id: uuid(), kind: "delete", endpoint, channel, content: {message}})
    return {}
  },
)

const deleteReaction = method(
  "reaction.delete",
  "Remove a reaction of the bot; returns like message.update",
  Type.Object({channel_id: Id, message_id: Id, emoji_id: Id, user_id: Type.Optional(Id)}),
  Nothing,
  async (services, login, {channel_id, message_id, emoji_id, user_id}) => {
    requireFeature(services, login, "unreact", "reaction.delete")
    if (user_id !== undefined && user_id !== login.user.id) {
      throw new Problem("not_supported", "the bot can remove only its own reactions: leave out user_id")
    }
    const {endpoint} = login
    const {channel, message} = await services.history.messageOf(endpoint, channel_id, message_id)
    await act(services, {id: uuid(), kind: "unreact", endpoint, channel, content: {message, emoji: emoji_id}})
    return {}
  },
)

const listMessages = method(
  "message.list",
  "The messages of a channel, as the platform has them; next is the token of the following page in the same direction",
  MessageListRequest,
  Type.Object({data: Type.Array(Message), next: Optional.String()}),
  async (services, login, {channel_id: channel, next, direction = "before", limit = 50, order = "asc"}) => {
    requireFeature(services, login, "history", "message.list")
    const beside = next === undefined ? {} : {[direction]: next}
    const {events, more} = await ask(services, login, (sender, signal) =>
      sender.history?.({channel, limit, ...beside}, signal),
    )
    const data = events.flatMap(({message, user, timestamp}) =>
      message === undefined ? [] : [{created_at: timestamp, ...message, channel: {id: channel}, ...(user && {user})}],
    )
    const last = direction === "before" ? events.at(0) : events.at(-1)
    const token = more ? (last?.message?.id ?? last?.id) : undefined
    return {data: order === "asc" ? data : data.reverse(), ...(token === undefined ? {} : {next: token})}
  },
)

/** Asks the platform if its adapter declares the method. Otherwise answers from the inbox. */
const askedOr =
  <B extends Readonly<Record<string, unknown>>>(
    name: Feature,
    seen: (services: MethodServices, login: KnownLogin, body: B) => unknown,
  ) =>
  (services: MethodServices, login: KnownLogin, body: B): unknown =>
    can(services, login, name)
      ? askMethod(services.endpoints.require(login.endpoint), name, body)
      : seen(services, login, body)

const found = <T>(value: T | undefined, what: string): T => {
  if (value !== undefined) return value
  throw new Problem("not_found", `the newest ${searchedEvents} events mention no ${what} with this id`)
}

/** The method that gets what messages came from, by its id. */
const getting = (what: "channel" | "user" | "guild", summary: string, answer: TSchema): Method => {
  const id = `${what}_id` as const
  return method(
    `${what}.get`,
    summary,
    Type.Object({[id]: Id}),
    answer,
    askedOr(`${what}.get`, async ({history}, {endpoint}, body) =>
      found(await history.seen(what, endpoint, String(body[id])), what),
    ),
  )
}

/** The methods that the Host answers, named as in https://satori.js.org. They send, and read received events. */
export const methods: readonly Method[] = [
  method("login.get", "The login itself", Nothing, LoginView, (_, login) => showLogin(login)),
  createMessage,
  method(
    "message.get",
    "A received message",
    Type.Object({channel_id: Id, message_id: Id}),
    Message,
    askedOr("message.get", async ({history}, {endpoint}, {channel_id, message_id}) =>
      found(await history.received(endpoint, channel_id, message_id), "message"),
    ),
  ),
  updateMessage,
  deleteMessage,
  listMessages,
  createReaction,
  deleteReaction,
  getting("channel", "A channel from which a message was received", Channel),
  getting("user", "A user from whom a message was received", User),
  method(
    "user.channel.create",
    "The direct channel of a user: opened on the platform if it supports that, otherwise the one in which the user has written",
    Type.Object({user_id: Id, guild_id: Optional.String()}),
    Channel,
    async (services, login, {user_id}) =>
      can(services, login, "open")
        ? ask(services, login, (sender, signal) => sender.open?.(user_id, signal))
        : found(await services.history.directChannel(login.endpoint, user_id), "direct channel"),
  ),
  getting("guild", "A guild from which a message was received", Guild),
]
