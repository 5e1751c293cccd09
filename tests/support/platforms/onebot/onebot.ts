import {createHmac} from "node:crypto"
import {serveSockets} from "../../../../server/testing/platforms/fake/serve.ts"
import {whenOver} from "../../host/shared.ts"
import {socketWith} from "../../satori/socket.ts"

type Json = Readonly<Record<string, unknown>>

/** A message of the bot in the form of the group. */
export interface Sent {
  readonly id: number
  readonly params: Json
  readonly at: number
}

interface Peer {
  readonly role: Role
  send(text: string): void
  terminate(): void
}

export type Role = "Universal" | "API" | "Event"

/** Deviations of a fake that connects to a Host. */
export interface ReverseOptions {
  readonly roles?: readonly Role[]
  readonly headers?: Readonly<Record<string, string>>
}

export interface OneBotFake {
  readonly url: string
  readonly wsUrl: string
  /** Reports an event to each connection, with `time` and `self_id`; returns the number of connections. */
  report(event: Json): number
  send(text: string): void
  /** The bot's messages that were not recalled, oldest first. */
  sent(): readonly Sent[]
  /** The requested actions, oldest first. */
  readonly asked: {readonly action: string; readonly params: Json}[]
  /** Answers that replace the usual one of an action. */
  readonly answers: Map<string, Json>
  connections(): number
  cut(): void
  /** Connects to this webhook of a Host by reverse WebSocket from now on, and reconnects after each end. */
  reverse(hook: string, options?: ReverseOptions): void
}

/** The default number of the bot. */
export const firstBot = 10001000
export const token = "the-access-token"
export const postSecret = "the-post-secret"

export const group = 100200300

const member = (user_id: number, nickname: string, card = "") => ({
  group_id: group,
  user_id,
  nickname,
  card,
  sex: "unknown",
  age: 0,
  join_time: 1_700_000_000,
  level: "1",
  role: "member",
})

/**
 * A stand-in for an implementation of OneBot v11, written for the tests from the public documentation of the standard
 * (https://github.com/botuniverse/onebot-11).
 *
 * It serves actions over HTTP and over a WebSocket, which also reports events, and checks the access token in the
 * header. It can also connect to a Host, with one WebSocket or two. It leaves out authentication by the query, separate
 * paths for actions and events, and everything that QQ itself does. `file` segments and the actions for history are
 * extensions, as documented by NapCat and LLOneBot.
 */
