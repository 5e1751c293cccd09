import type {SentMessageInfo, Transporter} from "nodemailer"
import {type Refusal, refused} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "../mailbox/account.ts"
import {passwordHint, portOf} from "../mailbox/mailbox.ts"

/** The SMTP library, as loaded. */
export type SmtpLibrary = Pick<typeof import("nodemailer"), "createTransport">

/** In milliseconds. Together, they are shorter than the Host's time for an attempt. */
const limits = {connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 25_000} as const

/**
 * Opens a new connection for each mail. A kept connection may have been closed, and a mail written to it may still have
 * arrived.
 */
export const createTransport = (
  {createTransport}: SmtpLibrary,
  {smtp}: AccountSettings,
): Transporter<SentMessageInfo> => {
  const login = smtp.user === undefined ? undefined : {user: smtp.user, pass: smtp.password?.reveal() ?? ""}
  return createTransport({
    host: smtp.host,
    port: portOf("smtp", smtp),
    secure: (smtp.tls ?? "tls") === "tls",
    requireTLS: smtp.tls === "starttls",
    ignoreTLS: smtp.tls === "none",
    tls: {rejectUnauthorized: smtp.verify ?? true},
    ...(login === undefined ? {} : {auth: login, forceAuth: true}),
    logger: false,
    ...limits,
  } as Parameters<typeof createTransport>[0])
}

interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
  readonly response?: string
}

/** Why a mail was not sent, and what to do. */
export type Failure =
  | {readonly is: "account"; readonly error: Refusal}
  | {readonly is: "refused"; readonly error: Refusal}
  | {readonly is: "later"; readonly error: Error; readonly wait: number}
  | {readonly is: "failed"; readonly error: Error}

export const explainSend = (error: unknown, account: AccountSettings): Failure => {
  const failure = (error instanceof Error ? error : new Error(String(error))) as SmtpError
  const {code, responseCode = 0} = failure
  const said = failure.response ?? failure.message
  if (isLoginRefused(failure)) return {is: "account", error: loginRefused(account, said)}
  if (isTooLarge(failure)) {
    const why = {reason: "too_large", remediation: "Send a link or smaller files.", cause: error}
    return {is: "refused", error: refused(`the mail is too large for the server: ${said}`, why)}
  }
  // Without a login, a server answers 530 to any mail.
  if (responseCode >= 500 && code !== "EAUTH") return {is: "refused", error: mailRefused(failure, said)}
  if (responseCode >= 400 && responseCode < 500) return {is: "later", error: new Error(said), wait: waitIn(said)}
  return {is: "failed", error: new Error(said, {cause: error})}
}

const isLoginRefused = ({code, responseCode = 0}: SmtpError): boolean =>
  (code === "EAUTH" && (responseCode === 0 || responseCode >= 500)) || code === "ENOAUTH" || responseCode === 530

/** RFC 1870 and RFC 3463. */
const isTooLarge = ({code, responseCode, response = "", message}: SmtpError): boolean =>
  (code === "EMESSAGE" && /size/i.test(message)) ||
  (responseCode === 552 && !/quota|full/i.test(response)) ||
  /\b5\.3\.4\b/.test(response)

const loginRefused = ({smtp}: AccountSettings, said: string): Refusal =>
  refused(`${smtp.host} refused the login${smtp.user === undefined ? "" : ` of ${smtp.user}`}: ${said}`, {
    reason: "credentials",
    remediation:
      smtp.user === undefined
        ? "Set smtp.user and smtp.password in the account."
        : `Correct smtp.user and the variable that smtp.password names. ${passwordHint(smtp.host)}`,
  })

const mailRefused = ({command, responseCode}: SmtpError, said: string): Refusal => {
  if (command?.startsWith("RCPT") === true)
    return refused(`the server refused the recipient: ${said}`, {
      reason: "recipient_refused",
      remediation: "Send to an address that exists and that the server relays to.",
    })
  if (command?.startsWith("MAIL") === true)
    return refused(`the server refused the sender: ${said}`, {
      reason: "sender_refused",
      remediation: "Set address to one from which the login may send.",
    })
  return refused(`the server refused the mail: ${said}`, {
    reason: "rejected",
    remediation: `Look up what ${responseCode} means for this server, or ask its operators.`,
  })
}

/** The wait if a server postpones a mail without naming a time, in milliseconds. Greylisting takes minutes. */
const usualWait = 60_000

const units: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000}

/**
 * Returns the wait that a server asks for in its answer, in milliseconds: "in 300 seconds", "in 5 minutes", "in
 * 00:04:59".
 */
export const waitIn = (said: string): number => {
  const [, hours, minutes, seconds] = /\b(?:in|after) (\d{1,2}):(\d{2}):(\d{2})\b/.exec(said) ?? []
  if (hours !== undefined) return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  const [, count, unit = ""] =
    /\b(?:in|after|for) (\d{1,5}) ?(s|m|h)(?:ec(?:ond)?s?|in(?:ute)?s?|ours?)?\b/i.exec(said) ?? []
  return count === undefined ? usualWait : Number(count) * (units[unit.toLowerCase()] ?? 1000)
}
