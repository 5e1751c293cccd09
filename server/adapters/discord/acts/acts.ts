import {refused, type Sender} from "../../../../shared/sdk/sdk.ts"
import {type Api, codeOf, requireId} from "../api/api.ts"
import {payloadOf} from "../api/payload.ts"
import {channelOf} from "../api/places.ts"

type Acts = Required<Pick<Sender, "delete" | "react" | "unreact" | "typing" | "open">>

const unknownMessage = 10008
const unknownEmoji = 10014

/** The bot's acts other than sending and editing. */
export const createActs = (api: Api): Acts => {
  const messagePath = (channel: string, message: string) =>
    `/channels/${requireId(channel, "channel")}/messages/${requireId(message, "message")}`
  const reactionPath = (channel: string, message: string, emoji: string) =>
    `${messagePath(channel, message)}/reactions/${emojiPath(emoji)}/@me`
  return {
    delete: async ({channel, message}, signal) => {
      await api.ask("DELETE", messagePath(channel, message), {}, signal).catch(unless(unknownMessage))
    },
    react: async ({channel, message, emoji}, signal) => {
      await api.ask("PUT", reactionPath(channel, message, emoji), {}, signal)
    },
    unreact: async ({channel, message, emoji}, signal) => {
      await api
        .ask("DELETE", reactionPath(channel, message, emoji), {}, signal)
        .catch(unless(unknownMessage, unknownEmoji))
    },
    typing: async (channel, signal) => {
      await api.ask("POST", `/channels/${requireId(channel, "channel")}/typing`, {}, signal)
    },
    open: async (user, signal) => {
      const body = {recipient_id: requireId(user, "user")}
      const channel = channelOf(payloadOf(await api.ask("POST", "/users/@me/channels", {body}, signal)))
      if (channel === undefined) throw new Error("Discord returned no channel")
      return channel
    },
  }
}

/** Ignores these error codes: a target that no longer exists counts as done. */
export const unless =
  (...codes: readonly number[]) =>
  (error: unknown): void => {
    if (!codes.includes(codeOf(error) ?? 0)) throw error
  }

/** Accepts a Unicode emoji, `name:id`, or `<:name:id>` as in messages. */
export const emojiPath = (emoji: string): string => {
  const [, name, id] = /^<?a?:?(\w{1,40}):(\d{1,20})>?$/.exec(emoji.trim()) ?? []
  if (id !== undefined) return encodeURIComponent(`${name}:${id}`)
  if (/^\d{5,20}$/.test(emoji)) return encodeURIComponent(`_:${emoji}`)
  // Discord rejects some emoji without the selector of their coloured form, such as ❤️, so the adapter does not strip
  // it.
  if (emoji !== "" && emoji.length <= 40 && !/[\s/?#]/.test(emoji)) return encodeURIComponent(emoji)
  throw refused(`"${emoji.slice(0, 100)}" is not a Discord emoji`, {
    reason: "emoji_unknown",
    remediation: "Use a Unicode emoji, or name:id of a custom emoji that the bot can use.",
  })
}
