import {channelType, type DatedIncoming, type Incoming, type Sender} from "../../../shared/sdk/sdk.ts"
import type {Methods} from "./api.ts"
import {channelOf, guildOf, messageId, messageOf, userOf} from "./event.ts"
import {type Fields, fieldsOf, listOf, numberIn, textIn} from "./fields.ts"

type Channel = NonNullable<Incoming["channel"]>

/** Known channels, so that the history can mark direct ones: some servers return only the id in a list. */
export class Channels {
  readonly #api: Methods
  readonly #known = new Map<string, Channel>()

  constructor(api: Methods) {
    this.#api = api
  }

  learn(channel: Channel | undefined): void {
    if (channel !== undefined) this.#known.set(channel.id, channel)
  }

  async find(id: string, signal: AbortSignal): Promise<Channel> {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const answer = await this.#api.call("channel.get", {channel_id: id}, signal).catch(error => {
      signal.throwIfAborted()
      if (error instanceof TypeError) throw error
      return undefined
    })
    if (answer === undefined) return {id, type: channelType.text}
    const channel = channelOf({...fieldsOf(answer), id}) ?? {id, type: channelType.text}
    this.learn(channel)
    return channel
  }
}

/** Returns messages of a channel with `message.list`, oldest first, with the same ids as live. */
export const history =
  (api: Methods, channels: Channels, proxies: () => readonly string[]): NonNullable<Sender["history"]> =>
  async ({channel: id, before, after, limit}, signal) => {
    const direction = after === undefined ? "before" : "after"
    const next = after ?? before
    const params = {channel_id: id, direction, limit, order: "asc", ...(next === undefined ? {} : {next})}
    const answer = fieldsOf(await api.call("message.list", params, signal))
    const found = listOf(answer.data).map(fieldsOf)
    const channel = found.length === 0 ? undefined : await channels.find(id, signal)
    const events = found.flatMap(message => (channel === undefined ? [] : eventOf(message, channel, proxies())))
    const isMore = textIn(answer, direction === "after" && "prev" in answer ? "prev" : "next") !== undefined
    return {events: inOrder(events), more: isMore && events.length > 0}
  }

const eventOf = (fields: Fields, channel: Channel, proxies: readonly string[]): readonly DatedIncoming[] => {
  const {message} = messageOf(fields, proxies)
  const timestamp = numberIn(fields, "created_at") ?? numberIn(fields, "timestamp")
  if (message === undefined || timestamp === undefined) return []
  const user = userOf({}, fields)
  const guild = guildOf(fieldsOf(fields.guild))
  return [
    {
      id: messageId(channel.id, message.id),
      type: "message-created",
      timestamp,
      channel,
      ...(guild === undefined ? {} : {guild}),
      ...(user === undefined ? {} : {user}),
      message,
    },
  ]
}

/** Older servers ignore `order`. Messages of the same time keep their order. */
const inOrder = (events: readonly DatedIncoming[]): readonly DatedIncoming[] => {
  const [first, last] = [events.at(0), events.at(-1)]
  const isReversed = first !== undefined && last !== undefined && first.timestamp > last.timestamp
  return (isReversed ? events.toReversed() : events).toSorted((one, other) => one.timestamp - other.timestamp)
}
