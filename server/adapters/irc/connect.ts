import {setTimeout as sleep} from "node:timers/promises"
import type {Client} from "irc-framework"
import type {Endpoint, Log, Sender} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {joinChannels} from "./channels.ts"
import {measureLag} from "./lag.ts"
import {receiveFrom} from "./receive.ts"
import {registration} from "./register.ts"
import {createSend} from "./send.ts"
import {createSlicedTransport} from "./slices.ts"

/** How long to wait for the answer to QUIT, in milliseconds. Until then the nick may still be in use. */
const quitPatience = 1000

/** Longer than any line of `createSend`, which splits and counts lines itself. */
const longestLine = 512

/** Connects and registers. Throws a refusal if the server or the account rejects the bot permanently. */
export const connect = async (account: AccountSettings, endpoint: Endpoint): Promise<Sender> => {
  const client = await createClient()
  endpoint.defer(() => close(client))
  const login = (nick: string) =>
    endpoint.login({platform: "irc", user: {id: nick, name: nick, is_bot: true}, status: 1})
  client.on("registered", ({nick}: {nick: string}) => login(nick))
  client.on("nick", ({nick, new_nick}: {nick: string; new_nick: string}) => {
    if ([nick, new_nick].includes(client.user.nick)) login(new_nick)
  })
  receiveFrom(client, endpoint)
  await register(client, account, endpoint.log)
  tellLoss(client, endpoint)
  await joinChannels(client, account, endpoint)
  return {send: createSend(client, endpoint.signal), ...measureLag(client, endpoint.signal)}
}

export const createClient = async (): Promise<Client> => {
  const module = await import("irc-framework")
  const {Client} = "default" in module ? (module.default as typeof module) : module
  return new Client()
}

/**
 * Resolves once the server has registered the client. Throws a refusal if the server or the account rejects the bot
 * permanently.
 */
export const register = async (client: Client, account: AccountSettings, log: Log): Promise<void> => {
  const registered = registration(client, account, log)
  client.connect({...optionsOf(account), transport: await createSlicedTransport()})
  await registered
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
  // `measureLag` sends PINGs.
  ping_interval: 0,
  sasl_disconnect_on_fail: true,
  message_max_length: longestLine,
  ...(account.password === undefined ? {} : {password: account.password.reveal()}),
  // Without a SASL account, the library would send the server's password to SASL.
  account: account.sasl === undefined ? {} : {account: account.sasl.account, password: account.sasl.password.reveal()},
})

export const close = async (client: Client): Promise<void> => {
  client.removeAllListeners()
  if (client.connected) {
    const patience = new AbortController()
    client.on("socket close", () => patience.abort())
    client.quit("closing")
    await sleep(quitPatience, undefined, {signal: patience.signal}).catch(() => {})
  }
  client.connection.transport?.disposeSocket()
}

/** Reports the end of the connection to the Host, with the server's last message if there is one. */
const tellLoss = (client: Client, endpoint: Endpoint): void => {
  let said = ""
  client.on("irc error", ({error, reason}: {error?: string; reason?: string}) => {
    if (error === "irc") said = `: ${reason}`
  })
  client.on("socket close", () => endpoint.lost(new Error(`the server closed the connection${said}`)))
}
