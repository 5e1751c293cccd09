import {randomUUID} from "node:crypto"
import type {Peer} from "crossws"
import {Requests} from "../../../../server/testing/platforms/fake/platform.ts"
import {SocketFake} from "../../../../server/testing/platforms/fake/sockets.ts"
import {ann, channel, guild, KookError, methods, type StoredFile, shownIn, token, type World} from "./methods.ts"

const signal = {event: 0, hello: 1, ping: 2, pong: 3} as const

/**
 * A protocol fake of KOOK, written for the tests from the public documentation (https://developer.kookapp.cn): the
 * gateway, and the REST methods that `@satorijs/adapter-kook` calls in channels. It resumes no session, because the
 * package resumes none.
 */
export class FakeKook extends SocketFake {
  readonly world: World = {messages: new Map(), files: new Map()}
  readonly requests = new Requests("KOOK", methods)
  #number = 0
  #last = ""

  static async start(defer: (undo: () => unknown) => void): Promise<FakeKook> {
    const kook = new FakeKook()
    await kook.serve(defer, request => kook.#answer(request), {
      opened: peer => kook.#open(peer),
      heard: (peer, text) => {
        if (JSON.parse(text).s === signal.ping) peer.send(JSON.stringify({s: signal.pong}))
      },
    })
    return kook
  }

  /** Refuses the next message with 429. */
  slowDown(milliseconds: number): void {
    const headers = {
      "x-rate-limit-limit": "5",
      "x-rate-limit-remaining": "0",
      "x-rate-limit-reset": String(milliseconds / 1000),
    }
    this.requests.order("message/create", {status: 429, headers})
  }

  /** A user says something in the channel. Returns the message's id. */
  say(text: string): string {
    const kmarkdown = {raw_content: text, mention_part: [], mention_role_part: []}
    return this.#say(9, text.replace(/[\\*`~()]/g, "\\$&"), {kmarkdown})
  }

  /** A user's file, which KOOK shows as a card. */
  sayFile(file: StoredFile): void {
    const modules = [{type: "file", title: file.name, src: this.#keep(file)}]
    this.#say(10, JSON.stringify([{type: "card", theme: "primary", size: "lg", modules}]))
  }

  repeat(): void {
    this.write(this.#last)
  }

  /** Tells of a change: `body` by the documentation of its type. */
  notify(type: string, body: object, channel_type = "GROUP"): void {
    this.#tell({channel_type, type: 255, target_id: guild.id, author_id: "1", content: "", extra: {type, body}})
  }

  heard() {
    return [...this.world.messages].map(([id, message]) => ({id, ...message, ...shownIn(message, this.world)}))
  }

  #say(type: number, content: string, more: object = {}): string {
    const extra = {type, guild_id: guild.id, channel_name: "room", author: ann, ...more}
    return this.#tell({channel_type: "GROUP", type, target_id: channel, author_id: ann.id, content, extra})
  }

  #tell(event: object): string {
    const msg_id = randomUUID()
    const d = {...event, msg_id, msg_timestamp: Date.now(), nonce: ""}
    this.#last = JSON.stringify({s: signal.event, d, sn: ++this.#number})
    this.write(this.#last)
    return msg_id
  }

  #keep(file: StoredFile): string {
    const address = `${this.url}/assets/${randomUUID()}/${encodeURIComponent(file.name)}`
    this.world.files.set(address, file)
    return address
  }

  #open(peer: Peer): void {
    const isKnown = new URL(peer.request.url).searchParams.get("token") === token
    const d = isKnown ? {code: 0, session_id: randomUUID()} : {code: 40101}
    peer.send(JSON.stringify({s: signal.hello, d}))
    if (!isKnown) peer.close()
  }

  async #answer(request: Request): Promise<Response> {
    const {pathname, searchParams} = new URL(request.url)
    const file = this.world.files.get(`${this.url}${pathname}`)
    if (file !== undefined) return new Response(file.bytes, {headers: {"content-type": file.type}})
    const method = pathname.slice("/api/v3/".length)
    if (request.headers.get("authorization") !== `Bot ${token}`) return answer(401, {name: "Unauthorized"}, 401)
    if (method === "gateway/index")
      return answer(0, {url: `${this.url.replace("http", "ws")}/gateway?compress=0&token=${token}`})
    if (method === "asset/create") return answer(0, {url: this.#keep(await uploadIn(request))})
    const ordered = this.requests.take(method, {})
    if (ordered !== undefined) return answer(ordered.status, {}, ordered.status, ordered.headers)
    try {
      const args = request.method === "GET" ? Object.fromEntries(searchParams) : await request.json()
      const data = methods[method]?.(args, this.world)
      return data === undefined ? answer(404, {}, 404) : answer(0, data)
    } catch (error) {
      if (error instanceof KookError) return answer(40_000, {})
      throw error
    }
  }
}

const answer = (code: number, data: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json({code, message: code === 0 ? "操作成功" : `refused with ${code}`, data}, {status, headers})

const uploadIn = async (request: Request): Promise<StoredFile> => {
  const file = (await request.formData()).get("file") as File
  return {name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer())}
}
