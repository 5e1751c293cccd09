import {channelType, type Incoming, refused} from "../../../shared/sdk/sdk.ts"

/** A conversation of Slack, or one thread of it. */
export interface Place {
  readonly channel: string
  /** The `ts` of the message that the thread is under. */
  readonly thread?: string
}

/** A channel's id in svc: that of the conversation, and behind a colon the message that a thread is under. */
export const channelIdOf = (channel: string, thread?: string): string =>
  thread === undefined ? channel : `${channel}:${thread}`

/** Throws a refusal for what is no channel's id. */
export const placeOf = (id: string): Place => {
  const [, channel, thread] = /^([^:\s]+)(?::(\d+\.\d+))?$/.exec(id) ?? []
  if (channel === undefined)
    throw refused(`"${id}" is not a Slack channel`, {
      reason: "target_invalid",
      remediation: "Send to the id of a channel, such as C024BE91L, or to <channel>:<ts of a message> for its thread.",
    })
  return thread === undefined ? {channel} : {channel, thread}
}

/** Slack gives direct conversations ids with a D. */
const isDirect = (channel: string): boolean => channel.startsWith("D")

/** Where something was said. A conversation with others is a guild too: it is what has members. */
export const placedAt = (channel: string, thread?: string, name?: string): Pick<Incoming, "channel" | "guild"> => ({
  channel: {
    id: channelIdOf(channel, thread),
    type: isDirect(channel) ? channelType.direct : channelType.text,
    ...(name === undefined ? {} : {name}),
  },
  ...(isDirect(channel) ? {} : {guild: {id: channel, ...(name === undefined ? {} : {name})}}),
})
