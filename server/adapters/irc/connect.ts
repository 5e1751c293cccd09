import {randomUUID} from "node:crypto"
import {setTimeout as sleep} from "node:timers/promises"
import type {Client} from "irc-framework"
import {
  channelType,
  type Endpoint,
  type Outgoing,
  refused,
  renderContent,
  type Sender,
  type Static,
} from "../../../shared/sdk.ts"
import {toLines} from "./format.ts"
import type {Account} from "./index.ts"

type AccountSettings = Static<typeof Account>

/** How often another nick is tried where the wanted one is taken. */
const nickAttempts = 4

/** Servers drop clients that write faster: so many lines at once, then one in so many milliseconds. */
const flood = {burst: 5, interval: 700} as const

/** After being kicked, the channel is joined again after so many milliseconds. */
const rejoinPause = 5000

/** Connects and registers. Throws a refusal where server or account say no for good. */
export const connect = async (account: AccountSettings, endpoint: Endpoint): Promise<Sender> => {
  const {Client} = await import("irc-framework").then(module =>
    "default" in module ? (module.default as typeof module) : module,
  )
  const client = new Client()
  endpoint.defer(() => close(client))
  const registered = registration(client, account, endpoint)
  client.connect(optionsOf(account))
  await registered
  endpoint.login({platform: "irc", user: {id: client.user.nick, name: client.user.nick, is_bot: true}, status: 1})
  client.on("socket close", () => endpoint.lost(new Error("the server closed the connection")))
  client.on("nick", ({new_nick}: {new_nick: string}) => {
    if (client.user.nick === new_nick)
      endpoint.login({platform: "irc", user: {id: new_nick, name: new_nick, is_bot: true}, status: 1})
  })
  receiveFrom(client, endpoint)
  joinChannels(client, account, endpoint)
  return {send: createSend(client)}
}

const optionsOf = (account: AccountSettings) => ({
  host: account.server,
  port: account.port ?? (account.tls === false ? 6667 : 6697),
  tls: account.tls ?? true,
  rejectUnauthorized: account.verify ?? true,
  nick: account.nick,
  username: account.nick.replace(/[^A-Za-z0-9]/g, "").slice(0, 10) || "bot",
  gecos: account.realname ?? "svc bot",
  version: "svc",
  auto_reconnect: false as const,
  sasl_disconnect_on_fail: true,
  ...(account.password === undefined ? {} : {password: account.password.reveal()}),
  // Without an account of its own the library would offer the server's password to SASL.
  account: account.sasl === undefined ? {} : {account: account.sasl.account, password: account.sasl.password.reveal()},
})

const close = (client: Client) => {
  client.removeAllListeners()
  if (client.connected) client.quit("closing")
  else client.connection.transport?.disposeSocket()
}

interface ServerError {
  readonly error?: string
  readonly reason?: string
}

/** Resolves once the server has registered the client; rejects with why it has not. */
const registration = (client: Client, account: AccountSettings, endpoint: Endpoint): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ""
    let attempts = 0
    const credentials = (message: string, remediation: string) =>
      reject(refused(message, {reason: "credentials", remediation}))
    client.on("registered", () => resolve())
    client.on("nick in use", () => {
      if (++attempts > nickAttempts) return reject(new Error(`the nick ${account.nick} and its variants are taken`))
      const nick = `${account.nick}${"_".repeat(attempts)}`
      endpoint.log.warn(`the nick ${account.nick} is taken; trying ${nick}`)
      client.changeNick(nick)
    })
    client.on("nick invalid", () =>
      reject(
        refused(`the server does not take the nick ${account.nick}`, {
          reason: "nick_invalid",
          remediation: "Choose another nick.",
        }),
      ),
    )
    client.on("sasl failed", ({message, reason}: {message?: string; reason?: string}) => {
      if (account.sasl !== undefined) {
        credentials(
          `SASL login failed: ${message ?? reason ?? "refused"}`,
          "Correct sasl.account and the variable of sasl.password.",
        )
      }
    })
    client.on("irc error", ({error, reason}: ServerError) => {
      said = reason ?? error ?? ""
      if (error === "password_mismatch" || /\bpassword\b/i.test(said)) {
        credentials(`the server refused the password: ${said}`, "Correct the variable that password names.")
      }
    })
    client.on("socket error", (error: Error) => {
      said ||= error.message
    })
    client.on("socket close", (error?: Error | boolean) => {
      const why = error instanceof Error ? error.message : said
      reject(new Error(`${account.server} closed the connection before registration${why === "" ? "" : `: ${why}`}`))
    })
  })

