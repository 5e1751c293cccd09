import {createServer, type IncomingMessage} from "node:http"
import {buffer} from "node:stream/consumers"
import {setTimeout as sleep} from "node:timers/promises"
import {createTroubles, type FakePlatform, Requests, type Said} from "../fake/platform.ts"
import {type Defer, listen, serveSockets} from "../fake/serve.ts"
import {createRoutes, type FakeAnswer} from "./routes.ts"
import {type Bot, Sessions} from "./sessions.ts"
import {type FakeFile, type FakeMessage, guild, publicUser, World} from "./world.ts"

/** The actions of people in the fake, besides messages. */
export interface FakeDiscord extends FakePlatform {
  readonly world: World
  readonly sessions: Sessions
  /** The address of its HTTP API; files are at its origin. */
  readonly url: string
  /** Sends a message in any channel; returns the message. */
  write(message: Partial<FakeMessage> & {readonly channel: string; readonly content: string}): FakeMessage
  edit(id: string, content: string): void
  remove(id: string): void
  react(id: string, emoji: string, isAdded?: boolean): void
  /** Dispatches a raw event of the gateway. */
  dispatch(name: string, data: Readonly<Record<string, unknown>>): void
  /** A user's action outside of messages; returns the interaction's id. */
  interact(interaction: Readonly<Record<string, unknown>>): string
  /** The same as the body of a webhook. */
  interactionOf(interaction: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** The answers to interactions, in order. */
  readonly callbacks: readonly {readonly id: string; readonly body: unknown}[]
  /** How often the bot showed as typing in a channel. */
  typing(channel: string): number
  /** Refuses the bot's next message, with this many milliseconds to wait. */
  slowDown(milliseconds: number, isGlobal?: boolean): void
  /** Refuses every request with 429 and this many seconds to wait, until it is called without an argument. */
  refuseAll(seconds?: number): void
  /** While true, accepts requests and gateway connections without answering them. Afterwards it cuts those off. */
  hang(is: boolean): void
  readonly requests: Requests
}

export interface DiscordOptions {
  /** The delay between the effect of an HTTP request and its response, in milliseconds. */
  readonly latency?: number
}

/** The bot of a token: `bot-<id>…` has that id, and `wrong…` is invalid. */
const botOf = (token: string): Bot | undefined => {
  if (token.startsWith("wrong")) return undefined
  const [, id = "999"] = /^bot-(\d+)/.exec(token) ?? []
  return {id, username: id === "999" ? "test-bot" : `bot${id}`}
}

/**
 * A protocol fake of Discord, written from the public documentation of its gateway and HTTP API, version 10
 * (https://discord.com/developers/docs).
 *
 * The gateway sends hello, accepts identify, answers ready, dispatches events by the session's intents, accepts
 * heartbeats, and resumes a session with the events that it missed, until the session is closed with 1000 or forgotten.
 * HTTP has the routes of `routes.ts`; 429 comes only if a test asks for it. There is one server, `500`; every channel
 * outside of it is a direct channel with the user of the same number. It leaves out shards, compression, the rights of
 * roles and its own rate limits.
 */
export const startDiscord = async (defer: Defer, {latency = 0}: DiscordOptions = {}): Promise<FakeDiscord> => {
  const world = new World()
  const troubles = createTroubles()
  const typing = new Map<string, number>()
  const callbacks: {id: string; body: unknown}[] = []
  const requests = new Requests()
  const sent: string[] = []
  let last: FakeMessage | undefined
  let refusing: number | undefined
  let isHanging = false
  const held = new Set<IncomingMessage>()
  let pause: {readonly milliseconds: number; readonly isGlobal: boolean} | undefined

  const inGuild = (channel: string) => (world.isGuildChannel(channel) ? {guild_id: guild.id} : {})
  const sessions = new Sessions(botOf, () => [
    [
      "GUILD_CREATE",
      {
        ...guild,
        channels: guild.channels.filter(({type}) => type !== 11),
        threads: guild.channels.filter(({type}) => type === 11),
        joined_at: "2024-01-01T00:00:00Z",
      },
    ],
  ])
  const tell = (name: string, message: FakeMessage) =>
    sessions.dispatch(name, {...world.tell(message, origin()), ...inGuild(message.channel)})
  const answer = createRoutes({
    world,
    origin: () => origin(),
    refuses: troubles.refuses,
    made: message => {
      sent.push(message.id)
      tell("MESSAGE_CREATE", message)
    },
    gone: ({id, channel}) => sessions.dispatch("MESSAGE_DELETE", {id, channel_id: channel, ...inGuild(channel)}),
    called: (id, body) => {
      callbacks.push({id, body})
      return {status: 204}
    },
    wrote: channel => void typing.set(channel, (typing.get(channel) ?? 0) + 1),
  })

  const gateway = await serveSockets(defer, () => new Response(null, {status: 426}), {
    open: peer => sessions.open(peer),
    message: (peer, message) => sessions.hear(peer, JSON.parse(message.text())),
    close: (peer, {code}) => sessions.close(peer, code),
  })
  sessions.url = gateway.replace("http", "ws")

  const serve = async (request: IncomingMessage): Promise<FakeAnswer & {readonly headers?: Record<string, string>}> => {
    const {pathname, searchParams} = new URL(request.url ?? "/", "http://discord")
    const method = request.method ?? "GET"
    const path = pathname.replace(/^\/api\/v\d+/, "")
    const bytes = await buffer(request)
    const {body, files} = await readBody(bytes, request.headers["content-type"] ?? "", () => world.makeId())
    const {status, body: reason = {}, headers: given = {}} = requests.take(`${method} ${path}`, body) ?? {}
    if (status !== undefined) return {status, body: reason, headers: given}
    if (path.startsWith("/attachments/") && method === "GET") return fileAt(path)
    const bot = botOf((request.headers.authorization ?? "").replace(/^Bot /, ""))
    const isOpen = /^\/(interactions|webhooks)\//.test(path)
    if (!isOpen && (bot === undefined || request.headers.authorization === undefined))
      return {status: 401, body: {code: 0, message: "401: Unauthorized"}}
    if (refusing !== undefined) {
      const headers = {"retry-after": String(refusing), "x-ratelimit-scope": "user"}
      return {
        status: 429,
        body: {message: "You are being rate limited.", retry_after: refusing, global: false},
        headers,
      }
    }
    if (path === "/gateway/bot") return {status: 200, body: aboutGateway()}
    if (pause !== undefined && method === "POST" && path.endsWith("/messages")) {
      const {milliseconds, isGlobal} = pause
      pause = undefined
      const seconds = String(milliseconds / 1000)
      const headers = {"retry-after": seconds, "x-ratelimit-scope": isGlobal ? "global" : "user"}
      const body = {message: "You are being rate limited.", retry_after: Number(seconds), global: isGlobal}
      return {status: 429, body, headers: isGlobal ? {...headers, "x-ratelimit-global": "true"} : headers}
    }
    const author = {...(bot ?? {id: "0", username: "nobody"}), bot: true}
    const answered = answer({method, path, query: searchParams, body, files, bot: author})
    const wait = answered.status === 429 ? {"retry-after": "1", "x-ratelimit-scope": "user"} : {}
    return {...answered, headers: wait}
  }
  const fileAt = (path: string): FakeAnswer => {
    const file = world.files.get(path.split("/")[2] ?? "")
    return file === undefined ? {status: 404, body: {}} : {status: 200, body: file.bytes}
  }
  const aboutGateway = () => ({
    url: sessions.url,
    shards: 1,
    session_start_limit: {total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1},
  })

  const server = createServer(async (request, response) => {
    if (isHanging) {
      requests.take(`${request.method} ${request.url}`, {})
      held.add(request)
      request.once("close", () => held.delete(request))
      return
    }
    if (request.method === "POST" && troubles.loses()) {
      request.socket.destroy()
      return
    }
    const {status, body, headers = {}} = await serve(request)
    if (latency > 0) await sleep(latency)
    if (body instanceof Uint8Array) {
      response.writeHead(status, {"content-type": "application/octet-stream"}).end(body)
      return
    }
    if (body === undefined) response.writeHead(status).end()
    else response.writeHead(status, {"content-type": "application/json", ...headers}).end(JSON.stringify(body))
  })
  const port = await listen(server, defer)
  const origin = () => `http://127.0.0.1:${port}`

  const write: FakeDiscord["write"] = message => {
    last = world.add({author: world.user("42"), ...message})
    tell("MESSAGE_CREATE", last)
    return last
  }
  const interactionOf: FakeDiscord["interactionOf"] = ({channel = "600", user = "42", ...interaction}) => {
    const id = world.makeId()
    const who = publicUser(world.user(String(user)))
    const isGuild = world.isGuildChannel(String(channel))
    return {
      id,
      application_id: "999",
      token: `token/of ${id}`,
      version: 1,
      channel_id: channel,
      channel: {id: channel, type: isGuild ? 0 : 1, ...(isGuild ? {name: "general"} : {})},
      locale: "de",
      ...(isGuild ? {guild_id: guild.id, member: {user: who, nick: "Ann"}} : {user: who}),
      ...interaction,
    }
  }
  return {
    url: `${origin()}/api`,
    world,
    sessions,
    write,
    say: (...messages: readonly Said[]) => {
      for (const {text, user = "42", chat = user} of messages)
        write({channel: chat, content: text, author: world.user(user)})
    },
    repeat: () => last && tell("MESSAGE_CREATE", last),
    sent: () =>
      sent.flatMap(id => {
        const message = world.messages.get(id)
        return message === undefined ? [] : [{id, chat: message.channel, text: message.content, edits: message.edits}]
      }),
    ...troubles.controls,
    arrivals: () => sessions.identified,
    edit: (id, content) => {
      const changed = world.change(id, {content, editedAt: new Date().toISOString()})
      if (changed !== undefined) tell("MESSAGE_UPDATE", changed)
    },
    remove: id => {
      const found = world.messages.get(id)
      world.messages.delete(id)
      if (found !== undefined)
        sessions.dispatch("MESSAGE_DELETE", {id, channel_id: found.channel, ...inGuild(found.channel)})
    },
    react: (id, emoji, isAdded = true) => {
      const channel = world.messages.get(id)?.channel ?? "600"
      const user = {
        user_id: "42",
        ...(isAdded && world.isGuildChannel(channel) ? {member: {user: publicUser(world.user("42"))}} : {}),
      }
      const event = {message_id: id, channel_id: channel, emoji: {id: null, name: emoji}, ...user, ...inGuild(channel)}
      sessions.dispatch(isAdded ? "MESSAGE_REACTION_ADD" : "MESSAGE_REACTION_REMOVE", event)
    },
    dispatch: (name, data) => sessions.dispatch(name, data),
    interactionOf,
    interact: interaction => {
      const made = interactionOf(interaction)
      sessions.dispatch("INTERACTION_CREATE", made)
      return String(made.id)
    },
    callbacks,
    typing: channel => typing.get(channel) ?? 0,
    slowDown: (milliseconds, isGlobal = false) => {
      pause = {milliseconds, isGlobal}
    },
    refuseAll: seconds => {
      refusing = seconds
    },
    hang: is => {
      isHanging = is
      sessions.isHanging = is
      if (!is) for (const {socket} of held) socket.destroy()
    },
    requests,
  }
}

/** JSON, or a form with `payload_json` and files. */
const readBody = async (bytes: Buffer, type: string, makeId: () => string) => {
  if (!type.startsWith("multipart/")) return {body: JSON.parse(bytes.toString() || "{}"), files: []}
  const form = await new Response(new Uint8Array(bytes), {headers: {"content-type": type}}).formData()
  const files: FakeFile[] = []
  const parts: Iterable<unknown> = form.values()
  for (const value of parts) {
    if (!(value instanceof File)) continue
    // biome-ignore lint/plugin: these are files of the bot under test
    files.push({id: makeId(), name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer())})
  }
  return {body: JSON.parse(String(form.get("payload_json") ?? "{}")), files}
}
