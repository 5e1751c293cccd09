import {randomUUID} from "node:crypto"
import {until} from "../../host/process.ts"
import type {Homeserver} from "./dendrite.ts"

// biome-ignore lint/suspicious/noExplicitAny: the tests know what they have asked a real homeserver for
export type Answer = any

/** An event in the form of the homeserver. */
export interface MatrixEvent {
  readonly event_id: string
  readonly type: string
  readonly sender: string
  readonly origin_server_ts: number
  readonly state_key?: string
  readonly content: Answer
  readonly unsigned?: {readonly redacted_because?: unknown}
}

const password = "a-password-of-the-tests"

/** A user of a homeserver, whose client shares no code with the adapter. */
export class Person {
  readonly id: string
  readonly token: string
  readonly password = password
  readonly #url: string
  #since: string | undefined

  private constructor(url: string, id: string, token: string) {
    this.#url = url
    this.id = id
    this.token = token
  }

  static async register({url}: Homeserver, name: string): Promise<Person> {
    const body = {username: `${name}-${randomUUID().slice(0, 8)}`, password, auth: {type: "m.login.dummy"}}
    const answer = await ask(url, undefined, "POST", "/client/v3/register", body)
    return new Person(url, answer.user_id, answer.access_token)
  }

  /** Sends a request with the user's token; `route` is the path after `/_matrix`. */
  ask(method: string, route: string, body?: object): Promise<Answer> {
    return ask(this.#url, this.token, method, route, body)
  }

  async createRoom(options: object): Promise<string> {
    return (await this.ask("POST", "/client/v3/createRoom", options)).room_id
  }

  join(room: string): Promise<unknown> {
    return this.ask("POST", `/client/v3/join/${encodeURIComponent(room)}`, {})
  }

  async send(room: string, content: object, type = "m.room.message"): Promise<string> {
    const route = `/client/v3/rooms/${encodeURIComponent(room)}/send/${type}/${randomUUID()}`
    return (await this.ask("PUT", route, content)).event_id
  }

  say(room: string, text: string): Promise<string> {
    return this.send(room, {msgtype: "m.text", body: text})
  }

  /** Like `say`, but resolves once the message is in the room's history, which may take the homeserver a moment. */
  async sayInHistory(room: string, text: string): Promise<void> {
    await this.#untilInHistory(room, await this.say(room, text))
  }

  /** Resolves once the room's history contains everything that the homeserver has accepted. */
  async settle(room: string): Promise<void> {
    await this.#untilInHistory(room, await this.send(room, {}, "org.example.marker"))
  }

  async #untilInHistory(room: string, event: string): Promise<void> {
    await until(`the history to have ${event}`, async () =>
      (await this.events(room, 30)).some(({event_id}) => event_id === event),
    )
  }

  async redact(room: string, event: string): Promise<void> {
    const [at, id] = [encodeURIComponent(room), encodeURIComponent(event)]
    await this.ask("PUT", `/client/v3/rooms/${at}/redact/${id}/${randomUUID()}`, {})
  }

  setState(room: string, type: string, content: object, key = ""): Promise<unknown> {
    const state = `${type}/${encodeURIComponent(key)}`
    return this.ask("PUT", `/client/v3/rooms/${encodeURIComponent(room)}/state/${state}`, content)
  }

  /** The newest events of a room, oldest first; deleted ones have no content. Dendrite returns 100 at a time. */
  async events(room: string, limit = 500): Promise<readonly MatrixEvent[]> {
    const events: MatrixEvent[] = []
    for (let from = ""; events.length < limit; ) {
      const query = `dir=b&limit=${limit - events.length}${from}`
      const answer = await this.ask("GET", `/client/v3/rooms/${encodeURIComponent(room)}/messages?${query}`)
      events.push(...answer.chunk)
      if (answer.chunk.length === 0 || answer.end === undefined) break
      from = `&from=${answer.end}`
    }
    return events.reverse()
  }

  /** The contents of another user's messages in a room, in order. */
  async heard(room: string, sender: string): Promise<readonly Answer[]> {
    await this.settle(room)
    const events = await this.events(room)
    return events.filter(each => each.type === "m.room.message" && each.sender === sender).map(({content}) => content)
  }

  /** Returns the changes since the last call. */
  async sync(): Promise<Answer> {
    const since = this.#since === undefined ? "" : `&since=${this.#since}`
    const answer = await this.ask("GET", `/client/v3/sync?timeout=0${since}`)
    this.#since = answer.next_batch
    return answer
  }

  async upload(name: string, type: string, bytes: Uint8Array): Promise<string> {
    const answer = await fetch(`${this.#url}/_matrix/media/v3/upload?filename=${encodeURIComponent(name)}`, {
      method: "POST",
      headers: {authorization: `Bearer ${this.token}`, "content-type": type},
      body: Uint8Array.from(bytes),
    })
    return ((await answer.json()) as {content_uri: string}).content_uri
  }

  async download(address: string): Promise<Uint8Array> {
    const answer = await fetch(`${this.#url}/_matrix/media/v3/download/${address.slice("mxc://".length)}`)
    return new Uint8Array(await answer.arrayBuffer())
  }
}
const ask = async (
  url: string,
  token: string | undefined,
  method: string,
  route: string,
  body?: object,
): Promise<Answer> => {
  const answer = await fetch(`${url}/_matrix${route}`, {
    method,
    headers: {"content-type": "application/json", ...(token === undefined ? {} : {authorization: `Bearer ${token}`})},
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`)
  return JSON.parse(text)
}
