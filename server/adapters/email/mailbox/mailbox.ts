import {isIP} from "node:net"
import type {ImapFlow, MailboxObject} from "imapflow"
import {refused} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"

/** The IMAP library, as loaded. */
export type ImapLibrary = typeof import("imapflow")

/**
 * In milliseconds. A server that does not answer a command within `socketTimeout` is offline; each check for new mail
 * is a command.
 */
const limits = {connectionTimeout: 20_000, greetingTimeout: 15_000, socketTimeout: 90_000} as const

/** In bytes. The structure of a mail may be long; texts arrive in pieces. */
const longestAnswer = 16 * 1024 * 1024

const plainPorts = {imap: 143, smtp: 587} as const
const tlsPorts = {imap: 993, smtp: 465} as const

/** Returns the entry's port, or the default one. */
export const portOf = (kind: "imap" | "smtp", {port, tls = "tls"}: AccountSettings["imap" | "smtp"]): number => {
  if (port !== undefined) return port
  if (kind === "smtp" && tls === "none") return 25
  return tls === "tls" ? tlsPorts[kind] : plainPorts[kind]
}

/** Creates a client. The caller closes it, even if the login fails. */
export const createClient = ({ImapFlow}: ImapLibrary, {imap}: AccountSettings): ImapFlow =>
  new ImapFlow({
    host: imap.host,
    port: portOf("imap", imap),
    secure: (imap.tls ?? "tls") === "tls",
    doSTARTTLS: imap.tls === "starttls" ? true : imap.tls === "none" ? false : undefined,
    auth: {user: imap.user, pass: imap.password.reveal()},
    // The library sets no name for an IP address, and Bun accepts only text: the certificate is then checked against
    // the host.
    tls: {rejectUnauthorized: imap.verify ?? true, ...(isIP(imap.host) === 0 ? {} : {servername: ""})},
    // The library's log shows the content of mail.
    logger: false,
    disableAutoIdle: true,
    maxLiteralSize: longestAnswer,
    maxLineLength: longestAnswer,
    maxResponseSize: longestAnswer * 2,
    ...limits,
  })

export const logIn = async (client: ImapFlow, account: AccountSettings): Promise<void> => {
  await client.connect().catch(error => {
    throw explainLogin(error, account)
  })
}

export const openFolder = async (
  client: ImapFlow,
  folder: string,
  options: {readonly readOnly?: boolean} = {},
): Promise<MailboxObject> =>
  client.mailboxOpen(folder, options).catch(error => {
    throw explainFolder(error, folder)
  })

interface ImapError extends Error {
  readonly responseStatus?: string
  readonly responseText?: string
  readonly serverResponseCode?: string
  readonly authenticationFailed?: boolean
}

/** Whether the server might accept the same login, or open the same folder, at another time (RFC 5530). */
const isPassing = ({serverResponseCode = "", responseText = ""}: ImapError): boolean =>
  /^(UNAVAILABLE|INUSE|LIMIT|SERVERBUG|OVERQUOTA)$/i.test(serverResponseCode) ||
  /too many|try again|temporar|unavailable|rate limit/i.test(responseText)

/** Returns the server's words, otherwise the library's. */
export const saidBy = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const {responseText, message} = error as ImapError
  return responseText ?? message
}

const explainLogin = (error: ImapError, {imap}: AccountSettings): Error => {
  if (error.authenticationFailed !== true || error.responseStatus !== "NO" || isPassing(error))
    return new Error(`${imap.host}: ${saidBy(error)}`, {cause: error})
  return refused(`${imap.host} refused the login of ${imap.user}: ${saidBy(error)}`, {
    reason: "credentials",
    remediation: `Correct imap.user and the variable that imap.password names. ${passwordHint(imap.host)}`,
    cause: error,
  })
}

const explainFolder = (error: ImapError, folder: string): Error =>
  error.responseStatus !== "NO" || isPassing(error)
    ? error
    : refused(`could not open the folder ${folder}: ${saidBy(error)}`, {
        // RFC 5530 has a code for it, which Dovecot 2.3 does not send.
        passing: !/\bNONEXISTENT\b|\bexist\b|\bno such\b/i.test(`${error.serverResponseCode} ${saidBy(error)}`),
        reason: "folder_unknown",
        remediation: "Correct the folder in the configuration, or create it in the mailbox.",
        cause: error,
      })

const appPasswords: readonly (readonly [RegExp, string])[] = [
  [
    /(gmail|google(mail)?)\.com$/,
    "Google accepts only app passwords: turn on 2-Step Verification, then create one at https://myaccount.google.com/apppasswords.",
  ],
  [
    /(outlook|office365|hotmail|live)\.com$/,
    "Microsoft no longer accepts passwords for IMAP, and svc has no OAuth for it: use another provider's mailbox.",
  ],
  [/yahoo(dns)?\./, "Yahoo accepts only app passwords: create one under Account security."],
  [
    /(icloud|me|mail\.me)\.com$/,
    "iCloud accepts only app-specific passwords: create one at https://account.apple.com.",
  ],
  [/fastmail\.com$/, "Fastmail accepts only app passwords: create one under Settings, Privacy & Security."],
]

/** Returns the hint about passwords for the server's provider. */
export const passwordHint = (host: string): string =>
  appPasswords.find(([provider]) => provider.test(host.toLowerCase()))?.[1] ??
  "If the login asks for a second factor, use an app password from the provider."
