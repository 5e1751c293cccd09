import {createServer} from "node:http"
import {text} from "node:stream/consumers"
import type {Peer} from "crossws"
import nodeSockets from "crossws/adapters/node"
import {createTroubles, type FakePlatform, listen, type Said, type Sent} from "./platform.ts"

type Packet = {readonly op: number; readonly d?: unknown; readonly t?: string; readonly s?: number}

const op = {dispatch: 0, heartbeat: 1, identify: 2, resume: 6, invalidSession: 9, hello: 10, heartbeatAck: 11} as const
const me = {id: "999", username: "test-bot", discriminator: "0", global_name: null, avatar: null, bot: true}
/** The longest text of one message, in characters. */
const longest = 2000

const messageOf = ({text, user = "42", chat = user}: Said, id: number) => ({
  id: String(id),
  channel_id: chat,
  author: {id: user, username: `user${user}`, discriminator: "0", global_name: null, avatar: null},
  content: text,
  timestamp: new Date().toISOString(),
  edited_timestamp: null,
  tts: false,
  mention_everyone: false,
  channel_type: 1,
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  pinned: false,
  type: 0,
})

/**
 * A stand-in for Discord, a fake of the tests, written from the public documentation of its gateway and HTTP API, version 10
 * (https://discord.com/developers/docs).
 *
 * The gateway says hello, takes identify, answers ready, dispatches messages of direct channels, takes heartbeats, and resumes a
 * session with what it has missed. HTTP creates, edits and shows messages and channels; 429 comes only when a test asks for it. It leaves
 * out guilds, members, interactions, intents, shards, compression and files; every channel is a direct channel with the
 * user of the same number.
 */
export const startDiscord = async (): Promise<FakePlatform> => {
  const sent: Sent[] = []
  const past: Packet[] = []
  const live = new Set<Peer>()
  const counts = {next: 1001, sequence: 0, identified: 0}
  const troubles = createTroubles()
  let last: ReturnType<typeof messageOf> | undefined

  const tell = (peer: Peer, packet: Packet) => void peer.send(JSON.stringify(packet))
  const dispatch = (t: string, d: unknown) => {
    const packet = {op: op.dispatch, t, d, s: ++counts.sequence}
    past.push(packet)
    for (const peer of live) tell(peer, packet)
  }
  const channelOf = (id: string) => ({id, type: 1, recipients: [messageOf({text: "", user: id}, 0).author]})

  const hear = (peer: Peer, packet: Packet, url: string) => {
    if (packet.op === op.heartbeat) tell(peer, {op: op.heartbeatAck})
    if (packet.op === op.identify) {
      counts.identified++
      const d = {v: 10, user: me, guilds: [], session_id: `session-${counts.identified}`, resume_gateway_url: url}
      const ready = {...d, application: {id: me.id, flags: 0}}
      tell(peer, {op: op.dispatch, t: "READY", s: ++counts.sequence, d: ready})
      live.add(peer)
    }
    if (packet.op === op.resume) {
      const seq = Number((packet.d as {seq?: unknown}).seq)
      for (const each of past) if ((each.s ?? 0) > seq) tell(peer, each)
      tell(peer, {op: op.dispatch, t: "RESUMED", s: ++counts.sequence, d: {}})
      live.add(peer)
    }
  }
  const sockets = nodeSockets({
    hooks: {
      open: peer => tell(peer, {op: op.hello, d: {heartbeat_interval: 41_250}}),
      message: (peer, message) => hear(peer, JSON.parse(message.text()), gateway()),
      close: peer => void live.delete(peer),
    },
  })

  const create = (chat: string, content: string): {readonly status: number; readonly body: object} => {
    if (content === "") return {status: 400, body: {code: 50006, message: "Cannot send an empty message"}}
    if (content.length > longest)
      return {status: 400, body: {code: 50035, message: "Invalid Form Body: Must be 2000 or fewer in length."}}
    if (troubles.refuses())
      return {status: 429, body: {message: "You are being rate limited.", retry_after: 1, global: false}}
    const id = counts.next++
    sent.push({id: String(id), chat, text: content, edits: 0})
    return {status: 200, body: {...messageOf({text: content, chat}, id), author: me}}
  }
  const change = (id: string, content: string) => {
    const place = sent.findIndex(each => each.id === id)
    const found = sent[place]
    if (found === undefined) return {status: 404, body: {code: 10008, message: "Unknown Message"}}
    sent[place] = {...found, text: content, edits: found.edits + 1}
    return {status: 200, body: {...messageOf({text: content, chat: found.chat}, Number(id)), author: me}}
  }
  const answer = (method: string, path: string, content: string) => {
    if (path.endsWith("/gateway/bot")) {
      const session_start_limit = {total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1}
      return {status: 200, body: {url: gateway(), shards: 1, session_start_limit}}
    }
    const [, channel = "", message] = /\/channels\/(\d+)(?:\/messages(?:\/(\d+))?)?$/.exec(path) ?? []
    if (path.endsWith("/typing")) return {status: 204, body: {}}
    if (path.endsWith("/users/@me/channels")) return {status: 200, body: channelOf("42")}
    if (method === "POST" && channel !== "") return create(channel, content)
    if (method === "PATCH" && message !== undefined) return change(message, content)
    if (method === "GET" && channel !== "") return {status: 200, body: channelOf(channel)}
    return {status: 404, body: {code: 0, message: "404: Not Found"}}
  }

  const server = createServer(async (request, response) => {
    const body = await text(request)
    const path = new URL(request.url ?? "/", "http://discord").pathname
    if (request.method === "POST" && troubles.loses()) {
      request.socket.destroy()
      return
    }
    const {status, body: reply} = answer(request.method ?? "GET", path, String(JSON.parse(body || "{}").content ?? ""))
    const wait = status === 429 ? {"retry-after": "1", "x-ratelimit-scope": "user"} : {}
    response.writeHead(status, {"content-type": "application/json", ...wait}).end(JSON.stringify(reply))
  })
  server.on("upgrade", (...upgrade) => void sockets.handleUpgrade(...upgrade))
  const port = await listen(server)
  const gateway = () => `ws://127.0.0.1:${port}`
  return {
    url: `http://127.0.0.1:${port}/api`,
    say: (...messages) => {
      for (const each of messages) {
        last = messageOf(each, counts.next++)
        dispatch("MESSAGE_CREATE", last)
      }
    },
    repeat: () => dispatch("MESSAGE_CREATE", last),
    sent: () => sent,
    ...troubles.controls,
    arrivals: () => counts.identified,
  }
}
