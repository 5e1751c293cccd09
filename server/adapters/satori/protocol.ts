import {tryParseJson} from "../../../shared/sdk/sdk.ts"
import {type Fields, fieldsOf, listOf, numberIn, textIn} from "./fields.ts"

/** Satori v1, events: the `op` of each signal (https://satori.chat). */
export const opcode = {event: 0, ping: 1, pong: 2, identify: 3, ready: 4, meta: 5} as const

export const loginStatus = {offline: 0, online: 1} as const

/** A login, as the server reports it. */
export interface ServerLogin {
  readonly sn: number | undefined
  readonly platform: string
  readonly user: {readonly id: string; readonly name?: string; readonly avatar?: string}
  readonly status: number
  /** Empty if the server lists none. */
  readonly features: readonly string[]
}

/** A signal of the server. */
export type Signal =
  | {readonly is: "event"; readonly event: Fields}
  | {readonly is: "pong"}
  | {readonly is: "ready"; readonly logins: readonly ServerLogin[]; readonly proxies: readonly string[]}
  | {readonly is: "meta"; readonly proxies: readonly string[]}

/** Reads one message of a server; undefined for an unknown signal. */
export const readSignal = (text: string): Signal | undefined => {
  const {op, body: said} = fieldsOf(tryParseJson(text))
  const body = fieldsOf(said)
  if (op === opcode.event) return {is: "event", event: body}
  if (op === opcode.pong) return {is: "pong"}
  const proxies = listOf(body.proxy_urls).filter((each): each is string => typeof each === "string" && each !== "")
  if (op === opcode.meta) return {is: "meta", proxies}
  if (op !== opcode.ready) return undefined
  return {is: "ready", logins: readLogins(body.logins), proxies}
}

/** Returns the logins, without those whose user is not known yet. */
export const readLogins = (value: unknown): readonly ServerLogin[] =>
  listOf(value).flatMap(each => {
    const login = readLogin(fieldsOf(each))
    return login === undefined ? [] : [login]
  })

/** Reads a login. `self_id` is the name in the first drafts. */
export const readLogin = (fields: Fields): ServerLogin | undefined => {
  const user = fieldsOf(fields.user)
  const platform = textIn(fields, "platform")
  const id = textIn(user, "id") ?? textIn(fields, "self_id")
  if (platform === undefined || id === undefined) return undefined
  const name = textIn(user, "name") ?? textIn(user, "nick")
  const avatar = textIn(user, "avatar")
  return {
    sn: numberIn(fields, "sn"),
    platform,
    user: {id, ...(name === undefined ? {} : {name}), ...(avatar === undefined ? {} : {avatar})},
    status: numberIn(fields, "status") ?? loginStatus.online,
    features: listOf(fields.features).filter(each => typeof each === "string"),
  }
}

/** Returns the event's number. The first drafts call it `id`. */
export const snOf = (event: Fields): number | undefined => {
  const sn = numberIn(event, "sn") ?? numberIn(event, "id")
  return sn !== undefined && Number.isSafeInteger(sn) && sn >= 0 ? sn : undefined
}

/** Whether the event belongs to this login. An event that names no login belongs to all. */
export const isOf = (event: Fields, login: ServerLogin): boolean => {
  const named = fieldsOf(event.login)
  const platform = textIn(named, "platform") ?? textIn(event, "platform")
  const user = textIn(fieldsOf(named.user), "id") ?? textIn(named, "self_id") ?? textIn(event, "self_id")
  if (platform === undefined && user === undefined) {
    const sn = numberIn(named, "sn")
    return sn === undefined || login.sn === undefined || sn === login.sn
  }
  return (platform ?? login.platform) === login.platform && (user ?? login.user.id) === login.user.id
}
