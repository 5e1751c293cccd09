import type {AnswerOf, BodyOf, Unchanging} from "../../../shared/api/operations/operation.ts"
import type {satoriMethods} from "../../../shared/api/operations/satori.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Feature} from "../../../shared/sdk/adapter/sender.ts"
import {parseContent} from "../../../shared/sdk/content/parse-content.ts"
import {askMethod} from "../../endpoints/ask.ts"
import {searchedEvents} from "../../inbox/look-ups.ts"
import {contentOf} from "../../outbox/draft.ts"
import {uuid} from "../../runtime/uuid.ts"
import {act, ask, can, type MethodServices, requireFeature} from "./asking.ts"
import {type KnownLogin, showLogin} from "./protocol/protocol.ts"

type Table = typeof satoriMethods

export type Method<B, A> = (services: MethodServices, login: KnownLogin, body: B) => A | Promise<A>

type Methods = {readonly [N in keyof Table]: Method<BodyOf<Table[N]>, Unchanging<AnswerOf<Table[N]>>>}

/** Asks the platform if its adapter declares the method. Otherwise answers from the inbox. */
const askedOr =
  <B extends Readonly<Record<string, unknown>>, A>(name: Feature, seen: Method<B, A>): Method<B, A> =>
  (services, login, body) =>
    can(services, login, name)
      ? // The platform's answer is passed on as it is.
        (askMethod(services.endpoints.require(login.endpoint), name, body) as Promise<A>)
      : seen(services, login, body)

const found = <T>(value: T | undefined, what: string): T => {
  if (value !== undefined) return value
  throw new Problem("not_found", `the newest ${searchedEvents} events mention no ${what} with this id`)
}

export const methods: Methods = {
  "login.get": (_, login) => showLogin(login),
  "message.create": async ({outbox, endpoints}, {endpoint}, {channel_id, content}) => {
    endpoints.requireTarget({endpoint})
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
  "message.get": askedOr("message.get", async ({history}, {endpoint}, {channel_id, message_id}) =>
    found(await history.received(endpoint, channel_id, message_id), "message"),
  ),
  "message.update": async (services, login, {channel_id, message_id, content}) => {
    requireFeature(services, login, "edit", "message.update")
    const {endpoint} = login
    const {channel, message} = await services.history.messageOf(endpoint, channel_id, message_id)
    const nodes = contentOf(parseContent(content))
    await act(services, {id: uuid(), kind: "edit", endpoint, channel, content: {message, content: nodes}})
    return {}
  },
  "message.delete": async (services, login, {channel_id, message_id}) => {
    requireFeature(services, login, "delete", "message.delete")
    const {endpoint} = login
    const {channel, message} = await services.history.messageOf(endpoint, channel_id, message_id)
    await act(services, {id: uuid(), kind: "delete", endpoint, channel, content: {message}})
    return {}
  },
  "message.list": async (
    services,
    login,
    {channel_id: channel, next, direction = "before", limit = 50, order = "asc"},
  ) => {
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
  "reaction.create": async (services, login, {channel_id, message_id, emoji_id}) => {
    requireFeature(services, login, "react", "reaction.create")
    const {outbox, history} = services
    const {endpoint} = login
    const message = (await history.platformId(endpoint, message_id)) ?? message_id
    const content = {message, emoji: emoji_id}
    await outbox.enqueue({id: uuid(), kind: "reaction", endpoint, channel: channel_id, content})
    return {}
  },
  "reaction.delete": async (services, login, {channel_id, message_id, emoji_id, user_id}) => {
    requireFeature(services, login, "unreact", "reaction.delete")
    if (user_id !== undefined && user_id !== login.user.id) {
      throw new Problem("not_supported", "the bot can remove only its own reactions: leave out user_id")
    }
    const {endpoint} = login
    const {channel, message} = await services.history.messageOf(endpoint, channel_id, message_id)
    await act(services, {id: uuid(), kind: "unreact", endpoint, channel, content: {message, emoji: emoji_id}})
    return {}
  },
  "channel.get": askedOr("channel.get", async ({history}, {endpoint}, {channel_id}) =>
    found(await history.seen("channel", endpoint, channel_id), "channel"),
  ),
  "user.get": askedOr("user.get", async ({history}, {endpoint}, {user_id}) =>
    found(await history.seen("user", endpoint, user_id), "user"),
  ),
  "user.channel.create": async (services, login, {user_id}) =>
    can(services, login, "open")
      ? ask(services, login, (sender, signal) => sender.open?.(user_id, signal))
      : found(await services.history.directChannel(login.endpoint, user_id), "direct channel"),
  "guild.get": askedOr("guild.get", async ({history}, {endpoint}, {guild_id}) =>
    found(await history.seen("guild", endpoint, guild_id), "guild"),
  ),
}
