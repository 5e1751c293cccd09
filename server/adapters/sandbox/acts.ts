import {randomUUID} from "node:crypto"
import {
  channelType,
  type DatedIncoming,
  type Endpoint,
  type Feature,
  renderContent,
  type Sender,
} from "../../../shared/sdk/sdk.ts"
import {filesIn} from "./files.ts"
import type {Guild} from "./guild.ts"
import {callMethod, methodNames} from "./methods.ts"
import type {Room, RoomMessage} from "./room.ts"
import type {Uploads} from "./uploads.ts"

/** All features that a platform may have, so that bots can be tried without one. */
export const features: readonly Feature[] = [
  "edit",
  "delete",
  "react",
  "unreact",
  "typing",
  "open",
  "history",
  "download",
  "commands",
  "files",
  "buttons",
  "selects",
  "forms",
  ...methodNames,
]

/** Returns the channel of a user's direct messages, as in `svc chat --as ann --channel @ann`. */
export const directChannel = (user: string): string => `@${user}`

/** Returns the sandbox's acts on its room, its guild and its uploads. */
export const senderOf = (room: Room, guild: Guild, uploads: Uploads, {file}: Pick<Endpoint, "file">): Sender => ({
  send: async ({id, channel, content}) => {
    room.say(channel, id, content, await filesIn(content, file))
    return {ids: [id]}
  },
  edit: async ({channel, message, content}) => room.edit(channel, message, content, await filesIn(content, file)),
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
  download: async ({src}) => uploads.open(src),
  commands: async commands => {
    room.commands = commands
  },
  call: async (name, params, _, row = randomUUID()) => callMethod(name, params, {room, guild, row}),
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
