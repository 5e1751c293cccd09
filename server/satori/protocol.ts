import {fromJson, toJson} from "../../shared/json.ts"
import type {User} from "../../shared/sdk/satori.ts"

/** Satori v1, events: the `op` of a signal. */
export const opcode = {event: 0, ping: 1, pong: 2, identify: 3, ready: 4, meta: 5} as const

/** Why the Host closes a connection. 4000 and 4004 are those of the protocol's reference server. */
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

/** `status` of a login. */
export const loginStatus = {offline: 0, online: 1, connecting: 2, disconnecting: 3, reconnecting: 4} as const

/** What a client may say. A signal of a later version is `other`. */
export type Signal =
  | {readonly is: "ping"}
  | {readonly is: "identify"; readonly token: string | undefined; readonly sn: number | undefined}
  | {readonly is: "other"}

/** Reads one message of a client; undefined where it is no signal. */
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = fromJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** An endpoint as a Satori client knows it: by `platform` and `user.id`. `sn` is new in each run of the Host. */
export interface KnownLogin {
  readonly endpoint: string
  readonly sn: number
  readonly adapter: string
  readonly platform: string
  readonly user: User
  readonly status: number
  readonly features: readonly string[]
  /** Its adapter opens files of messages. */
  readonly downloads: boolean
}

/** A whole login; `self_id` is what clients of the first drafts read. */
export const showLogin = ({endpoint: _, downloads: __, ...login}: KnownLogin) => ({...login, self_id: login.user.id})

/** What every event says of its login, in the words of the standard and of its first drafts. */
export const loginOfEvent = ({sn, platform, user}: KnownLogin) => ({
  login: {sn, platform, user},
  self_id: user.id,
  platform,
})

export const signal = (op: number, body: unknown): string => toJson({op, body})

export type LoginChange = {
  readonly type: "login-added" | "login-updated" | "login-removed"
  readonly login: KnownLogin
}

/**
 * A change of a login, as an event. It takes no part in resuming, but clients keep the `sn` of whatever came last: it
 * carries the one that the client has.
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
