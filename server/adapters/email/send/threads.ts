import type {ImapFlow} from "imapflow"
import {withBoundedHeaders} from "../content/bounded.ts"
import {type Headers, readHeaders} from "../content/headers.ts"
import type {MailParser} from "../content/letters.ts"
import type {AccountSettings} from "../mailbox/account.ts"
import {channelOf, messageIdsOf, type Place, threadOfMail} from "../mailbox/ids.ts"
import {openFolder} from "../mailbox/mailbox.ts"
import type {Visits} from "../mailbox/visits.ts"

/** The newest mail of a thread, for the headers of an answer. */
export interface ThreadEnd {
  readonly messageId: string | undefined
  /** Its ancestors, oldest first. */
  readonly references: readonly string[]
  readonly subject: string
}

/** How many threads are kept in memory, and how many mails of an address are searched. */
const kept = 500
const searched = 100

/**
 * The data that answers need about their threads. It comes from memory, otherwise from the mailbox, so that a restart
 * changes nothing.
 */
export class Threads {
  readonly #account: AccountSettings
  readonly #parser: MailParser
  readonly #visits: Visits
  readonly #ends = new Map<string, ThreadEnd>()

  constructor(account: AccountSettings, parser: MailParser, visits: Visits) {
    this.#account = account
    this.#parser = parser
    this.#visits = visits
  }

  /** Stores a received mail of the thread. */
  remember(place: Place, headers: Headers): void {
    this.#keep(channelOf(place), endOf(headers))
  }

  /** Returns undefined if the mailbox no longer has a mail of the thread. Rejects if the mailbox cannot be read. */
  async find(place: Required<Place>, signal: AbortSignal): Promise<ThreadEnd | undefined> {
    const known = this.#ends.get(channelOf(place))
    if (known !== undefined) return known
    const {folder = "INBOX", moveTo} = this.#account
    const {client, close} = await this.#visits(signal)
    try {
      for (const each of moveTo === undefined ? [folder] : [folder, moveTo]) {
        const end = await this.#findIn(client, each, place)
        if (end !== undefined) return this.#keep(channelOf(place), end)
      }
      return undefined
    } finally {
      close()
    }
  }

  async #findIn(client: ImapFlow, folder: string, {address, thread}: Required<Place>): Promise<ThreadEnd | undefined> {
    await openFolder(client, folder, {readOnly: true})
    const found = await client.search({or: [{from: address}, {header: {"reply-to": address}}]}, {uid: true})
    const newest = Array.isArray(found) ? found.slice(-searched) : []
    if (newest.length === 0) return undefined
    const names = ["message-id", "references", "in-reply-to", "subject"]
    const mails = await client.fetchAll(newest.join(","), {uid: true, headers: names}, {uid: true})
    for (const {headers: written} of mails.toSorted((one, other) => other.uid - one.uid)) {
      if (written === undefined) continue
      const headers = readHeaders(await this.#parser.simpleParser(withBoundedHeaders(written)), undefined)
      const messageId = headers.messageId ?? ""
      if (threadOfMail({...headers, messageId}, this.#account.address) === thread) return endOf(headers)
    }
    return undefined
  }

  #keep(channel: string, end: ThreadEnd): ThreadEnd {
    this.#ends.delete(channel)
    this.#ends.set(channel, end)
    const [oldest] = this.#ends.keys()
    if (this.#ends.size > kept && oldest !== undefined) this.#ends.delete(oldest)
    return end
  }
}

/** `In-Reply-To` replaces `References` if a mail has none (RFC 5322, section 3.6.4). */
const endOf = ({messageId, references, inReplyTo, subject}: Headers): ThreadEnd => ({
  messageId,
  references: references.length > 0 ? references : inReplyTo.slice(0, 1),
  subject,
})

/** Longer lists lose their middle: mail programs use the root and the newest ids. */
const mostReferences = 20

/** Returns the headers of an answer to a mail of the thread: the quoted one, otherwise the newest. */
export const lineageOf = (
  {messageId, references}: ThreadEnd,
  quoted: string | undefined,
): {readonly inReplyTo?: string; readonly references: string[]} => {
  const [named] = quoted === undefined ? [] : messageIdsOf(`<${quoted}>`)
  const parent = named ?? messageId
  const ids = [...new Set([...references, messageId, parent].filter(id => id !== undefined))]
  const all = ids.length > mostReferences ? [...ids.slice(0, 1), ...ids.slice(1 - mostReferences)] : ids
  return {...(parent === undefined ? {} : {inReplyTo: `<${parent}>`}), references: all.map(id => `<${id}>`)}
}

/** Returns the subject of an answer. */
export const answerSubject = (subject: string): string =>
  /^(re|aw|antw|sv|odp|rif|ref)(\[\d+\])?\s*:/i.test(subject) ? subject : `Re: ${subject}`.trim()