export const startOneBot = async (self = firstBot): Promise<OneBotFake> => {
  const peers = new Set<Peer>()
  /** The messages of all conversations as events, oldest first. */
  const said: Json[] = []
  const messages = new Map<number, Sent>()
  const asked: {action: string; params: Json}[] = []
  const answers = new Map<string, Json>()
  let next = 100_001
  const past = (of: (message: Json) => boolean, count: unknown) => ({
    messages: said.filter(of).slice(-Number(count ?? 20)),
  })

  const actions: Record<string, (params: Json) => unknown> = {
    get_login_info: () => ({user_id: self, nickname: "bot"}),
    get_status: () => ({online: true, good: true}),
    get_version_info: () => ({app_name: "stand-in", app_version: "1.0.0", protocol_version: "v11"}),
    send_msg: params => {
      const id = next++
      messages.set(id, {id, params, at: Date.now()})
      const {message, message_type, group_id} = params
      const sender = {user_id: self, nickname: "bot"}
      said.push({time: now(), self_id: self, message_id: id, message_type, group_id, user_id: self, message, sender})
      return {message_id: id}
    },
    get_msg: ({message_id}) => messages.get(Number(message_id)),
    delete_msg: ({message_id}) => (messages.delete(Number(message_id)) ? null : undefined),
    get_group_msg_history: ({group_id, count}) => past(message => message.group_id === group_id, count),
    get_friend_msg_history: ({user_id, count}) =>
      past(message => message.message_type === "private" && message.user_id === user_id, count),
    set_group_ban: () => null,
    set_group_kick: () => null,
    set_friend_add_request: () => null,
    set_group_add_request: () => null,
    get_group_member_list: () => [member(42, "ann", "Ann of the group"), member(43, "bob")],
    get_group_member_info: ({user_id}) => member(Number(user_id), "ann"),
    get_group_list: () => [{group_id: group, group_name: "room", member_count: 3, max_member_count: 200}],
    get_group_info: () => ({group_id: group, group_name: "room", member_count: 3, max_member_count: 200}),
    get_friend_list: () => [{user_id: 42, nickname: "ann", remark: ""}],
    get_stranger_info: ({user_id}) => ({user_id, nickname: "ann", sex: "unknown", age: 0}),
  }

  const answer = (action: string, params: Json): Json => {
    asked.push({action, params})
    const given = answers.get(action)
    if (given !== undefined) return given
    const act = actions[action]
    if (act === undefined) return {status: "failed", retcode: 1404, data: null}
    const data = act(params)
    return data === undefined ? {status: "failed", retcode: 200, data: null} : {status: "ok", retcode: 0, data}
  }

  /** The status of a refusal: 401 without a token, 403 with a wrong one (OneBot v11, "communication/authorization"). */
  const refusal = (header: string | null): number | undefined =>
    header === `Bearer ${token}` ? undefined : header === null ? 401 : 403

  const serveHttp = async (request: Request): Promise<Response> => {
    const status = refusal(request.headers.get("authorization"))
    const action = new URL(request.url).pathname.slice(1)
    if (status !== undefined) return new Response("", {status})
    if (actions[action] === undefined) return new Response("", {status: 404})
    return Response.json(answer(action, JSON.parse((await request.text()) || "{}")))
  }
  const served = new Map<string, Peer>()
  const join = (peer: Peer) => {
    peers.add(peer)
    const meta = {post_type: "meta_event", meta_event_type: "lifecycle", sub_type: "connect"}
    if (peer.role !== "API") peer.send(JSON.stringify({time: now(), self_id: self, ...meta}))
  }
  const hear = (peer: Peer, text: string) => {
    const {action, params = {}, echo} = JSON.parse(text)
    if (peer.role !== "Event") peer.send(JSON.stringify({...answer(String(action), params), echo}))
  }
  let stopReverse = () => {}
  const reverse = (hook: string, {roles = ["Universal"], headers = {}}: ReverseOptions = {}) => {
    stopReverse()
    const stopped = new AbortController()
    stopReverse = () => stopped.abort()
    for (const role of roles) {
      const usual = {"x-self-id": String(self), "x-client-role": role, authorization: `Bearer ${token}`}
      connectAgain(hook, role, {...usual, ...headers}, stopped.signal)
    }
  }
  const connectAgain = (hook: string, role: Role, headers: Record<string, string>, stopped: AbortSignal) => {
    const socket = socketWith(hook.replace(/^http/, "ws"), headers)
    const peer: Peer = {role, send: text => socket.send(text), terminate: () => socket.close()}
    const end = () => socket.close()
    stopped.addEventListener("abort", end, {once: true})
    socket.addEventListener("open", () => join(peer))
    socket.addEventListener("message", ({data}) => hear(peer, String(data)))
    let hasEnded = false
    const again = () => {
      if (hasEnded) return
      hasEnded = true
      peers.delete(peer)
      stopped.removeEventListener("abort", end)
      setTimeout(() => stopped.aborted || connectAgain(hook, role, headers, stopped), 100)
    }
    // Node 22 reports a refused upgrade only as an error.
    socket.addEventListener("error", again)
    socket.addEventListener("close", again)
  }
  whenOver(() => stopReverse())
  const url = await serveSockets(whenOver, serveHttp, {
    upgrade: request => {
      const status = refusal(request.headers.get("authorization"))
      return status === undefined ? {context: {}} : new Response("", {status})
    },
    open: peer => {
      const known: Peer = {role: "Universal", send: text => void peer.send(text), terminate: () => peer.terminate()}
      served.set(peer.id, known)
      join(known)
    },
    message: (peer, message) => {
      const known = served.get(peer.id)
      if (known !== undefined) hear(known, message.text())
    },
    close: peer => {
      const known = served.get(peer.id)
      served.delete(peer.id)
      if (known !== undefined) peers.delete(known)
    },
  })
  const hearing = () => [...peers].filter(({role}) => role !== "API")
  const send = (text: string) => {
    for (const peer of hearing()) peer.send(text)
  }
  return {
    url,
    wsUrl: url.replace(/^http/, "ws"),
    report: event => {
      const told = {time: now(), self_id: self, ...event}
      if ((told as Json).post_type === "message") said.push(told)
      send(JSON.stringify(told))
      return hearing().length
    },
    send,
    sent: () => [...messages.values()],
    asked,
    answers,
    connections: () => peers.size,
    cut: () => {
      for (const peer of peers) peer.terminate()
    },
    reverse,
  }
}

const now = () => Math.floor(Date.now() / 1000)

/** Posts an event to a Host, signed according to the standard ("communication/http-post"). */
export const postEvent = (hook: string, event: Json, secret = postSecret): Promise<Response> => {
  const body = JSON.stringify({time: now(), self_id: firstBot, ...event})
  const signature = `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`
  const headers = {"content-type": "application/json", "x-self-id": String(firstBot), "x-signature": signature}
  return fetch(hook, {method: "POST", headers, body})
}

export const groupMessage = (message: unknown, message_id: number, user_id = 42): Json => ({
  post_type: "message",
  message_type: "group",
  sub_type: "normal",
  message_id,
  group_id: group,
  user_id,
  anonymous: null,
  message,
  raw_message: typeof message === "string" ? message : "",
  font: 0,
  sender: {user_id, nickname: "ann", card: "Ann of the group", role: "member"},
})
