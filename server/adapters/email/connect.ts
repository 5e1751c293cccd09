import type {ImapFlow} from "imapflow"
import {
  channelType,
  type DatedIncoming,
  type Endpoint,
  isProblem,
  refused,
  type Sender,
} from "../../../shared/sdk/sdk.ts"
import type {MailParser} from "./content/letters.ts"
import {Follower} from "./follow.ts"
import type {AccountSettings} from "./mailbox/account.ts"
import {againSince, type Cursor, firstCursor, movedCursor, parseCursor} from "./mailbox/cursor.ts"
import {createDownload} from "./mailbox/download.ts"
import {normalAddress} from "./mailbox/ids.ts"
import {createClient, type ImapLibrary, logIn, openFolder, saidBy} from "./mailbox/mailbox.ts"
import {createVisits} from "./mailbox/visits.ts"
import {AnswerLimit} from "./send/answer-limit.ts"
import {createSend} from "./send/send.ts"
import {createTransport, explainSend, type SmtpLibrary} from "./send/smtp.ts"
import {Threads} from "./send/threads.ts"

/**
 * Logs in at both servers, and reads the folder from its cursor on. Throws a refusal if a server rejects the login
 * permanently.
 */
export const connect = async (account: AccountSettings, endpoint: Endpoint<DatedIncoming>): Promise<Sender> => {
  const imap = await endpoint.load<ImapLibrary>("imapflow")
  const parser = await endpoint.load<MailParser>("mailparser")
  const transport = createTransport(await endpoint.load<SmtpLibrary>("nodemailer"), account)
  const client = createClient(imap, account)
  endpoint.defer(() => client.close())
  client.on("error", error => endpoint.lost(error))
  client.on("close", () => endpoint.lost(new Error(`${account.imap.host} closed the connection`)))
  await logIn(client, account)
  await verifySending(transport, account)
  const cursor = await openAt(client, account, endpoint)
  const visits = createVisits(imap, account, endpoint.signal)
  const threads = new Threads(account, parser, visits)
  const own = account.address.toLowerCase()
  endpoint.login({platform: "email", user: {id: own, name: account.name ?? own, is_bot: true}, status: 1})
  const follower = new Follower({client, parser, account, endpoint, threads, log: endpoint.log}, cursor)
  follower.run().catch(error => tellEnd(error, endpoint))
  return {
    send: createSend({account, endpoint, transport, threads, limit: new AnswerLimit(account)}),
    download: createDownload(account, visits),
    open: async user => ({id: requireAddress(user), type: channelType.direct}),
  }
}

const verifySending = async (
  transport: ReturnType<typeof createTransport>,
  account: AccountSettings,
): Promise<void> => {
  await transport.verify().catch(error => {
    const failure = explainSend(error, account)
    throw failure.is === "account" ? failure.error : new Error(`${account.smtp.host}: ${failure.error.message}`)
  })
}

/** Opens the folder. Resolves to the cursor at which reading continues. */
const openAt = async (
  client: ImapFlow,
  account: AccountSettings,
  {cursor, log}: Endpoint<DatedIncoming>,
): Promise<Cursor> => {
  const {folder = "INBOX", moveTo} = account
  if (moveTo !== undefined)
    await client
      .mailboxCreate(moveTo)
      .catch(error => log.warn(`could not create the folder ${moveTo}: ${saidBy(error)}`))
  const state = await openFolder(client, folder)
  const known = parseCursor(cursor)
  if (known === undefined) return firstCursor(state, Date.now())
  if (known.validity === String(state.uidValidity)) return known
  log.warn(`the server has renumbered the folder ${folder}; reading its newest mails again`)
  const found = await client.search({since: againSince(known)}, {uid: true})
  return movedCursor(known, state, Array.isArray(found) ? found : [])
}

const tellEnd = (error: Error, endpoint: Endpoint<DatedIncoming>): void => {
  const isClosing = endpoint.signal.aborted || isProblem(error, "admission_closed")
  if (!isClosing) endpoint.lost(error)
}

const requireAddress = (user: string): string => {
  const address = normalAddress(user)
  if (address !== undefined) return address
  throw refused("this is not an email address", {reason: "target_invalid", remediation: "Send to name@example.org."})
}
