import {omitUndefined} from "../../../../shared/json.ts"
import {shownText} from "./shown.ts"
import {bot, type Message, type StoredFile, team, tokens, type World} from "./world.ts"

export type Arguments = Readonly<Record<string, string>>

/** An answer of the Web API; with an `error`, `ok` is false. */
type Answer = Readonly<Record<string, unknown>>

export interface Slack {
  readonly world: World
  readonly url: string
  /** The scopes of the bot token. */
  readonly scopes: readonly string[]
  /** Sends a message event to the app, also for the bot's own messages, as Slack does. */
  tell(event: Readonly<Record<string, unknown>>): void
}

type Method = (args: Arguments, slack: Slack) => Answer

/** A message in the form that an app gets. */
export const messageOf = (
  {ts, user, bot_id, text, thread_ts, subtype, blocks, files, edited}: Message,
  url: string,
) => ({
  type: "message",
  ts,
  user,
  text,
  ...omitUndefined({bot_id, subtype, thread_ts, edited}),
  ...(blocks.length === 0 ? {} : {blocks}),
  ...(files.length === 0 ? {} : {files: files.map(file => fileOf(file, url))}),
})

export const fileOf = ({id, name, mimetype, bytes, shares}: StoredFile, url: string) => ({
  id,
  name,
  title: name,
  mimetype,
  size: bytes.length,
  url_private: `${url}/files-pri/${id}/${name}`,
  url_private_download: `${url}/files-pri/${id}/download/${name}`,
  shares: {public: shares},
})

const post: Method = ({channel = "", text = "", blocks = "[]", thread_ts}, {world, url, tell}) => {
  if (!world.members.has(channel) && !channel.startsWith("D")) return {error: "channel_not_found"}
  if (world.members.get(channel)?.has(bot.user) === false) return {error: "not_in_channel"}
  const parsed = JSON.parse(blocks)
  if (text === "" && parsed.length === 0) return {error: "no_text"}
  const made = world.add({
    channel,
    user: bot.user,
    bot_id: bot.bot,
    text,
    blocks: parsed,
    thread_ts,
    shown: shownText(parsed),
  })
  tell({...messageOf(made, url), channel, channel_type: "channel"})
  return {channel, ts: made.ts, message: messageOf(made, url)}
}

const update: Method = ({channel, ts, text = "", blocks = "[]"}, {world, url, tell}) => {
  const found = world.find(channel, ts)
  if (found === undefined) return {error: "message_not_found"}
  if (found.user !== bot.user) return {error: "cant_update_message"}
  const before = messageOf(found, url)
  found.blocks = JSON.parse(blocks)
  found.shown = shownText(found.blocks)
  found.text = text
  found.edited = {user: bot.user, ts: world.ts()}
  tell({type: "message", subtype: "message_changed", channel, message: messageOf(found, url), previous_message: before})
  return {channel, ts, text}
}

const remove: Method = ({channel, ts}, {world}) => {
  const place = world.messages.findIndex(message => message.channel === channel && message.ts === ts)
  if (place < 0) return {error: "message_not_found"}
  world.messages.splice(place, 1)
  return {channel, ts}
}

