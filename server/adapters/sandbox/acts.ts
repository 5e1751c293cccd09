import {
  channelType,
  type DatedIncoming,
  type Feature,
  refused,
  renderContent,
  type Sender,
} from "../../../shared/sdk/sdk.ts"
import type {Room, RoomMessage} from "./room.ts"

/** Everything that a platform may be able to do, so that a bot can be tried without one. */
export const features: readonly Feature[] = [
  "edit",
  "delete",
  "react",
  "unreact",
  "typing",
  "open",
  "history",
  "commands",
  "guild.member.mute",
]

/** The channel of a user's direct messages: `svc chat --as ann --channel @ann` is there. */
export const directChannel = (user: string): string => `@${user}`

/** The sandbox's acts on its room. */
export const senderOf = (room: Room): Sender => ({
  send: async ({id, channel, content}) => {
    room.say("bot", channel, id, content)
    return {ids: [id]}
  },
  edit: async ({channel, message, content}) => {
    if (room.edit(channel, message, content)) return
    throw refused(`there is no message ${message} in ${channel}`, {
      reason: "message_unknown",
      remediation: "The sandbox remembers its newest messages, and none from before the Host started.",
    })
  },
  delete: async ({channel, message}) => room.delete(channel, message),
  react: async ({channel, message, emoji}) => room.react(channel, message, emoji),
  unreact: async ({channel, message, emoji}) => room.unreact(channel, message, emoji),
  typing: async channel => room.typing(channel),
  open: async user => ({id: directChannel(user), type: channelType.direct}),
  history: async ({channel, before, after, limit}) => {
    const all = room.messages(channel).filter(({from}) => from === "user")
    const found = between(all, before, after)
    const events = after === undefined ? found.slice(-limit) : found.slice(0, limit)
    return {events: events.map(eventOf), more: found.length > events.length}
  },
  commands: async commands => {
    room.commands = commands
  },
  call: async (_, {user_id: user, duration}) => {
    if (typeof user !== "string" || typeof duration !== "number" || !(duration >= 0)) {
      throw refused("guild.member.mute needs user_id and duration, in milliseconds", {
        reason: "request_invalid",
        remediation: "Give both; a duration of 0 ends the silence.",
      })
    }
    room.mute(user, duration)
  },
})

const between = (messages: readonly RoomMessage[], before: string | undefined, after: string | undefined) => {
  const end = messages.findIndex(({id}) => id === before)
  const start = messages.findIndex(({id}) => id === after)
  return messages.slice(start + 1, end < 0 ? undefined : end)
}

const eventOf = ({id, channel, elements, at}: RoomMessage): DatedIncoming => ({
  id,
  type: "message-created",
  timestamp: Date.parse(at),
  channel: {id: channel, type: channelType.direct},
  message: {id, content: renderContent(elements)},
})
