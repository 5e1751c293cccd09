import type {RecordedPlatform} from "./platform.ts"
import {words} from "./walk.ts"

const types = words(
  `hello disconnect events_api interactive slash_commands event_callback message app_mention reaction_added
  reaction_removed member_joined_channel member_left_channel block_actions view_submission button static_select
  plain_text_input rich_text rich_text_section rich_text_quote rich_text_preformatted rich_text_list text link user
  channel emoji broadcast actions section header divider image plain_text mrkdwn input modal`,
)

/** The words of Slack's Web API and Socket Mode (docs.slack.dev) that the adapter and the fake know. */
export const slack: RecordedPlatform = {
  usual: "https://slack.com/api",
  rootOf: ({api}) => api,
  through: ({signingSecret: _, ...account}, address) => ({...account, api: `${address}/`}),
  methodOf: path => /^\/([a-zA-Z]+(\.[a-zA-Z]+)+)$/.exec(path)?.[1] ?? "file",
  waits: [],
  sockets: {"apps.connections.open": "url"},
  frameOf: frame => {
    const {type, payload} = (frame ?? {}) as {
      readonly type?: unknown
      readonly payload?: {readonly event?: {readonly type?: unknown}; readonly type?: unknown}
    }
    const found = payload?.event?.type ?? payload?.type ?? type
    return found === undefined ? "ack" : types.find(each => each === found)
  },
  words: {
    texts: {
      type: types,
      subtype: words("message_changed message_deleted file_share bot_message thread_broadcast me_message"),
      channel_type: words("channel group im mpim"),
      reaction: words("+1 thumbsup"),
      name: words("+1 thumbsup"),
      // The adapter's own name of the first button.
      action_id: ["svc-button-0"],
      mimetype: words("text/plain image/png image/jpeg application/pdf"),
      error: words(
        `channel_not_found message_not_found not_in_channel already_reacted no_reaction missing_scope invalid_auth
        ratelimited user_not_found invalid_blocks`,
      ),
      "content-type": words("application/json application/octet-stream text/plain"),
    },
    numbers: {num_connections: 10, retry_attempt: 10},
    idStart: /^[ABCDEFGTUVW](?=[A-Z0-9]{3,}$)/,
  },
}
