import {createServer, type IncomingMessage} from "node:http"
import {buffer} from "node:stream/consumers"
import {setTimeout as sleep} from "node:timers/promises"
import {type FakeAnswer, patternOf, Requests} from "../fake/platform.ts"
import {type Defer, listen, serveSockets} from "../fake/serve.ts"
import {createPeople} from "./people.ts"
import {createRoutes} from "./routes.ts"
import {botOf, Sessions} from "./sessions.ts"
import {type FakeFile, World} from "./world.ts"

export type FakeDiscord = Awaited<ReturnType<typeof startDiscord>>

/**
 * A protocol fake of Discord, written from the public documentation of its gateway and HTTP API, version 10
 * (https://discord.com/developers/docs).
 *
 * The gateway sends hello, accepts identify, answers ready, dispatches events by the session's intents, accepts
 * heartbeats, and resumes a session with the events that it missed, until the session is closed with 1000 or forgotten.
 * HTTP has the routes of `routes.ts`; 429 comes only if a test asks for it. There is one server, `500`; every channel
 * outside of it is a direct channel with the user of the same number. It leaves out shards, compression, the rights of
 * roles and its own rate limits. `latency` is the delay between the effect of a request
 * and its answer, in milliseconds.
 */
export const startDiscord = async (defer: Defer, {latency = 0}: {readonly latency?: number} = {}) => {
  const world = new World()
  const sent: string[] = []
  let isHanging = false
  const held = new Set<IncomingMessage>()

  const sessions = new Sessions()
  const people = createPeople({world, sessions, origin: () => origin(), sent})
  const routes = createRoutes({
    world,
    origin: () => origin(),
    made: message => {
      sent.push(message.id)
      people.tell("MESSAGE_CREATE", message)
    },
    gone: message => people.tellDeleted(message),
  })
  const requests = new Requests("Discord", routes)
  const patterns = Object.entries(routes).map(([route, answer]) => ({pattern: patternOf(route), answer}))
  /** Returns the parts that a route leaves open, for each request of it. */
  const asked = (route: string) =>
    requests.received.flatMap(({method, body}) => {
      const parts = patternOf(route).exec(method)?.slice(1)
      return parts === undefined ? [] : [{parts, body}]
    })

  const gateway = await serveSockets(defer, () => new Response(null, {status: 426}), {
    open: peer => sessions.open(peer),
    message: (peer, message) => sessions.hear(peer, JSON.parse(message.text())),
    close: (peer, {code}) => sessions.close(peer, code),
  })
  sessions.url = gateway.replace("http", "ws")

  const serve = async (request: IncomingMessage): Promise<FakeAnswer | undefined> => {
    const {pathname, searchParams} = new URL(request.url ?? "/", "http://discord")
    const method = request.method ?? "GET"
    const path = pathname.replace(/^\/api\/v\d+/, "")
    const bytes = await buffer(request)
    const {body, files} = await readBody(bytes, request.headers["content-type"] ?? "", () => world.makeId())
    const ordered = requests.take(`${method} ${path}`, body)
    if (requests.isLosing && method === "POST") return undefined
    if (ordered !== undefined) return ordered
    if (path.startsWith("/attachments/") && method === "GET") return fileAt(path)
    const bot = botOf((request.headers.authorization ?? "").replace(/^Bot /, ""))
    const isOpen = /^\/(interactions|webhooks)\//.test(path)
    if (!isOpen && (bot === undefined || request.headers.authorization === undefined))
      return {status: 401, body: {code: 0, message: "401: Unauthorized"}}
    if (path === "/gateway/bot") return {status: 200, body: aboutGateway()}
    const author = {...(bot ?? {id: "0", username: "nobody"}), bot: true}
    const {pattern, answer} = patterns.find(route => route.pattern.test(`${method} ${path}`)) ?? {}
    const parts = pattern?.exec(`${method} ${path}`)?.slice(1).map(decodeURIComponent) ?? []
    const unknown = () => ({status: 404, body: {code: 0, message: requests.unknown(`${method} ${path}`)}})
    return answer?.(parts, {query: searchParams, body, files, bot: author}) ?? unknown()
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
    const found = await serve(request)
    if (found === undefined) return void request.socket.destroy()
    const {status, body, headers} = found
    if (latency > 0) await sleep(latency)
    if (body === undefined) return void response.writeHead(status, headers).end()
    const isRaw = typeof body === "string" || body instanceof Uint8Array
    const type = body instanceof Uint8Array ? "application/octet-stream" : "application/json"
    response.writeHead(status, {"content-type": type, ...headers}).end(isRaw ? body : JSON.stringify(body))
  })
  const port = await listen(server, defer)
  const origin = () => `http://127.0.0.1:${port}`

  return {
    /** The address of its HTTP API; files are at its origin. */
    url: `${origin()}/api`,
    world,
    sessions,
    ...people,
    sent: () => people.shown().map(({id, channel: chat, content: text, edits}) => ({id, chat, text, edits})),
    arrivals: () => sessions.identified,
    get callbacks() {
      return asked("POST /interactions/:id/:token/callback").map(({parts: [id = ""], body}) => ({id, body}))
    },
    /** How often the bot showed as typing in a channel. */
    typing: (channel: string): number =>
      asked("POST /channels/:id/typing").filter(({parts: [id]}) => id === channel).length,
    slowDown: (milliseconds: number, isGlobal = false): void => {
      const wait = milliseconds / 1000
      requests.order("POST /channels/:id/messages", {
        status: 429,
        body: {message: "You are being rate limited.", retry_after: wait, global: isGlobal},
        headers: {
          "retry-after": String(wait),
          "x-ratelimit-scope": isGlobal ? "global" : "user",
          ...(isGlobal ? {"x-ratelimit-global": "true"} : {}),
        },
      })
    },
    /** While true, accepts requests and connections without answering them. Afterwards it cuts those off. */
    hang: (is: boolean): void => {
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
