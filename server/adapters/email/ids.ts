import {createHash} from "node:crypto"

/** So many hexadecimal digits tell threads apart. */
const keyLength = 16

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** An address in small letters; undefined for what is none, or needs quotes. */
export const normalAddress = (text: string | undefined): string | undefined => {
  const address = text?.trim().toLowerCase() ?? ""
  const isAddress = /^[^\s@<>",;:\\\p{Cc}]+@[^\s@<>",;:\\/\p{Cc}]+$/u.test(address) && address.length <= 254
  return isAddress && address.isWellFormed() ? address : undefined
}

/** The `Message-ID`s of a header, without angle brackets; those that are longer than a line may be are left out. */
export const messageIdsOf = (header: string): readonly string[] =>
  [...header.matchAll(/<([^<>\s\p{Cc}]{1,400})>/gu)].map(([, id = ""]) => id).filter(id => id.isWellFormed())

/** Which thread a root `Message-ID` begins. */
export const threadOf = (root: string): string => hash(root).slice(0, keyLength)

/** The conversation with an address in a thread; without one, a channel in which each message begins a thread. */
export interface Place {
  readonly address: string
  readonly thread?: string
}

export const channelOf = ({address, thread}: Place): string => (thread === undefined ? address : `${address}/${thread}`)

/** Undefined for what is no channel of mail. */
export const placeOf = (channel: string): Place | undefined => {
  const [, to, thread] = /^(.+@[^@/]+?)(?:\/([0-9a-f]{16}))?$/s.exec(channel) ?? []
  const address = normalAddress(to)
  if (address === undefined) return undefined
  return thread === undefined ? {address} : {address, thread}
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase()

/** The `Message-ID` of what the bot sends, without angle brackets: the same for each attempt. It names the thread. */
export const ownMessageId = (outboxId: string, {thread}: Place, own: string): string => {
  const id = outboxId.replace(/[^A-Za-z0-9.-]/g, "-")
  return `svc.${id}${thread === undefined ? "" : `.t${thread}`}@${domainOf(own)}`
}

/** The thread that the bot's own `Message-ID` names. */
const namedThread = (id: string, own: string): string | undefined => {
  const [, thread, domain] = /^svc\..+\.t([0-9a-f]{16})@(.+)$/.exec(id) ?? []
  return domain?.toLowerCase() === domainOf(own) ? thread : undefined
}

/** The headers that tell a thread; ids without angle brackets. */
export interface Lineage {
  readonly messageId: string
  readonly inReplyTo: readonly string[]
  readonly references: readonly string[]
}

/**
 * The thread of a mail: what an answer of the bot names, as some programs shorten `References`; else the oldest mail that
 * is named; else the mail itself.
 */
export const threadOfMail = ({messageId, inReplyTo, references}: Lineage, own: string): string => {
  const named = [...inReplyTo, ...references.toReversed()].map(id => namedThread(id, own))
  return named.find(each => each !== undefined) ?? threadOf(references[0] ?? inReplyTo[0] ?? messageId)
}

/**
 * The id of the event of a mail, which stays the same when the server renumbers its folder. A `Message-ID` alone is
 * whatever its sender likes: sender and date go with it, so that nobody's mail is taken for another's.
 */
export const eventId = (messageId: string | undefined, from: string, date: string, header: Buffer): string =>
  messageId === undefined
    ? `header:${hash(header.toString("latin1")).slice(0, 32)}`
    : `${messageId} ${hash(`${from}\n${date}`).slice(0, 8)}`
