import {type Endpoint, type Node, refused, type Sender} from "../../../../shared/sdk/sdk.ts"
import {type Ask, isCredentials, SlackError} from "../api/api.ts"
import {idIn, type Payload, payloadOf, tsIn} from "../api/payload.ts"
import {placedAt, placeOf} from "../api/place.ts"
import {emojiName} from "../content/emoji.ts"
import {type Written, writeMessage} from "../content/write.ts"
import {shareFiles} from "./files.ts"

type Acts = Required<Pick<Sender, "send" | "edit" | "delete" | "react" | "unreact" | "open">>

/**
 * Ends the connection if Slack rejects the token while the bot runs. Pending messages are sent after the next
 * connection.
 */
export const losing =
  (ask: Ask, endpoint: Pick<Endpoint, "lost">): Ask =>
  async (method, args, signal, known) => {
    try {
      return await ask(method, args, signal, known)
    } catch (error) {
      if (!isCredentials(error)) throw error
      const {message} = error as Error
      endpoint.lost(new Error(message))
      throw new Error(message)
    }
  }

export const createActs = (ask: Ask): Acts => ({
  send: async ({channel: id, content}, signal) => {
    const {channel, thread} = placeOf(id)
    return written(content, async ({text, blocks, files, quote}, known) => {
      const thread_ts = thread ?? quote
      if (files.length > 0) return {ids: [await shareFiles(ask, {channel, thread_ts, blocks, files}, signal, known)]}
      // Slack ignores a message that contains only white space.
      if (blocks.length === 0) return {ids: []}
      const args = {channel, thread_ts, text, blocks, ...plainly, ...folded}
      const {ts} = await ask("chat.postMessage", args, signal, known)
      return {ids: typeof ts === "string" ? [ts] : []}
    })
  },
  edit: async ({channel: id, message, content}, signal) => {
    const {channel} = placeOf(id)
    await written(content, ({text, blocks, files}, known) => {
      if (files.length > 0 || blocks.length === 0)
        throw refused("an edit on Slack can change only the text of a message and its buttons", {
          reason: "unsupported",
          remediation: "Send files in a separate message, and delete a message instead of emptying it.",
        })
      return ask("chat.update", {channel, ts: tsOf(message), text, blocks, ...plainly}, signal, known)
    })
  },
  delete: async ({channel: id, message}, signal) => {
    const {channel} = placeOf(id)
    // For a message with files whose `ts` Slack did not report, only the file is known.
    if (/^F[A-Z0-9]+$/.test(message)) await ifThere(ask("files.delete", {file: message}, signal, gone))
    else await ifThere(ask("chat.delete", {channel, ts: tsOf(message)}, signal, gone))
  },
  react: async ({channel: id, message, emoji}, signal) => {
    const {channel} = placeOf(id)
    const args = {channel, timestamp: tsOf(message), name: nameOf(emoji)}
    await ifThere(ask("reactions.add", args, signal, ["already_reacted"]))
  },
  unreact: async ({channel: id, message, emoji}, signal) => {
    const {channel} = placeOf(id)
    const args = {channel, timestamp: tsOf(message), name: nameOf(emoji)}
    await ifThere(ask("reactions.remove", args, signal, ["no_reaction", "message_not_found"]))
  },
  open: async (user, signal) => {
    const opened = payloadOf((await ask("conversations.open", {users: user}, signal)).channel)
    const {channel} = placedAt(idIn(opened, "id") ?? "")
    if (channel === undefined || channel.id === "") throw new Error("Slack opened no channel")
    return channel
  },
})

/**
 * Sends content in blocks. Slack opens the pictures of blocks itself, and rejects the whole message if it cannot: then
 * the content is sent as text, with the pictures' addresses.
 */
const written = async <T>(
  content: readonly Node[],
  send: (written: Written, known: readonly string[]) => Promise<T>,
): Promise<T> => {
  const message = writeMessage(content)
  if (!message.blocks.some(({type}) => type === "image")) return send(message, [])
  return send(message, ["invalid_blocks"]).catch(error => {
    if (!(error instanceof SlackError)) throw error
    return send(writeMessage(content, true), [])
  })
}

/** Does not unfurl links below the message. */
const folded = {unfurl_links: false, unfurl_media: false}

/** Turns no name in the notification text into a mention. An edit would do so by default. */
const plainly = {parse: "none", link_names: false}

const gone = ["message_not_found", "file_not_found", "file_deleted"]

/** After a kill, the Host may repeat an act, so an act that is already done is not an error. */
const ifThere = async (act: Promise<Payload>): Promise<void> => {
  await act.catch(error => {
    if (!(error instanceof SlackError)) throw error
  })
}

const tsOf = (message: string): string => {
  const ts = tsIn({message}, "message")
  if (ts !== undefined) return ts
  throw refused(`"${message}" is not a Slack message`, {
    reason: "message_unknown",
    remediation: "Use the message's ts, such as 1503435956.000247. A slash command is not a message.",
  })
}

const nameOf = (emoji: string): string => {
  const name = emojiName(emoji)
  if (name !== undefined) return name
  throw refused(`svc does not know Slack's name for the emoji ${emoji}`, {
    reason: "emoji_unknown",
    remediation: "Use the name that Slack shows for it, such as :wave:.",
  })
}
