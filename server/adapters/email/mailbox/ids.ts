import {createHash} from "node:crypto"

/** The number of hexadecimal digits in a thread's key. */
const keyLength = 16

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Returns an address in lower case; undefined if it is invalid or needs quotes. */
export const normalAddress = (text: string | undefined): string | undefined => {
  const address = text?.trim().toLowerCase() ?? ""
  const isAddress = /^[^\s@<>",;:\\\p{Cc}]+@[^\s@<>",;:\\/\p{Cc}]+$/u.test(address) && address.length <= 254
  return isAddress && address.isWellFormed() ? address : undefined
}

/** Returns the `Message-ID`s in a header, without angle brackets. Drops those longer than a line may be. */
export const messageIdsOf = (header: string): readonly string[] =>
  [...header.matchAll(/<([^<>\s\p{Cc}]{1,400})>/gu)].map(([, id = ""]) => id).filter(id => id.isWellFormed())

/** Returns the thread that starts with this root `Message-ID`. */
export const threadOf = (root: string): string => hash(root).slice(0, keyLength)

/**
 * The conversation with an address in a thread. Without a thread, a channel in which each message starts a new thread.
 */
export interface Place {
  readonly address: string
  readonly thread?: string
}

export const channelOf = ({address, thread}: Place): string => (thread === undefined ? address : `${address}/${thread}`)

/** Returns undefined if the text is not a mail channel. */
export const placeOf = (channel: string): Place | undefined => {
  const [, to, thread] = /^(.+@[^@/]+?)(?:\/([0-9a-f]{16}))?$/s.exec(channel) ?? []
  const address = normalAddress(to)
  if (address === undefined) return undefined
  return thread === undefined ? {address} : {address, thread}
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase()

/**
 * Returns the `Message-ID` of the bot's mail, without angle brackets. It is the same for each attempt, and contains the
 * thread.
 */
export const ownMessageId = (outboxId: string, {thread}: Place, own: string): string => {
  const id = outboxId.replace(/[^A-Za-z0-9.-]/g, "-")
  return `svc.${id}${thread === undefined ? "" : `.t${thread}`}@${domainOf(own)}`
}

/** Returns the thread in the bot's own `Message-ID`. */
const namedThread = (id: string, own: string): string | undefined => {
  const [, thread, domain] = /^svc\..+\.t([0-9a-f]{16})@(.+)$/.exec(id) ?? []
  return domain?.toLowerCase() === domainOf(own) ? thread : undefined
}

/** The headers that determine a thread. Ids have no angle brackets. */
export interface Lineage {
  readonly messageId: string
  readonly inReplyTo: readonly string[]
  readonly references: readonly string[]
}

/**
 * Returns the thread of a mail: the one in the bot's own `Message-ID`, because some programs shorten `References`;
 * otherwise that of the oldest mail in the headers; otherwise that of the mail itself.
 */
export const threadOfMail = ({messageId, inReplyTo, references}: Lineage, own: string): string => {
  const named = [...inReplyTo, ...references.toReversed()].map(id => namedThread(id, own))
  return named.find(each => each !== undefined) ?? threadOf(references[0] ?? inReplyTo[0] ?? messageId)
}

/**
 * Returns the id of a mail's event, which stays the same when the server renumbers its folder. Senders choose the
 * `Message-ID` freely, so the id includes sender and date: no mail passes for another sender's.
 */
export const eventId = (messageId: string | undefined, from: string, date: string, header: Buffer): string =>
  messageId === undefined
    ? `header:${hash(header.toString("latin1")).slice(0, 32)}`
    : `${messageId} ${hash(`${from}\n${date}`).slice(0, 8)}`