const react =
  (isAdded: boolean): Method =>
  ({channel, timestamp, name = ""}, {world}) => {
    const found = world.find(channel, timestamp)
    if (found === undefined) return {error: "message_not_found"}
    if (!/^[a-z0-9_+'-]+$/.test(name)) return {error: "invalid_name"}
    if (found.reactions.has(name) === isAdded) return {error: isAdded ? "already_reacted" : "no_reaction"}
    if (isAdded) found.reactions.add(name)
    else found.reactions.delete(name)
    return {}
  }

/** Newest first for a channel, without its threads; oldest first for a thread, including its parent message. */
const history =
  (isThread: boolean): Method =>
  ({channel, ts, oldest = "0", latest = "9999999999", limit = "100", cursor = "0"}, {world, url}) => {
    const isHere = (message: Message) =>
      isThread ? message.ts === ts || message.thread_ts === ts : message.thread_ts === undefined
    const within = world.messages.filter(
      message =>
        message.channel === channel &&
        isHere(message) &&
        ((isThread && message.ts === ts) ||
          (Number(message.ts) > Number(oldest) && Number(message.ts) < Number(latest))),
    )
    const ordered = isThread ? within : within.toReversed()
    const [from, to] = [Number(cursor), Number(cursor) + Math.min(Number(limit), 200)]
    const has_more = to < ordered.length
    return {
      messages: ordered.slice(from, to).map(message => messageOf(message, url)),
      has_more,
      ...(has_more ? {response_metadata: {next_cursor: String(to)}} : {}),
    }
  }

const pin =
  (isAdded: boolean): Method =>
  ({channel = "", timestamp = ""}, {world}) => {
    const isPinned = world.pins.of(channel).includes(timestamp)
    if (world.find(channel, timestamp) === undefined) return {error: "message_not_found"}
    if (isPinned === isAdded) return {error: isAdded ? "already_pinned" : "no_pin"}
    if (isAdded) world.pins.pin(channel, timestamp)
    else world.pins.unpin(channel, timestamp)
    return {}
  }

const listPins: Method = ({channel = ""}, {world, url}) => ({
  items: world.pins
    .of(channel)
    .toReversed()
    .flatMap(ts => {
      const found = world.find(channel, ts)
      return found === undefined ? [] : [{type: "message", channel, message: messageOf(found, url)}]
    }),
})

const invite: Method = ({channel = "", users = ""}, {world}) => {
  const members = world.members.get(channel)
  if (members === undefined) return {error: "channel_not_found"}
  for (const user of users.split(",")) members.add(user)
  return {channel: {id: channel}}
}

const people: Readonly<Record<string, string>> = {
  U0ANN: "ann",
  U0BOB: "bob",
  U0CID: "cid",
  U0EVE: "eve",
  [bot.user]: "helper",
}

const complete: Method = ({files = "[]", channel_id: channel = "", thread_ts, blocks = "[]"}, {world, url, tell}) => {
  const shown = (JSON.parse(files) as readonly {readonly id: string}[]).map(({id}) => world.files.get(id))
  if (shown.some(file => file === undefined || file.bytes.length === 0)) return {error: "file_not_found"}
  const kept = shown.filter(file => file !== undefined)
  const parsed = JSON.parse(blocks)
  const author = {user: bot.user, bot_id: bot.bot, subtype: "file_share"}
  const made = world.add({
    channel,
    ...author,
    text: "",
    blocks: parsed,
    files: kept,
    thread_ts,
    shown: shownText(parsed),
  })
  for (const file of kept) file.shares = {[channel]: [{ts: made.ts}]}
  tell({...messageOf(made, url), channel})
  return {files: kept.map(({id}) => ({id}))}
}

/** The methods of the Web API that the adapter uses, as documented at https://docs.slack.dev/reference/methods. */
export const methods: Readonly<Record<string, Method>> = {
  "auth.test": () => ({
    url: "https://team.slack.com/",
    team: "Team",
    team_id: team,
    user: "helper",
    user_id: bot.user,
    bot_id: bot.bot,
  }),
  "apps.connections.open": (_, {url}) => ({url: `${url.replace("http", "ws")}/link`}),
  "chat.postMessage": post,
  "chat.update": update,
  "chat.delete": remove,
  "reactions.add": react(true),
  "reactions.remove": react(false),
  "pins.add": pin(true),
  "pins.remove": pin(false),
  "pins.list": listPins,
  "conversations.invite": invite,
  "conversations.open": ({users = ""}) =>
    users in people ? {channel: {id: `D${users.slice(1)}`}} : {error: "user_not_found"},
  "conversations.history": history(false),
  "conversations.replies": history(true),
  "conversations.members": ({channel = ""}, {world}) => ({members: [...(world.members.get(channel) ?? [])]}),
  "conversations.kick": ({channel = "", user = ""}, {world}) =>
    world.members.get(channel)?.delete(user) === true ? {} : {error: "not_in_channel"},
  "users.info": ({user = ""}) => {
    const name = people[user]
    if (name === undefined) return {error: "user_not_found"}
    return {user: {id: user, name, real_name: name.toUpperCase(), locale: "de-DE", profile: {display_name: name}}}
  },
  "files.getUploadURLExternal": ({filename = ""}, {world, url}) => {
    const id = `F${String(world.files.size + 1).padStart(6, "0")}`
    world.files.set(id, {id, name: filename, mimetype: "", bytes: new Uint8Array(), shares: {}})
    return {upload_url: `${url}/upload/v1/${id}`, file_id: id}
  },
  "files.completeUploadExternal": complete,
  "files.info": ({file = ""}, {world, url}) => {
    const found = world.files.get(file)
    return found === undefined ? {error: "file_not_found"} : {file: fileOf(found, url)}
  },
  "files.delete": ({file = ""}, {world}) => (world.files.delete(file) ? {} : {error: "file_not_found"}),
}

/** The refusal of a token; undefined for a valid token of the method. */
export const refusalOf = (method: string, token: string): string | undefined => {
  const isApp = method === "apps.connections.open"
  const good: readonly string[] = isApp ? [tokens.app] : [tokens.bot, tokens.second]
  if (good.includes(token)) return undefined
  return token === "" ? "not_authed" : "invalid_auth"
}
