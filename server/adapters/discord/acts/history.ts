import type {Sender} from "../../../../shared/sdk/sdk.ts"
import {type Api, requireId} from "../api/api.ts"
import {idIn, payloadOf, payloadsOf} from "../api/payload.ts"
import type {Places} from "../api/places.ts"
import {messageEvent} from "../gateway/events.ts"

/** The most messages that Discord returns at once. */
const mostAtOnce = 100

/** How many pages with only Discord's own messages the adapter skips. */
const mostEmpty = 5

/** Returns the messages of a channel, oldest first. In a server, this needs the permission Read Message History. */
export const createHistory = (api: Api, places: Places): NonNullable<Sender["history"]> => {
  /** Messages from the API do not name their guild. */
  const guildOf = async (channel: string, signal: AbortSignal) => {
    const about = payloadOf(await api.ask("GET", `/channels/${channel}`, {}, signal))
    places.learnChannel(about)
    return idIn(about, "guild_id")
  }
  return async ({channel, before, after, limit}, signal) => {
    const path = `/channels/${requireId(channel, "channel")}/messages`
    const guild = await guildOf(channel, signal)
    const most = Math.min(limit, mostAtOnce)
    let from: Readonly<Record<string, string>> = {
      ...(before === undefined ? {} : {before: requireId(before, "message")}),
      ...(after === undefined ? {} : {after: requireId(after, "message")}),
    }
    for (let page = 0; ; page++) {
      const messages = payloadsOf(
        await api.ask("GET", path, {query: {limit: String(most), ...from}}, signal),
      ).toReversed()
      const events = messages.flatMap(message => {
        const event = messageEvent({...message, channel_id: channel, guild_id: guild}, {places, me: ""})
        return event === undefined ? [] : [event]
      })
      const more = messages.length >= most
      const next = idIn(messages.at(after === undefined ? 0 : -1) ?? {})
      if (events.length > 0 || !more || next === undefined || page === mostEmpty) return {events, more}
      from = after === undefined ? {before: next} : {after: next}
    }
  }
}
