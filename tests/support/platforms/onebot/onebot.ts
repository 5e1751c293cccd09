import {createHmac} from "node:crypto"
import {loadRuntime} from "../../../../server/runtime/load-runtime.ts"
import type {Peer} from "../../../../server/runtime/runtime.ts"
import {whenOver} from "../../host/shared.ts"

type Json = Readonly<Record<string, unknown>>

/** A message of the bot, as the group shows it. */
export interface Sent {
  readonly id: number
  readonly params: Json
  readonly at: number
}

export interface OneBotFake {
  readonly url: string
  readonly wsUrl: string
  /** Reports an event to each connection, with `time` and `self_id`; resolves to how many there were. */
  report(event: Json): number
  /** Sends a text as it is to each connection. */
  send(text: string): void
  /** The bot's messages that were not recalled, oldest first. */
  sent(): readonly Sent[]
  /** What was asked, oldest first. */
  readonly asked: {readonly action: string; readonly params: Json}[]
  /** What an action is answered with in place of its usual answer. */
  readonly answers: Map<string, Json>
  connections(): number
  cut(): void
}

export const self = 10001000
export const token = "the-access-token"
export const postSecret = "the-post-secret"

/** The group that the bot is in, and its members. */
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
 * A stand-in for an implementation of OneBot v11, a fake of the tests, written from the public documentation of the standard
 * (https://github.com/botuniverse/onebot-11).
 *
 * It serves actions over HTTP and over a WebSocket, which also reports events, and checks the access token in the header. It leaves out
 * authentication by the query, separate sockets of actions and events, and all that QQ does itself. Segments `file` are an extension
 * that NapCat and others have.
 */
export const startOneBot = async (): Promise<OneBotFake> => {
  const peers = new Set<Peer>()
  const messages = new Map<number, Sent>()
  const asked: {action: string; params: Json}[] = []
  const answers = new Map<string, Json>()
  let next = 1

  const actions: Record<string, (params: Json) => unknown> = {
    get_login_info: () => ({user_id: self, nickname: "bot"}),
    get_status: () => ({online: true, good: true}),
    get_version_info: () => ({app_name: "stand-in", app_version: "1.0.0", protocol_version: "v11"}),
    send_msg: params => {
      const id = next++
      messages.set(id, {id, params, at: Date.now()})
      return {message_id: id}
    },
    get_msg: ({message_id}) => messages.get(Number(message_id)),
    delete_msg: ({message_id}) => (messages.delete(Number(message_id)) ? null : undefined),
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

  /** The status of a request that may not: 401 without a token, 403 with another one (OneBot v11, "communication/authorization"). */
  const refusal = (header: string | null): number | undefined =>
    header === `Bearer ${token}` ? undefined : header === null ? 401 : 403

  const serveHttp = async (request: Request): Promise<Response> => {
    const status = refusal(request.headers.get("authorization"))
    const action = new URL(request.url).pathname.slice(1)
    if (status !== undefined) return new Response("", {status})
    if (actions[action] === undefined) return new Response("", {status: 404})
    return Response.json(answer(action, JSON.parse((await request.text()) || "{}")))
  }
  const runtime = await loadRuntime()
  const listener = await runtime.serve({
    host: "127.0.0.1",
    port: 0,
    fixed: {},
    connections: 1000,
    refuse: ({status, message}) => ({status, headers: {}, body: message}),
    fetch: serveHttp,
    socket: {
      upgrade: request => {
        const status = refusal(request.headers.get("authorization"))
        return status === undefined ? {context: {}} : new Response("", {status})
      },
      open: peer => {
        peers.add(peer)
        const meta = {post_type: "meta_event", meta_event_type: "lifecycle", sub_type: "connect"}
        peer.send(JSON.stringify({time: now(), self_id: self, ...meta}))
      },
      message: (peer, message) => {
        const {action, params = {}, echo} = JSON.parse(message.text())
        peer.send(JSON.stringify({...answer(String(action), params), echo}))
      },
      close: peer => void peers.delete(peer),
    },
  })
  whenOver(() => listener.close(true))
  const url = `http://127.0.0.1:${listener.port}`
  const send = (text: string) => {
    for (const peer of peers) peer.send(text)
  }
  return {
    url,
    wsUrl: url.replace(/^http/, "ws"),
    report: event => {
      send(JSON.stringify({time: now(), self_id: self, ...event}))
      return peers.size
    },
    send,
    sent: () => [...messages.values()],
    asked,
    answers,
    connections: () => peers.size,
    cut: () => {
      for (const peer of peers) peer.terminate()
    },
  }
}

const now = () => Math.floor(Date.now() / 1000)

/** Posts an event to a Host, signed as the standard says ("communication/http-post"). */
export const postEvent = (hook: string, event: Json, secret = postSecret): Promise<Response> => {
  const body = JSON.stringify({time: now(), self_id: self, ...event})
  const signature = `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`
  const headers = {"content-type": "application/json", "x-self-id": String(self), "x-signature": signature}
  return fetch(hook, {method: "POST", headers, body})
}

/** A message of a member of the group. */
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
