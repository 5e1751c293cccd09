import {createHash} from "node:crypto"
import type {User} from "../../../../shared/sdk/sdk.ts"
import {isSnowflake, numberIn, type Payload, payloadOf, textIn} from "../api/payload.ts"
import {userOf} from "../content/user.ts"

/** A session of the gateway. While Discord keeps it, a new connection can resume after its last event. */
export interface Session {
  readonly id: string
  /** The sequence of the last event that is stored, or that need not be stored. */
  readonly sequence: number
  /** The address for resuming it. */
  readonly url: string
  /** When it started, in milliseconds since 1970. */
  readonly since: number
  readonly user: User
  readonly application: string
  /** Identifies the token and the intents of the session: another account cannot resume it. */
  readonly account: string
}

export const accountKey = (token: string, intents: number): string =>
  createHash("sha256").update(`${intents} ${token}`).digest("hex").slice(0, 16)

/** Accepts a gateway's address: without credentials, and with TLS except for a test on this machine. */
export const isGateway = (url: string | undefined): url is string =>
  url !== undefined && (/^wss:\/\/[^/@\s?#]+\/?$/.test(url) || /^ws:\/\/(127\.0\.0\.1|localhost)(:\d+)?\/?$/.test(url))

/** Reads a new session from READY; undefined if it is incomplete. */
export const readReady = (ready: Payload, sequence: number, account: string, now: number): Session | undefined => {
  const id = textIn(ready, "session_id")
  const url = textIn(ready, "resume_gateway_url")
  const user = userOf(payloadOf(ready.user))
  const application = payloadOf(ready.application).id
  if (id === undefined || user === undefined || !isSnowflake(application) || !isGateway(url)) return undefined
  return {id, sequence, url, since: now, user, application, account}
}

export const toCursor = (session: Session): string => JSON.stringify(session)

/** Reads the session of a cursor; undefined if it has none of this account. */
export const readCursor = (cursor: string | undefined, account: string): Session | undefined => {
  const session = payloadOf(parse(cursor ?? ""))
  const [id, url] = [textIn(session, "id"), textIn(session, "url")]
  const [sequence, since] = [numberIn(session, "sequence"), numberIn(session, "since")]
  const user = payloadOf(session.user)
  const {application} = session
  if (session.account !== account || id === undefined || sequence === undefined || since === undefined) return undefined
  if (!isGateway(url) || !isSnowflake(application) || !isSnowflake(user.id)) return undefined
  return {id, sequence, url, since, user: {...user, id: user.id}, application, account}
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
