import type {Update} from "grammy/types"

type Kind = "number" | "string" | "boolean" | "list" | "object"

const named = (kind: Kind, names: string): readonly (readonly [string, Kind])[] =>
  names.split(" ").map(name => [name, kind])

/** The properties that the adapter reads, by name: each has the same type wherever it is in the Bot API. */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ...named("number", "date edit_date message_id message_thread_id offset length file_size latitude longitude value"),
  ...named("string", "text caption type title username first_name last_name language_code file_id file_name mime_type"),
  ...named("string", "url language data emoji custom_emoji_id phone_number address question status"),
  ...named("boolean", "is_bot is_topic_message is_automatic_forward is_animated is_video is_member"),
  ...named("list", "entities caption_entities photo options old_reaction new_reaction"),
  ...named("object", "message edited_message channel_post edited_channel_post reply_to_message callback_query"),
  ...named("object", "message_reaction poll_answer my_chat_member chat_member old_chat_member new_chat_member"),
  ...named("object", "chat from user sender_chat actor_chat voter_chat contact venue location poll dice"),
  ...named("object", "forum_topic_created animation video video_note audio voice document sticker"),
])

/** The properties without which the adapter can do nothing with an object, by the object's name. */
const needed: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ["chat", "from", "user", "sender_chat", "actor_chat", "voter_chat"].map(name => [name, ["id"]]),
  ),
  ...Object.fromEntries(
    ["photo", "animation", "video", "video_note", "audio", "voice", "document", "sticker"].map(name => [
      name,
      ["file_id"],
    ]),
  ),
  ...Object.fromEntries(
    ["message", "edited_message", "channel_post", "edited_channel_post"].map(name => [
      name,
      ["message_id", "date", "chat"],
    ]),
  ),
  reply_to_message: ["message_id"],
  callback_query: ["from"],
  venue: ["location"],
}

const kindOf = (value: unknown): Kind | undefined => {
  if (Array.isArray(value)) return "list"
  const kind = value === null ? undefined : typeof value
  return kind === "number" || kind === "string" || kind === "boolean" || kind === "object" ? kind : undefined
}

/**
 * Returns an update without what the adapter would not understand: properties of another type than the Bot API
 * documents, and objects that lack what they need. `onUnknown` hears the name of each.
 */
export const knownUpdate = (update: Update, onUnknown: (what: string) => void): Update => {
  const known = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) {
      if (kinds.get(name) !== "list") return value
      return value.flatMap(item => {
        const part = kindOf(item) === "object" ? known(item, name) : undefined
        if (part === undefined) onUnknown(name)
        return part === undefined ? [] : [part]
      })
    }
    if (typeof value !== "object" || value === null) return value
    const parts: Record<string, unknown> = {}
    for (const [key, each] of Object.entries(value)) {
      // A press, a poll and others have an id of text, which the adapter does not read.
      const kind = key === "id" && needed[name]?.includes("id") ? "number" : kinds.get(key)
      const part = kind === undefined || kindOf(each) === kind ? known(each, key) : undefined
      if (part !== undefined) parts[key] = part
      else if (each !== null) onUnknown(key)
    }
    return (needed[name] ?? []).every(key => parts[key] !== undefined) ? parts : undefined
  }
  return known(update, "") as Update
}
