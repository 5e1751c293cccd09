import type {RecordedPlatform} from "./platform.ts"
import {words} from "./walk.ts"

/** The words of paths. Everything else in a path is an id, an emoji or a secret. */
const ofPaths: ReadonlySet<string> = new Set(
  words(
    `@me @original applications attachments bans bot bulk callback channels commands gateway guilds interactions
    invites members messages pins reactions refresh-urls roles typing users webhooks`,
  ),
)

const pathOf = (path: string): string =>
  path
    .replace(/^\/v\d+/, "")
    .split("/")
    .map(part => (part === "" || ofPaths.has(part) ? part : ":part"))
    .join("/")

/** The names of the gateway's operations that are recorded. Heartbeats are not. */
const operations: Readonly<Record<number, string>> = {2: "IDENTIFY", 6: "RESUME", 7: "RECONNECT", 10: "HELLO"}

/** The events that the adapter reads (discord.com/developers/docs/events/gateway-events). */
const events = words(
  `READY RESUMED GUILD_CREATE GUILD_UPDATE GUILD_DELETE CHANNEL_CREATE CHANNEL_UPDATE CHANNEL_DELETE THREAD_CREATE
  THREAD_UPDATE THREAD_DELETE GUILD_MEMBER_ADD GUILD_MEMBER_REMOVE MESSAGE_CREATE MESSAGE_UPDATE MESSAGE_DELETE
  MESSAGE_DELETE_BULK MESSAGE_REACTION_ADD MESSAGE_REACTION_REMOVE INTERACTION_CREATE MESSAGE_POLL_VOTE_ADD
  MESSAGE_POLL_VOTE_REMOVE`,
)

interface Frame {
  readonly op?: unknown
  readonly t?: unknown
}

/** The words of Discord's API, version 10, that the adapter and the fake know. */
export const discord: RecordedPlatform = {
  usual: "https://discord.com/api",
  rootOf: ({api}) => api,
  through: (account, address) => ({...account, api: address}),
  methodOf: (path, verb) => `${verb} ${pathOf(path)}`,
  waits: [],
  sockets: {"GET /gateway/bot": "url", "platform READY": "resume_gateway_url"},
  frameOf: frame => {
    const {op, t} = (frame ?? {}) as Frame
    if (op === 0) return events.includes(String(t)) ? String(t) : undefined
    return operations[Number(op)]
  },
  words: {
    texts: {
      t: events,
      content_type: words("text/plain image/png image/jpeg application/json"),
      name: ["👍"],
      "content-type": words("application/json application/octet-stream text/plain"),
      discriminator: ["0"],
    },
    numbers: {
      op: 20,
      v: 10,
      type: 40,
      component_type: 40,
      channel_type: 40,
      style: 10,
      heartbeat_interval: 60_000,
      max_concurrency: 16,
      shards: 16,
      remaining: 1000,
      code: 99_999,
    },
  },
}
