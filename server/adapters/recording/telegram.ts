import type {RecordedPlatform} from "./platform.ts"
import {words} from "./walk.ts"

/** The words of the Bot API (core.telegram.org/bots/api) that the adapter and the fake know. */
export const telegram: RecordedPlatform = {
  usual: "https://api.telegram.org",
  rootOf: ({apiRoot}) => apiRoot,
  through: ({webhook: _, ...account}, address) => ({...account, apiRoot: address}),
  methodOf: path => /^\/bot[^/]+\/(\w+)$/.exec(path)?.[1] ?? "file",
  waits: ["getUpdates"],
  sockets: {},
  frameOf: () => undefined,
  words: {
    texts: {
      type: words(
        `private group supergroup channel bot_command mention hashtag url email bold italic underline strikethrough
        spoiler blockquote code pre text_link text_mention custom_emoji emoji regular quiz photo video document`,
      ),
      status: words("creator administrator member restricted left kicked"),
      allowed_updates: words(
        `message edited_message channel_post edited_channel_post message_reaction callback_query poll_answer
        my_chat_member chat_member`,
      ),
      action: words("typing upload_document upload_photo"),
      emoji: ["👍"],
      mime_type: words("text/plain image/png image/jpeg application/pdf"),
      description: [
        "Unauthorized",
        "Bad Request: message is not modified",
        "Bad Request: message to edit not found",
        "Bad Request: message to delete not found",
        "Bad Request: chat not found",
        "Bad Request: REACTION_INVALID",
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
      ],
      "content-type": words("application/json application/octet-stream text/plain"),
    },
    numbers: {
      error_code: 599,
      retry_after: 86_400,
      offset: 4096,
      length: 4096,
      timeout: 75,
      pending_update_count: 100,
    },
  },
}
