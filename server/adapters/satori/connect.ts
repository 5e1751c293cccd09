import {setTimeout as sleep} from "node:timers/promises"
import type {Endpoint, Sender} from "../../../shared/sdk/sdk.ts"
import {type AccountSettings, baseOf} from "./account.ts"
import {senderOf} from "./acts.ts"
import {Api} from "./api.ts"
import {channelOf, incomingOf, isKnown, typeOf} from "./event.ts"
import {type Fields, fieldsOf, numberIn} from "./fields.ts"
import {uploading} from "./files.ts"
import {Channels} from "./history.ts"
import {Intake, snOfCursor} from "./intake.ts"
import {chooseLogin, nameOf} from "./logins.ts"
import {isOf, loginStatus, type ServerLogin, snOf} from "./protocol.ts"
import {openSocket} from "./socket.ts"

/**
 * How long a login that is offline at the server may take to come online, in milliseconds. After that the Host retries.
 */
const onlinePatience = 40_000

/**
 * Connects to the server, and resumes after the last stored event. Resolves once the login is online. Throws a refusal
 * if the token is wrong, or the account matches several logins.
 */
export const connect = async (account: AccountSettings, endpoint: Endpoint): Promise<Sender> => {
  const url = baseOf(account)
  const sn = snOfCursor(endpoint.cursor, url)
  const intake = new Intake(endpoint, {url, sn})
  let proxies: readonly string[] = []
  let early: Fields[] = []
  let take = (event: Fields): void => void early.push(event)
  const logins = await openSocket(account, {
    sn,
    tools: endpoint,
    defer: undo => endpoint.defer(undo),
    listener: {
      event: event => take(event),
      proxies: urls => {
        proxies = urls
      },
      strange: why => endpoint.unknown(why),
      lost: (error, since) => endpoint.lost(error, since === undefined ? {} : {since}),
    },
  })
  const login = chooseLogin(logins, account)
  const presence = new Presence(login, endpoint)
  const api = new Api(account, login)
  const channels = new Channels(api)
  take = event => {
    const type = typeOf(event)
    const isOurs = isOf(event, login)
    if (isOurs && type.startsWith("login-")) presence.hear(type, event)
    if (isOurs) channels.learn(channelOf(fieldsOf(event.channel)))
    const incoming = isOurs ? incomingOf(event, {login, proxies}) : undefined
    if (isOurs && !isKnown(type)) endpoint.unknown(type)
    else if (incoming === undefined) endpoint.log.debug(`skipped the server's event ${type}`)
    intake.add(incoming, snOf(event))
  }
  for (const event of early) take(event)
  early = []
  endpoint.login({platform: login.platform, user: {...login.user, is_bot: true}, status: loginStatus.online})
  await presence.untilOnline()
  intake.open()
  return {...senderOf({api, login, channels, proxies: () => proxies}), upload: uploading(api, login)}
}

/** Tracks whether the login is connected to its platform. If it is not, the endpoint goes offline with that reason. */
class Presence {
  readonly #login: ServerLogin
  readonly #endpoint: Pick<Endpoint, "lost" | "signal">
  #status: number
  readonly #changed = new AbortController()

  constructor(login: ServerLogin, endpoint: Pick<Endpoint, "lost" | "signal">) {
    this.#login = login
    this.#endpoint = endpoint
    this.#status = login.status
    if (this.#isOnline) this.#changed.abort()
  }

  get #isOnline(): boolean {
    return this.#status === loginStatus.online
  }

  hear(type: string, event: Fields): void {
    const wasOnline = this.#isOnline
    const status = numberIn(fieldsOf(event.login), "status") ?? loginStatus.online
    this.#status = type === "login-removed" ? loginStatus.offline : status
    if (this.#isOnline) this.#changed.abort()
    else if (wasOnline) this.#endpoint.lost(this.#offline)
  }

  async untilOnline(): Promise<void> {
    const {signal} = this.#changed
    await sleep(onlinePatience, undefined, {signal: AbortSignal.any([signal, this.#endpoint.signal])}).catch(() => {})
    this.#endpoint.signal.throwIfAborted()
    if (!this.#isOnline) throw this.#offline
  }

  get #offline(): Error {
    return new Error(`the login ${nameOf(this.#login)} is not online at the server (status ${this.#status})`)
  }
}
