import type {Client} from "irc-framework"
import {type Log, refused} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"

/** Every server accepts a nick of this many characters (RFC 1459, section 1.2). */
const safeNick = 9

/** Returns the nicks to try if the wanted one is in use, in order. */
const variantsOf = (nick: string): readonly string[] => {
  const short = nick.slice(0, safeNick - 2)
  return [`${nick}_`, `${nick}__`, `${short}_1`, `${short}_2`]
}

/**
 * Resolves once the server has registered the client. Rejects with the reason if it does not. Call it before `connect`.
 */
export const registration = (client: Client, account: AccountSettings, log: Log): Promise<void> =>
  new Promise((resolve, reject) => {
    watchNick(client, account, log, reject)
    watchLogin(client, account, resolve, reject)
    watchServer(client, account, reject)
  })

type Reject = (error: Error) => void

const watchNick = (client: Client, {nick}: AccountSettings, log: Log, reject: Reject): void => {
  let variants = variantsOf(nick)
  let wanted = nick
  const tryNext = (why: string) => {
    const [next, ...rest] = variants
    if (next === undefined) return reject(new Error(`the nick ${nick} and its variants are in use`))
    log.warn(`the nick ${wanted} ${why}; trying ${next}`)
    wanted = next
    variants = rest
    client.changeNick(next)
  }
  client.on("nick in use", () => tryNext("is in use"))
  client.on("nick invalid", ({reason}: {reason?: string}) => {
    if (wanted !== nick) {
      variants = variants.filter(({length}) => length < wanted.length)
      return tryNext("is too long")
    }
    const why = reason === undefined ? "" : `: ${reason}`
    reject(
      refused(`the server rejected the nick ${nick}${why}`, {
        reason: "nick_invalid",
        remediation: "Choose another nick.",
      }),
    )
  })
}

const watchLogin = (client: Client, account: AccountSettings, resolve: () => void, reject: Reject): void => {
  let loggedIn = false
  client.on("loggedin", () => {
    loggedIn = true
  })
  // The network's services may be offline for a while. The server then offers no SASL, and a later attempt may find it.
  const missing = () => reject(new Error(`${account.server} offers no SASL login at the moment`))
  client.on("sasl failed", ({message, reason}: {message?: string; reason?: string}) => {
    if (account.sasl === undefined) return
    if (reason === "capability_missing") return missing()
    reject(
      refused(`SASL login as ${account.sasl.account} failed: ${message ?? reason ?? "refused"}`, {
        reason: "credentials",
        remediation: "Correct sasl.account and the variable that sasl.password names.",
      }),
    )
  })
  client.on("registered", () => {
    if (account.sasl === undefined || loggedIn) resolve()
    else missing()
  })
}

interface ServerError {
  readonly error?: string
  readonly reason?: string
}

const watchServer = (client: Client, {server, password}: AccountSettings, reject: Reject): void => {
  let said = ""
  const remediation =
    password === undefined
      ? "Set the account's password, as ${NAME}; or ask the server's operators."
      : "Correct the variable that password names."
  client.on("irc error", ({error, reason}: ServerError) => {
    said = reason ?? (error === "password_mismatch" ? "wrong password" : (error ?? ""))
    if (/\bpassword\b|\baccess denied\b/i.test(said))
      reject(refused(`the server refused the login: ${said}`, {reason: "credentials", remediation}))
    else if (error === "banned_from_network")
      reject(
        // Most bans of IRC servers end after minutes or days.
        refused(`the server has banned this account: ${said}`, {
          passing: true,
          reason: "banned",
          remediation: "Ask the network's operators.",
        }),
      )
  })
  client.on("socket error", (error: Error) => {
    said ||= error.message
  })
  client.on("socket close", (error?: Error | boolean) => {
    const why = error instanceof Error ? error.message : said
    reject(new Error(`${server} closed the connection before registration${why === "" ? "" : `: ${why}`}`))
  })
}