interface PrivateMessage {
  readonly nick: string
  readonly target: string
  readonly message: string
  readonly type: string
  readonly account?: string
  readonly tags: Readonly<Record<string, string>>
  readonly from_server: boolean
}

/** Notices are left out: a bot must not answer them (RFC 1459, section 4.4.2). */
const receiveFrom = (client: Client, endpoint: Endpoint): void => {
  const receive = ({nick, target, message, type, account, tags, from_server}: PrivateMessage) => {
    if (from_server || client.caseCompare(nick, client.user.nick)) return
    const direct = client.caseCompare(target, client.user.nick)
    const channel = direct ? nick : target
    const id = tags.msgid ?? randomUUID()
    const text = type === "action" ? `* ${nick} ${message}` : message
    endpoint
      .receive({
        id,
        type: "message-created",
        channel: {id: client.caseLower(channel), name: channel, type: direct ? channelType.direct : channelType.text},
        user: {id: nick, name: nick},
        message: {id, content: renderContent(plain(text))},
        raw: {type, data: {nick, target, message, account, tags}},
      })
      .catch(error => endpoint.log.error(`a message from ${channel} was not stored: ${error.message}`, {error}))
  }
  for (const type of ["privmsg", "action"]) {
    client.on(type, (event: PrivateMessage) => receive({...event, type}))
  }
}

/** Without the sender's colours and formatting. */
const plain = (text: string) =>
  text.replace(/\x03(\d{1,2}(,\d{1,2})?)?|\x04[0-9a-f]{6}|[\x02\x0f\x11\x16\x1d-\x1f]/gi, "")

const joinChannels = (client: Client, account: AccountSettings, endpoint: Endpoint): void => {
  const join = (entry: string) => {
    const [channel = "", key] = entry.split(" ")
    client.join(channel, key)
  }
  client.on("kick", ({kicked, channel, nick}: {kicked: string; channel: string; nick: string}) => {
    if (!client.caseCompare(kicked, client.user.nick)) return
    endpoint.log.warn(`kicked from ${channel} by ${nick}; joining again`)
    const entry = (account.channels ?? []).find(each => client.caseCompare(each.split(" ")[0] ?? "", channel))
    if (entry !== undefined)
      sleep(rejoinPause, undefined, {signal: endpoint.signal}).then(
        () => join(entry),
        () => {},
      )
  })
  client.on("irc error", ({error, reason, ...more}: ServerError & {channel?: string}) => {
    if (more.channel !== undefined) endpoint.log.warn(`${more.channel}: ${reason ?? error}`)
  })
  for (const entry of account.channels ?? []) join(entry)
}

/** Lines go out in order, a burst first, then paced. Resolves once they are handed to the connection. */
const createSend = (client: Client): Sender["send"] => {
  let free: number = flood.burst
  let refilled = Date.now()
  const takeTurn = async (signal: AbortSignal) => {
    const now = Date.now()
    free = Math.min(flood.burst, free + (now - refilled) / flood.interval)
    refilled = now
    free--
    if (free < 0) await sleep(-free * flood.interval, undefined, {signal})
  }
  return async ({channel, content}: Outgoing, signal) => {
    if (!/^[^\s,:\0]+$/.test(channel)) {
      throw refused(`"${channel}" is no IRC channel or nick`, {
        reason: "target_invalid",
        remediation: "Send to #channel or to a nick.",
      })
    }
    for (const line of toLines(content)) {
      await takeTurn(signal)
      if (!client.connected) throw new Error("the connection is gone")
      client.say(channel, line)
    }
    return {ids: []}
  }
}
