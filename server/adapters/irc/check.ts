import {randomInt} from "node:crypto"
import type {Client} from "irc-framework"
import {type AdapterFinding, type CheckTools, isRefusal} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {close, createClient, register} from "./connect.ts"
import {answered} from "./send.ts"

/**
 * Logs in under a separate nick, so that the endpoint's connection stays. Asks for the channels without joining them,
 * so that no user sees the check. Only a JOIN would show whether a channel lets the bot in.
 */
export const check = async (
  account: AccountSettings,
  {log, signal}: CheckTools,
): Promise<readonly AdapterFinding[]> => {
  const nick = checkNick(account.nick)
  const client = await createClient()
  const stop = () => client.connection.transport?.disposeSocket()
  signal.addEventListener("abort", stop, {once: true})
  try {
    const login = await logIn(client, {...account, nick}, log)
    const channels = (account.channels ?? []).map(channelOf)
    if (!login.ok || channels.length === 0) return [login]
    const modes = await modesOf(client, channels, signal)
    return [login, ...channels.map(channel => findingOf(channel, modes.get(client.caseLower(channel.name))))]
  } finally {
    signal.removeEventListener("abort", stop)
    await close(client)
  }
}

/** Every server accepts a nick of nine characters (RFC 1459, section 1.2). */
const checkNick = (nick: string): string => `${nick.slice(0, 5)}${randomInt(1000, 10_000)}`

const logIn = async (client: Client, account: AccountSettings, log: CheckTools["log"]): Promise<AdapterFinding> => {
  const what = "credentials"
  try {
    await register(client, account, log)
    const as = account.sasl === undefined ? "" : `, logged in as ${account.sasl.account}`
    return {what, ok: true, detail: `connected to ${account.server} as ${client.user.nick}${as}`}
  } catch (error) {
    if (!isRefusal(error)) throw error
    return {what: error.reason, ok: false, detail: error.message, remediation: error.remediation}
  }
}

/** Returns the modes of the channels that the server lists, by name in lower case. */
const modesOf = async (client: Client, channels: readonly Channel[], signal: AbortSignal) => {
  const modes = new Map<string, string>()
  client.on("channel info", ({channel, raw_modes}: {channel: string; raw_modes?: string}) => {
    if (raw_modes !== undefined) modes.set(client.caseLower(channel), raw_modes)
  })
  for (const {name} of channels) client.raw("MODE", name)
  await answered(client, "svc-checked", signal)
  return modes
}

interface Channel {
  readonly name: string
  readonly key?: string
}

const channelOf = (entry: string): Channel => {
  const [name = "", key] = entry.split(" ")
  return {name, ...(key === undefined ? {} : {key})}
}

const findingOf = ({name, key}: Channel, modes: string | undefined): AdapterFinding => {
  const what = `channel ${name}`
  if (modes === undefined)
    return {what, ok: true, detail: "the server does not list it: it is hidden, or the bot will create it"}
  if (modes.includes("k") && key === undefined)
    return {what, ok: false, detail: "it needs a key", remediation: `Write "${name} <key>" under channels.`}
  if (modes.includes("i")) return {what, ok: true, detail: "invite-only: a channel operator must invite the bot"}
  return {what, ok: true, detail: "it exists"}
}
