import {createHmac} from "node:crypto"
import type {Peer} from "crossws"
import {until} from "../../asking.ts"
import {type Act, Requests} from "../fake/platform.ts"
import type {Defer} from "../fake/serve.ts"
import {findButton} from "../fake/shown.ts"
import {SocketFake} from "../fake/sockets.ts"
import {fileOf, messageOf, methods, refusalOf, type Slack} from "./methods.ts"
import {bot, type Message, type StoredFile, team, World} from "./world.ts"

export const signingSecret = "8f742231b10e8888abcd99abcdef85a5"

/** The redelivery of an unacknowledged envelope: the pause in milliseconds, and the highest number of deliveries. */
const redelivery = {pause: 1000, times: 3} as const

type Event = Readonly<Record<string, unknown>>

interface Envelope {
  readonly id: string
  readonly message: Readonly<Record<string, unknown>>
  attempts: number
  timer?: ReturnType<typeof setTimeout>
  settle(isTaken: boolean): void
}

const allScopes =
  "chat:write,app_mentions:read,channels:history,groups:history,im:history,mpim:history,im:write,reactions:read,reactions:write,files:read,files:write,users:read,channels:read,groups:read,channels:manage,groups:write,commands".split(
    ",",
  )

/**
 * A protocol fake of Slack, written from the public documentation (https://docs.slack.dev): Socket Mode, with
 * envelopes that it redelivers until they are acknowledged, and the Web API methods that the adapter uses. Messages
 * sent without a connection appear only in the history.
 */
export class FakeSlack extends SocketFake {
  readonly world = new World()
  readonly acknowledged: string[] = []
  /** The declared lengths of uploads. */
  readonly lengths: (string | null)[] = []
  /** Tokens that were sent along after a redirect. */
  readonly leaked: string[] = []
  scopes: readonly string[] = allScopes
  readonly #envelopes = new Map<string, Envelope>()
  #count = 0
  readonly requests = new Requests("Slack", methods)

  static async start(defer: Defer): Promise<FakeSlack> {
    const slack = new FakeSlack()
    defer(() => {
      for (const {timer} of slack.#envelopes.values()) clearTimeout(timer)
    })
    await slack.serve(defer, request => slack.#answer(request), {
      opened: peer => slack.#open(peer),
      heard: (_, text) => slack.#hear(text),
      closed: () => slack.#close(),
    })
    return slack
  }

  /** Refuses the next message with 429. */
  slowDown(milliseconds: number): void {
    const headers = {"retry-after": String(Math.ceil(milliseconds / 1000))}
    this.requests.order("chat.postMessage", {status: 429, body: {ok: false, error: "ratelimited"}, headers})
  }

  /** Delivers an envelope; resolves to whether it was acknowledged. */
  deliver(type: string, payload: unknown): Promise<boolean> {
    if (this.peers.size === 0) return Promise.resolve(false)
    const id = `envelope-${++this.#count}`
    return new Promise(settle => {
      const envelope: Envelope = {id, message: {type, envelope_id: id, payload}, attempts: 0, settle}
      this.#envelopes.set(id, envelope)
      this.#send(envelope)
    })
  }

  /** An event of the Events API in Slack's envelope. */
  wrap(event: Event, id = `Ev${String(++this.#count).padStart(8, "0")}`) {
    const event_ts = typeof event.ts === "string" ? event.ts : this.world.ts()
    return {type: "event_callback", team_id: team, api_app_id: bot.app, event_id: id, event: {event_ts, ...event}}
  }

  tell(event: Event): Promise<boolean> {
    return this.deliver("events_api", this.wrap(event))
  }

  /** A user's message in the workspace, without telling the app. */
  add(text: string, more: Partial<Message> = {}): Event {
    const message = this.world.add({channel: "C0ROOM", user: "U0ANN", text, ...more})
    return {...messageOf(message, this.url), channel: message.channel, channel_type: "channel"}
  }

  /** A user says something; resolves to its event once it is acknowledged, or if no client is connected. */
  async say(text: string, more: Partial<Message> = {}): Promise<Event> {
    const event = this.add(text, more)
    await this.tell(event)
    return event
  }

  /** A user presses the newest button, or option of a menu, with this label. */
  async press(label: string, {user = "U0ANN", message: only}: Act = {}): Promise<boolean> {
    const shown = this.own().filter(({ts}) => only === undefined || ts === only)
    const {message, button} = findButton(label, shown, buttonsIn)
    return this.deliver("interactive", {
      type: "block_actions",
      user: {id: user, username: user},
      channel: {id: message.channel, name: message.channel.startsWith("D") ? "directmessage" : "room"},
      message: messageOf(message, this.url),
      actions: [{...button.action, action_ts: this.world.ts()}],
    })
  }

  /** A user's file, for `files` of a message. */
  file(name: string, mimetype: string, bytes: Uint8Array): StoredFile {
    const file = {id: `F9${String(++this.#count).padStart(6, "0")}`, name, mimetype, bytes, shares: {}}
    this.world.files.set(file.id, file)
    return file
  }

  describe(file: StoredFile) {
    return fileOf(file, this.url)
  }

