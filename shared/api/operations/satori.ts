import type {ProblemCode} from "../../problems.ts"
import {Channel, Guild, Login, Message, User} from "../../sdk/content/satori.ts"
import {Named, Optional, type TSchema, Type} from "../../type.ts"
import {get, post} from "./operation.ts"

/** The operations of Satori v1, named as in https://satori.js.org. A request's headers name its login. */

export const LoginView = Type.Intersect(
  [Login, Type.Object({adapter: Type.String(), features: Type.Array(Type.String()), self_id: Type.String()})],
  {title: "LoginView"},
)

const problems = [
  "login_unknown",
  "not_implemented",
  "platform_failed",
  "endpoint_offline",
] as const satisfies readonly ProblemCode[]

const method = <const N extends string, B extends TSchema, A extends TSchema>(
  name: N,
  summary: string,
  body: B,
  answer: A,
) => post(`/satori/v1/${name}`, "operator", {summary: `Satori: ${summary}`, body, answer, problems})

/** An id that the platform assigned. */
const Id = Type.String({minLength: 1, maxLength: 1000, pattern: "^[^\\0]+$"})

const Content = Type.String({minLength: 1, pattern: "^[^\\0]*$"})

const Nothing = Type.Object({})

const ofMessage = {channel_id: Id, message_id: Id}

const MessageListRequest = Named("MessageListRequest", {
  channel_id: Id,
  next: Type.Optional(Id),
  direction: Optional.Enum(["before", "after"]),
  limit: Optional.Integer({minimum: 1, maximum: 500}),
  order: Optional.Enum(["asc", "desc"]),
})

/** The methods that the Host answers. They send, and read received events. */
export const satoriMethods = {
  "login.get": method("login.get", "the login itself", Nothing, LoginView),
  "message.create": method(
    "message.create",
    "send a message; it is durable when this returns, and its id is the one in the outbox",
    Type.Object({channel_id: Id, content: Content, referrer: Type.Optional(Type.Unknown())}),
    Type.Array(Message),
  ),
  "message.get": method("message.get", "a received message", Type.Object(ofMessage), Message),
  "message.update": method(
    "message.update",
    "replace the content of a message; returns once the platform has done it, or after 10 s once the change is durable",
    Type.Object({...ofMessage, content: Content}),
    Nothing,
  ),
  "message.delete": method(
    "message.delete",
    "delete a message; returns like message.update",
    Type.Object(ofMessage),
    Nothing,
  ),
  "message.list": method(
    "message.list",
    "the messages of a channel, as the platform has them; next is the token of the following page in the same direction",
    MessageListRequest,
    Type.Object({data: Type.Array(Message), next: Optional.String()}),
  ),
  "reaction.create": method(
    "reaction.create",
    "add a reaction; it is durable when this returns",
    Type.Object({...ofMessage, emoji_id: Id}),
    Nothing,
  ),
  "reaction.delete": method(
    "reaction.delete",
    "remove a reaction of the bot; returns like message.update",
    Type.Object({...ofMessage, emoji_id: Id, user_id: Type.Optional(Id)}),
    Nothing,
  ),
  "channel.get": method("channel.get", "a channel that a message came from", Type.Object({channel_id: Id}), Channel),
  "user.get": method("user.get", "a user from whom a message was received", Type.Object({user_id: Id}), User),
  "user.channel.create": method(
    "user.channel.create",
    "the direct channel of a user: opened on the platform if it supports that, otherwise the one in which the user has written",
    Type.Object({user_id: Id, guild_id: Optional.String()}),
    Channel,
  ),
  "guild.get": method("guild.get", "a guild from which a message was received", Type.Object({guild_id: Id}), Guild),
}

const ofLink = {
  summary: "Satori: read the file behind an internal: link",
  answer: "application/octet-stream",
  problems: ["forbidden", "not_found", "endpoint_offline", "platform_failed", "file_refused", "file_unavailable"],
  stream: true,
} as const

export const satoriOperations = {
  meta: post("/satori/v1/meta", "operator", {
    summary: "Satori: the logins",
    answer: Named("Meta", {logins: Type.Array(LoginView), proxy_urls: Type.Array(Type.String())}),
  }),
  upload: post("/satori/v1/upload.create", "operator", {
    summary: "Satori: upload files as multipart/form-data; returns a link for each field",
    answer: Type.Record(Type.String(), Type.String()),
    problems: ["login_unknown", "unsupported_media_type", "file_too_large", "files_full", "state_unwritable"],
    stream: true,
    streamsBody: true,
  }),
  proxy: get("/satori/v1/proxy/*", "operator", ofLink),
  internal: get("/satori/v1/internal/*", "operator", ofLink),
  /** Any other method: the adapter's own, if its `features` include it. */
  forward: post("/satori/v1/*", "operator", {
    summary: "Satori: call a method listed in the login's features; returns the platform's answer",
    body: Type.Record(Type.String(), Type.Unknown()),
    answer: Type.Unknown({description: "What the platform answers"}),
    problems,
  }),
  events: get("/satori/v1/events", "operator", {
    summary: "Satori: the event WebSocket",
    status: 101,
    answer: "websocket",
    problems: ["upgrade_required"],
  }),
}
