import {setTimeout as sleep} from "node:timers/promises"
import {type Endpoint, fetchWhole, readStart, tryParseJson} from "../../../shared/sdk/sdk.ts"
import type {RecordedPlatform} from "./platform.ts"
import type {Exchange} from "./recording.ts"
import {Bridges, moveSockets, type Peer} from "./sockets.ts"

/** The headers of answers that are recorded. Those of requests are not: they carry credentials. */
const recorded = ["content-type", "retry-after"] as const

/** Headers of one connection, and those that `fetch` has used up. */
const ofConnection = ["connection", "content-encoding", "content-length", "host", "keep-alive", "transfer-encoding"]

const withoutOwn = (headers: Headers): Headers => {
  const passed = new Headers(headers)
  for (const name of ofConnection) passed.delete(name)
  return passed
}

/** The largest answer that passes, in bytes. */
const largest = 32 * 1024 * 1024

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Passes requests and WebSockets on to a platform, and keeps what was said until it is taken. */
export class Relay {
  /** Its own address. */
  address = ""
  readonly #bridges: Bridges
  #socketAddress: string | undefined
  readonly #platform: RecordedPlatform
  readonly #root: string
  readonly #signal: AbortSignal
  #kept: Exchange[] = []
  #hasWaited = false
  #open = 0

  /** `signal` ends the requests that wait, and the WebSockets. */
  constructor(platform: RecordedPlatform, root: string, signal: AbortSignal, openSocket: Endpoint["openSocket"]) {
    this.#platform = platform
    this.#root = root.replace(/\/+$/, "")
    this.#signal = signal
    this.#bridges = new Bridges(openSocket, signal, (from, text) => this.#hear(from, text))
  }

  /** Hands the exchanges over, once no request is open that does not wait for events, or after 10 s. */
  async take(): Promise<readonly Exchange[]> {
    const deadline = performance.now() + 10_000
    do await sleep(50)
    while (this.#open > 0 && performance.now() < deadline)
    const taken = this.#kept
    this.#kept = []
    return taken
  }

  /** Answers a request of the adapter with the platform's answer; 502 if there is none. */
  answer = async (request: Request): Promise<Response> => {
    const {pathname, search} = new URL(request.url)
    const method = this.#platform.methodOf(pathname, request.method)
    const isWaiting = this.#platform.waits.includes(method)
    if (!isWaiting) this.#open++
    try {
      const body = Buffer.from(await request.arrayBuffer())
      const asked = await fieldsOf(request, body)
      const answer = await fetchWhole(`${this.#root}${pathname}${search}`, {
        method: request.method,
        headers: withoutOwn(request.headers),
        ...(body.length === 0 ? {} : {body}),
        redirect: "manual",
        most: largest,
        signal: AbortSignal.any([this.#signal, request.signal]),
      })
      const {bytes} = await readStart(answer.body, largest)
      this.#keep({method, request: asked, status: answer.status, ...answerOf(answer, bytes)}, isWaiting)
      const {status} = answer
      const moved = this.#moveSockets(method, () => new TextDecoder().decode(bytes))
      return new Response(status === 204 ? null : (moved ?? bytes), {status, headers: withoutOwn(answer.headers)})
    } catch {
      return new Response("the platform did not answer", {status: 502})
    } finally {
      if (!isWaiting) this.#open--
    }
  }

  /** What a listener of this machine does with WebSockets. */
  get socket() {
    return {
      upgrade: (request: Request) => {
        const {search} = new URL(request.url)
        const address = this.#socketAddress
        if (address === undefined) return new Response(null, {status: 404})
        return {context: {address: address.includes("?") ? address : `${address}${search}`}}
      },
      open: (peer: Peer & {readonly context: Readonly<Record<string, unknown>>}) =>
        this.#bridges.connect(peer, String(peer.context.address)),
      message: (peer: Peer, message: {text(): string}) => this.#bridges.message(peer, message.text()),
      close: (peer: Peer, {code}: {readonly code?: number | undefined}) => this.#bridges.close(peer, code),
    }
  }

  /** Lets the adapter connect to the relay instead of the address in this JSON; undefined if it should have none. */
  #moveSockets(method: string, read: () => string): string | undefined {
    const key = this.#platform.sockets[method]
    if (key === undefined) return undefined
    const moved = moveSockets(jsonOf(read()), key, address => {
      this.#socketAddress = address
      return this.address.replace(/^http/, "ws")
    })
    return JSON.stringify(moved)
  }

  /** Keeps a message of a WebSocket. Returns what the other side gets. */
  #hear(from: "adapter" | "platform", text: string): string {
    const frame = tryParseJson(text)
    const name = this.#platform.frameOf(frame)
    if (name === undefined) return text
    const method = `${from} ${name}`
    const [request, response] = from === "adapter" ? [frame, null] : [null, frame]
    this.#keep({method, request, status: 101, headers: {}, response}, false)
    return this.#moveSockets(method, () => text) ?? text
  }

  #keep(exchange: Exchange, isWaiting: boolean): void {
    const isIdle = isWaiting && Object.values(exchange.response ?? {}).some(isEmptyList)
    if (isIdle && this.#hasWaited) return
    if (isIdle) this.#hasWaited = true
    this.#kept.push(exchange)
  }
}

const answerOf = (answer: Response, bytes: Uint8Array): Pick<Exchange, "headers" | "response"> => {
  const headers = recorded.flatMap(name => {
    const value = answer.headers.get(name)
    return value === null ? [] : [[name, value.split(";", 1)[0] ?? ""] as const]
  })
  const isJson = (answer.headers.get("content-type") ?? "").includes("json")
  return {
    headers: Object.fromEntries(headers),
    response: isJson ? jsonOf(new TextDecoder().decode(bytes)) : {bytes: bytes.length},
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the fields of a request: of its query, its JSON, or its form, which has JSON in its fields. */
const fieldsOf = async (request: Request, body: Buffer): Promise<unknown> => {
  const query = Object.fromEntries(new URL(request.url).searchParams)
  const type = request.headers.get("content-type") ?? ""
  if (body.length === 0) return query
  if (type.includes("json")) return {...query, ...(jsonOf(body.toString()) as object)}
  if (!type.includes("form")) return {...query, bytes: body.length}
  const form = await new Response(new Uint8Array(body), {headers: {"content-type": type}}).formData()
  const fields = Array.from(form, ([name, value]) => [
    name,
    typeof value === "string"
      ? /^([[{]|true$|false$)/.test(value)
        ? jsonOf(value)
        : value
      : {file_name: value.name, bytes: value.size},
  ])
  return {...query, ...Object.fromEntries(fields)}
}
