import {randomBytes} from "node:crypto"
import {type AdapterFinding, type CheckTools, isRefusal} from "../../../shared/sdk/sdk.ts"
import {findUploads} from "./files.ts"
import type {AccountSettings, RoomSettings} from "./stream/account.ts"
import {discover} from "./stream/discover.ts"
import {StanzaFailure} from "./stream/failures.ts"
import {bare} from "./stream/jid.ts"
import {ns} from "./stream/names.ts"
import {Session} from "./stream/session.ts"

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Logs in under a separate resource, without a presence, so that no user sees it and an open connection stays. Asks
 * rooms from outside, without entering them.
 */
export const check = async (account: AccountSettings, tools: CheckTools): Promise<readonly AdapterFinding[]> => {
  const login = await logIn(account, tools)
  if (!(login instanceof Session)) return [login]
  try {
    const rooms: AdapterFinding[] = []
    for (const room of account.rooms ?? []) rooms.push(...(await checkRoom(login, room, tools.signal)))
    return [
      {
        what: "credentials",
        ok: true,
        detail: `logged in as ${login.own}${account.tls === false ? ", without TLS" : ""}`,
      },
      await checkArchive(login, tools.signal),
      await checkUploads(login, tools.signal),
      ...rooms,
    ]
  } finally {
    await login.close()
  }
}

/** Throws if the server cannot be reached. */
const logIn = async (account: AccountSettings, {load, signal}: CheckTools): Promise<Session | AdapterFinding> => {
  const resource = `check-${randomBytes(4).toString("hex")}`
  try {
    return await Session.login(account, {load, signal, resource})
  } catch (error) {
    if (!isRefusal(error) || error.reason !== "credentials") throw error
    return {what: "credentials", ok: false, detail: error.message, remediation: error.remediation}
  }
}

const checkArchive = async (session: Session, signal: AbortSignal): Promise<AdapterFinding> => {
  const what = "archive of direct chats"
  const {features} = await discover(session, session.own, signal)
  if (features.has(ns.mam)) return {what, ok: true}
  const remediation =
    "Turn on message archives (XEP-0313) on the server; otherwise messages sent while the bot is offline are lost."
  return {what, ok: false, detail: "the server keeps none", remediation}
}

const checkUploads = async (session: Session, signal: AbortSignal): Promise<AdapterFinding> => {
  const what = "file upload"
  const service = await findUploads(session, signal)
  if (service === undefined)
    return {what, ok: false, detail: "the server has no service", remediation: "Turn on HTTP File Upload (XEP-0363)."}
  const limit = service.limit === undefined ? "" : `, up to ${service.limit} bytes`
  return {what, ok: true, detail: `${service.jid}${limit}`}
}

const checkRoom = async (
  session: Session,
  {jid, password}: RoomSettings,
  signal: AbortSignal,
): Promise<readonly AdapterFinding[]> => {
  const room = bare(jid)
  const what = `room ${room}`
  try {
    const {features} = await discover(session, room, signal)
    if (!features.has(ns.muc))
      return [{what, ok: false, detail: "it is not a room", remediation: "Correct the room's jid."}]
    const isLocked = features.has("muc_passwordprotected") && password === undefined
    const isForMembers = features.has("muc_membersonly")
    return [
      isLocked
        ? {what, ok: false, detail: "it has a password", remediation: "Set the room's password, as ${NAME}."}
        : {what, ok: true, detail: isForMembers ? "members only: the account must be a member" : "open"},
      {
        what: `archive of ${room}`,
        ok: features.has(ns.mam),
        remediation: "Turn on the room's archive; otherwise messages sent there while the bot is offline are lost.",
      },
    ]
  } catch (error) {
    if (!(error instanceof StanzaFailure)) throw error
    const isNew = error.condition === "item-not-found"
    const detail = isNew ? "it does not exist or is hidden; the bot creates it when it enters" : reasonOf(error)
    const remediation = "Correct the room's jid, or ask the operators of its server."
    return [isNew ? {what, ok: true, detail} : {what, ok: false, detail, remediation}]
  }
}
