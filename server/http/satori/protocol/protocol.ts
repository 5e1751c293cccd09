import {isObject, toJson, tryParseJson} from "../../../../shared/json.ts"
import type {User} from "../../../../shared/sdk/content/satori.ts"

/** The `op` of a signal (Satori v1, events). */
export const opcode = {event: 0, ping: 1, pong: 2, identify: 3, ready: 4, meta: 5} as const

/** Why the Host closes a connection. The protocol's reference server also uses 4000 and 4004. */
export const closing = {
  invalid: {code: 4000, reason: "this is not a Satori signal"},
  forbidden: {code: 4003, reason: "this needs the full token, not a demo token"},
  unauthorized: {code: 4004, reason: "the token is wrong"},
  unidentified: {code: 4008, reason: "no IDENTIFY arrived in time"},
  silent: {code: 4009, reason: "no PING arrived in time"},
  failed: {code: 1011, reason: "could not read the inbox; resume by sn"},
  slow: {code: 1013, reason: "the client is too slow; resume by sn"},
} as const

export type Closing = keyof typeof closing

/** The `status` of a login. */
export const loginStatus = {offline: 0, online: 1, connecting: 2, disconnecting: 3, reconnecting: 4} as const

/** A signal that a client may send. A signal of a later version is `other`. */
export type Signal =
  | {readonly is: "ping"}
  | {readonly is: "identify"; readonly token: string | undefined; readonly sn: number | undefined}
  | {readonly is: "other"}

/** Parses one message of a client. Returns undefined if it is not a signal. */
export const readSignal = (text: string): Signal | undefined => {
  const signal = parseObject(text)
  if (signal === undefined || typeof signal.op !== "number") return undefined
  if (signal.op === opcode.ping) return {is: "ping"}
  if (signal.op !== opcode.identify) return {is: "other"}
  const body = isObject(signal.body) ? signal.body : {}
  const token = body.token ?? undefined
  const sn = body.sn ?? undefined
  if (token !== undefined && typeof token !== "string") return undefined
  if (sn !== undefined && (typeof sn !== "number" || !Number.isSafeInteger(sn) || sn < 0)) return undefined
  return {is: "identify", token, sn}
}

const parseObject = (text: string): Record<string, unknown> | undefined => {
  const value = tryParseJson(text)
  return isObject(value) ? value : undefined
}

/** An endpoint as a Satori client sees it: `platform` and `user.id` identify it. `sn` is new in each run. */
export interface KnownLogin {
  readonly endpoint: string
  readonly sn: number
  readonly adapter: string
  readonly platform: string
  readonly user: User
  readonly status: number
  readonly features: readonly string[]
  /** Whether the adapter opens files of messages. */
  readonly downloads: boolean
}

/** Returns a complete login. Clients of the first drafts read `self_id`. */
export const showLogin = ({endpoint: _, downloads: __, ...login}: KnownLogin) => ({...login, self_id: login.user.id})

/** Returns the login fields of every event, in the form of the standard and of its first drafts. */
export const loginOfEvent = ({sn, platform, user}: KnownLogin) => ({
  login: {sn, platform, user},
  self_id: user.id,
  platform,
})

export const signal = (op: number, body: unknown): string => toJson({op, body})

export type LoginChange = {readonly type: "login-added" | "login-updated" | "login-removed"; readonly login: KnownLogin}

/**
 * Returns a login change as an event. Changes are not resumed, but clients keep the `sn` of the last event of any kind.
 * A change therefore carries the client's current `sn`.
 */
export const showLoginChange = ({type, login}: LoginChange, sn: number): string =>
  signal(opcode.event, {
    sn,
    id: sn,
    type,
    timestamp: Date.now(),
    login: showLogin(login),
    self_id: login.user.id,
    platform: login.platform,
  })
