import {onTestFinished} from "vitest"
import {posting, type TestHost, until} from "../host/host.ts"
import {raw} from "../http/raw.ts"
import {openSocket} from "./socket.ts"

export interface Signal {
  readonly op: number
  readonly body: Record<string, unknown>
}

export interface SatoriEvent {
  readonly sn: number
  readonly type: string
  readonly login: {readonly sn: number; readonly platform: string; readonly user: {readonly id: string}}
  readonly message?: {readonly id: string; readonly content: string}
  readonly [key: string]: unknown
}

/** Waits until the Host has one login, online. */
export const untilLoggedIn = (host: TestHost): Promise<unknown> =>
  until("the login to be online", async () => {
    const {logins} = await host.plugin<{logins: {status: number}[]}>("/satori/v1/meta", {})
    return logins[0]?.status === 1
  })

/** A Satori application that sends what a test wants, and keeps what it receives. */
export interface SatoriClient {
  readonly signals: readonly Signal[]
  say(signal: unknown): void
  sayText(text: string): void
  /** The message events, in order of arrival. */
  messages(): readonly SatoriEvent[]
  /** The `sn` for a resume: that of the last event of any type. */
  sn(): number | undefined
  hears(op: number): Promise<Signal>
  hearsMessages(count: number): Promise<readonly SatoriEvent[]>
  closeCode(patience?: number): Promise<number>
  close(): void
}

export interface ConnectOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The body of an immediate IDENTIFY; `false` sends none. */
  readonly identify?: {readonly token?: string; readonly sn?: number} | false
}

const message = "message-created"

/** Opens the event WebSocket of a Host, and identifies with its token. */
export const connectSatori = async (host: TestHost, options: ConnectOptions = {}): Promise<SatoriClient> => {
  const signals: Signal[] = []
  const url = `${host.url.replace("http", "ws")}/satori/v1/events`
  const {socket, closeCode} = await openSocket(url, options.headers, text => signals.push(JSON.parse(text)))
  const sayText = (text: string) => socket.send(text)
  const say = (signal: unknown) => sayText(JSON.stringify(signal))
  const events = () => signals.filter(({op}) => op === 0).map(({body}) => body as SatoriEvent)
  const messages = () => events().filter(({type}) => type === message)
  if (options.identify !== false) say({op: 3, body: {token: host.token, ...options.identify}})
  return {
    signals,
    say,
    sayText,
    messages,
    sn: () => events().at(-1)?.sn,
    hears: op => until(`a signal ${op}`, () => signals.findLast(each => each.op === op)),
    hearsMessages: count => until(`${count} messages`, () => messages().length >= count && messages()),
    closeCode,
    close: () => socket.close(),
  }
}

/** Sends PING at least as often as the protocol requires, until the test ends. */
export const keepAlive = (say: () => void): void => {
  const timer = setInterval(say, 5000)
  onTestFinished(() => clearInterval(timer))
}

export const askSatori = (
  host: TestHost,
  method: string,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {"satori-platform": "sandbox", "satori-user-id": "bot"},
): Promise<Response> => host.fetch(`/satori/v1/${method}`, posting(body, headers))

/** The raw request for a WebSocket. */
export const handshake = (path: string, authorization?: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    "Host: a",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    "\r\n",
  ].join("\r\n")

/** Requests a WebSocket; resolves to the response, whatever it is. */
export const upgrade = (
  host: TestHost,
  path: string,
  authorization?: string,
): Promise<{status: number; text: string}> =>
  raw(host, handshake(path, authorization), /^HTTP\/1\.1 101|\r\n\r\n.*\}/s).then(text => ({
    status: Number(text.slice(9, 12)),
    text,
  }))