  own(): readonly Message[] {
    return this.world.messages.filter(({user}) => user === bot.user)
  }

  /** The bot's messages in a channel. */
  heard(channel = "C0ROOM"): readonly Message[] {
    return this.own().filter(message => message.channel === channel)
  }

  async untilHeard(text: string, channel?: string): Promise<Message> {
    return until(`the bot to say ${text}`, 60_000, () => this.heard(channel).find(({shown}) => shown === text))
  }

  #send(envelope: Envelope): void {
    const [peer] = this.peers
    if (envelope.attempts > redelivery.times || (peer === undefined && envelope.attempts === 0)) {
      this.#envelopes.delete(envelope.id)
      envelope.settle(false)
      return
    }
    clearTimeout(envelope.timer)
    envelope.timer = setTimeout(() => this.#send(envelope), redelivery.pause)
    if (peer === undefined) {
      envelope.attempts++
      return
    }
    const retry_attempt = envelope.attempts++
    peer.send(JSON.stringify({...envelope.message, accepts_response_payload: false, retry_attempt}))
  }

  #open(peer: Peer): void {
    peer.send(JSON.stringify({type: "hello", num_connections: 1, connection_info: {app_id: bot.app}, debug_info: {}}))
    for (const envelope of this.#envelopes.values()) this.#send(envelope)
  }

  #close(): void {
    // No client is connected; the next one gets the redelivery.
    if (this.peers.size === 0) for (const {settle} of this.#envelopes.values()) settle(false)
  }

  #hear(text: string): void {
    const {envelope_id: id} = JSON.parse(text) as {readonly envelope_id: string}
    const envelope = this.#envelopes.get(id)
    if (envelope === undefined) return
    clearTimeout(envelope.timer)
    this.#envelopes.delete(id)
    this.acknowledged.push(id)
    envelope.settle(true)
  }

  async #answer(request: Request): Promise<Response> {
    const {pathname} = new URL(request.url)
    const token = (request.headers.get("authorization") ?? "").replace(/^Bearer /, "")
    if (pathname.startsWith("/api/")) return this.#ask(pathname.slice("/api/".length), token, await request.text())
    const [, upload] = /^\/upload\/v1\/(F\d+)$/.exec(pathname) ?? []
    if (upload !== undefined) return this.#upload(upload, request)
    const [, file = ""] = /^\/files-pri\/(F\d+)\//.exec(pathname) ?? []
    const found = this.world.files.get(file)
    if (pathname === "/login") this.leaked.push(token)
    if (found === undefined) return new Response("<html>Sign in</html>", {headers: {"content-type": "text/html"}})
    if (refusalOf("files.info", token) !== undefined || !this.scopes.includes("files:read"))
      return new Response(null, {status: 302, headers: {location: `${this.url}/login`}})
    return new Response(Uint8Array.from(found.bytes), {headers: {"content-type": found.mimetype}})
  }

  async #upload(id: string, request: Request): Promise<Response> {
    const file = this.world.files.get(id)
    if (file === undefined) return new Response(null, {status: 404})
    this.lengths.push(request.headers.get("content-length"))
    file.bytes = new Uint8Array(await request.arrayBuffer())
    return new Response("OK")
  }

  #ask(method: string, token: string, body: string): Response {
    const args = Object.fromEntries(new URLSearchParams(body))
    const ordered = this.requests.take(method, args)
    if (ordered !== undefined) {
      const {status, body = {ok: false, error: "refused"}, headers = {}} = ordered
      return typeof body === "string" ? new Response(body, {status, headers}) : Response.json(body, {status, headers})
    }
    const refusal = refusalOf(method, token)
    const found = methods[method]
    const headers = {"x-oauth-scopes": this.scopes.join(",")}
    if (refusal === undefined && found === undefined) this.requests.unknown(method)
    if (refusal !== undefined || found === undefined)
      return Response.json({ok: false, error: refusal ?? "unknown_method"}, {headers})
    const slack: Slack = {world: this.world, url: this.url, scopes: this.scopes, tell: event => void this.tell(event)}
    try {
      const answer = found(args, slack)
      return Response.json({ok: answer.error === undefined, ...answer}, {headers})
    } catch (error) {
      return Response.json({ok: false, error: (error as Error).message}, {headers})
    }
  }
}

interface Action {
  readonly type: string
  readonly text?: {readonly text: string}
  readonly options?: readonly {readonly text: {readonly text: string}}[]
}

const buttonsIn = ({blocks}: Message): readonly {readonly label: string; readonly action: object}[] =>
  blocks
    .flatMap(({elements}) => (Array.isArray(elements) ? (elements as readonly Action[]) : []))
    .flatMap(({options = [], ...element}) => [
      ...(element.type === "button" ? [{label: element.text?.text ?? "", action: element}] : []),
      ...options.map(option => ({label: option.text.text, action: {...element, selected_option: option}})),
    ])

/** The headers of a request that Slack signs. */
export const signedHeaders = (body: string, type: string, at = Date.now()): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000))
  const signature = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex")
  return {"content-type": type, "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}`}
}
