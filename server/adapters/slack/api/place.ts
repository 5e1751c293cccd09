import {channelType, type Incoming, refused} from "../../../../shared/sdk/sdk.ts"

/** A Slack conversation, or one thread in it. */
export interface Place {
  readonly channel: string
  /** The `ts` of the thread's root message. */
  readonly thread?: string
}

/** Returns a channel's id in svc: the conversation's id, and for a thread a colon and the root message. */
export const channelIdOf = (channel: string, thread?: string): string =>
  thread === undefined ? channel : `${channel}:${thread}`

/** Throws a refusal if the text is not a channel's id. */
export const placeOf = (id: string): Place => {
  const [, channel, thread] = /^([^:\s]+)(?::(\d+\.\d+))?$/.exec(id) ?? []
  if (channel === undefined)
    throw refused(`"${id}" is not a Slack channel`, {
      reason: "target_invalid",
      remediation: "Send to the id of a channel, such as C024BE91L, or to <channel>:<ts of a message> for its thread.",
    })
  return thread === undefined ? {channel} : {channel, thread}
}

/** Ids of direct conversations begin with a D. */
const isDirect = (channel: string): boolean => channel.startsWith("D")

/** Returns the place of an event. A group conversation is also a guild, because it has members. */
export const placedAt = (channel: string, thread?: string, name?: string): Pick<Incoming, "channel" | "guild"> => ({
  channel: {
    id: channelIdOf(channel, thread),
    type: isDirect(channel) ? channelType.direct : channelType.text,
    ...(name === undefined ? {} : {name}),
  },
  ...(isDirect(channel) ? {} : {guild: {id: channel, ...(name === undefined ? {} : {name})}}),
})

/**
 * Returns the channel of a press. A message with a quote is in the thread of the quoted message. Slack also accepts a
 * channel's name, and a user's id for the direct conversation.
 */
export const channelOfPress = (sent: string, {channel, user}: Incoming): string | undefined => {
  const at = channel === undefined ? undefined : placeOf(channel.id).channel
  const isThere = sent === at || sent === `#${channel?.name}` || (sent === user?.id && at !== undefined && isDirect(at))
  return isThere ? channel?.id : undefined
}
