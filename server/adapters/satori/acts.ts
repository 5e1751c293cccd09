import {type Channel, type Feature, refused, type Sender} from "../../../shared/sdk/sdk.ts"
import {AnswerError, finalOf, type Methods} from "./api.ts"
import {toContent} from "./content.ts"
import {channelOf} from "./event.ts"
import {fieldsOf, listOf, textIn} from "./fields.ts"
import {downloading} from "./files.ts"
import {type Channels, history} from "./history.ts"
import {methodNames, parametersOf} from "./methods.ts"
import type {ServerLogin} from "./protocol.ts"

export const features: readonly Feature[] = [
  "edit",
  "delete",
  "react",
  "unreact",
  "open",
  "history",
  "upload",
  "download",
  "files",
  "buttons",
  ...methodNames,
]

export interface Acting {
  readonly api: Methods
  readonly login: Pick<ServerLogin, "features">
  readonly channels: Channels
  readonly proxies: () => readonly string[]
}

/** Implements the acts of one login with the server's methods. Uploads are separate. */
export const senderOf = ({api, login, channels, proxies}: Acting) => {
  const act = (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> =>
    api.call(method, params, signal).catch(error => {
      throw finalOf(error)
    })
  /** A target that no longer exists counts as done. */
  const remove = async (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
    await api.call(method, params, signal).catch(error => {
      if (!(error instanceof AnswerError && error.status === 404 && isGone(login, method))) throw finalOf(error)
    })
  }
  return {
    send: async ({channel, content}, signal) => {
      const made = await act("message.create", {channel_id: channel, content: toContent(content)}, signal)
      return {ids: listOf(made).flatMap(message => textIn(fieldsOf(message), "id") ?? [])}
    },
    edit: async ({channel, message, content}, signal) => {
      await act("message.update", {channel_id: channel, message_id: message, content: toContent(content)}, signal)
    },
    delete: ({channel, message}, signal) =>
      remove("message.delete", {channel_id: channel, message_id: message}, signal),
    react: async ({channel, message, emoji}, signal) => {
      await act("reaction.create", {channel_id: channel, message_id: message, emoji_id: emoji}, signal)
    },
    unreact: ({channel, message, emoji}, signal) =>
      remove("reaction.delete", {channel_id: channel, message_id: message, emoji_id: emoji}, signal),
    open: async (user, signal) => channelIn(await act("user.channel.create", {user_id: user}, signal)),
    history: history(api, channels, proxies),
    download: downloading(api),
    call: (method, params, signal) => act(method, parametersOf(method, params), signal),
  } satisfies Sender
}

/** Whether 404 means that the message no longer exists, and not that the server lacks the method. */
const isGone = ({features}: Acting["login"], method: string): boolean =>
  features.length === 0 || features.includes(method)

const channelIn = (answer: unknown): Channel => {
  const channel = channelOf(fieldsOf(answer))
  if (channel !== undefined) return channel
  throw refused("the server opened no channel", {
    reason: "unsupported",
    remediation: "The server's platform opens no direct channels: send to an existing channel.",
  })
}
