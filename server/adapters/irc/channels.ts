import {setTimeout as sleep} from "node:timers/promises"
import type {Client} from "irc-framework"
import type {Endpoint} from "../../../shared/sdk.ts"
import type {AccountSettings} from "./connect.ts"
import {answered} from "./send.ts"

/** A channel that the bot was put out of is joined again after so many milliseconds. */
const rejoinPause = 5000

/**
 * Resolves once the server has dealt with every JOIN: before that the bot misses what is said there, so it is not online. A
 * channel that does not let it in is in the log.
 */
export const joinChannels = async (client: Client, account: AccountSettings, endpoint: Endpoint): Promise<void> => {
  const entries = account.channels ?? []
  const join = (entry: string) => {
    const [channel = "", key] = entry.split(" ")
    client.join(channel, key)
  }
  rejoin(client, endpoint, channel => {
    const entry = entries.find(each => client.caseCompare(each.split(" ")[0] ?? "", channel))
    return entry === undefined ? undefined : () => join(entry)
  })
  client.on("irc error", ({channel, reason, error}: {channel?: string; reason?: string; error?: string}) => {
    if (channel !== undefined) endpoint.log.warn(`${channel}: ${reason ?? error}`)
  })
  for (const entry of entries) join(entry)
  if (entries.length > 0) await answered(client, "svc-joined", endpoint.signal)
}

/**
 * What is said in a channel while the bot is put out of it does not come in: that is told, until it is back. The bot leaves
 * none by itself, so a PART of its own is another's doing: an operator's SAPART or REMOVE.
 */
const rejoin = (client: Client, endpoint: Endpoint, joining: (channel: string) => (() => void) | undefined): void => {
  const away = new Map<string, () => void>()
  const leave = (channel: string, how: string) => {
    const join = joining(channel)
    endpoint.log.warn(`${how}${join === undefined ? "" : "; joining again"}`)
    if (join === undefined) return
    const name = client.caseLower(channel)
    if (!away.has(name)) away.set(name, endpoint.missing())
    sleep(rejoinPause, undefined, {signal: endpoint.signal}).then(join, () => {})
  }
  client.on("kick", ({kicked, channel, nick}: {kicked: string; channel: string; nick: string}) => {
    if (client.caseCompare(kicked, client.user.nick)) leave(channel, `kicked from ${channel} by ${nick}`)
  })
  client.on("part", ({nick, channel}: {nick: string; channel: string}) => {
    if (client.caseCompare(nick, client.user.nick)) leave(channel, `removed from ${channel}`)
  })
  client.on("join", ({nick, channel}: {nick: string; channel: string}) => {
    if (!client.caseCompare(nick, client.user.nick)) return
    const name = client.caseLower(channel)
    away.get(name)?.()
    away.delete(name)
  })
}
