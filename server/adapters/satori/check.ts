import type {AdapterFinding, CheckTools} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {AnswerError, Api} from "./api.ts"
import {chooseLogin, nameOf} from "./logins.ts"
import {loginStatus, type ServerLogin} from "./protocol.ts"
import {openSocket} from "./socket.ts"

const ignore = {event: () => {}, proxies: () => {}, strange: () => {}, lost: () => {}}

/**
 * Identifies on a separate connection, and asks for the login by HTTP. Throws if the server cannot be reached, or
 * rejects the token.
 */
export const check = async (account: AccountSettings, tools: CheckTools): Promise<readonly AdapterFinding[]> => {
  const undos: (() => void)[] = []
  try {
    const logins = await openSocket(account, {tools, listener: ignore, defer: undo => undos.push(undo)})
    const credentials = {what: "credentials", ok: true, detail: `the server has ${logins.length} logins`}
    return [credentials, ...(await checkLogin(account, logins, tools.signal))]
  } finally {
    for (const undo of undos.reverse()) undo()
  }
}

const checkLogin = async (
  account: AccountSettings,
  logins: readonly ServerLogin[],
  signal: AbortSignal,
): Promise<readonly AdapterFinding[]> => {
  try {
    const login = chooseLogin(logins, account)
    const isOnline = login.status === loginStatus.online
    const found = {what: "login", ok: true, detail: nameOf(login)}
    const online = {
      what: "login is online",
      ok: isOnline,
      detail: `status ${login.status}`,
      ...(isOnline ? {} : {remediation: "See the server's log: there the bot is not connected to its platform."}),
    }
    return [found, online, await checkMethods(new Api(account, login), login, signal)]
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const remediation = "Set platform and user in the account to a login of the server, or connect the bot there."
    return [{what: "login", ok: false, detail, remediation}]
  }
}

/** Calls a method over HTTP, because a gateway may handle HTTP differently from the WebSocket. */
const checkMethods = async (api: Api, {features}: ServerLogin, signal: AbortSignal): Promise<AdapterFinding> => {
  const what = "methods"
  try {
    await api.call("login.get", {}, signal)
    const told = features.length === 0 ? "the server does not list them" : features.join(", ")
    return {what, ok: true, detail: told}
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error
    const remediation = "Let POST <url>/v1/login.get reach the server, and correct url and token in the account."
    return {what, ok: false, detail: error.message, remediation}
  }
}
