import type {HeaderLines, ParsedMail} from "mailparser"
import {messageIdsOf, normalAddress} from "../ids.ts"

/** The headers of a mail. Ids have no angle brackets. */
export interface Headers {
  readonly messageId: string | undefined
  readonly inReplyTo: readonly string[]
  readonly references: readonly string[]
  readonly subject: string
  /** Undefined if the mail has no valid sender. */
  readonly from: Person | undefined
  /** The address for answers, if the sender names one. */
  readonly replyTo: string | undefined
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly date: string
  /** The reason why no program may answer this mail; undefined for a person's mail. */
  readonly automatic: Automatic | undefined
  /** The sender's address, if a trusted server confirms it for the sender's domain. */
  readonly account: string | undefined
}

export interface Person {
  readonly address: string
  readonly name: string
}

export type Automatic = "bounce" | "list" | "automatic"

/** The most characters of a header that people see. */
const longestLine = 998

/** The most ids that are read from `References`. */
const mostReferences = 100

/** Returns one line of text, without control characters and lone surrogates. */
export const lineOf = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, longestLine)
    .toWellFormed()

type Lines = (name: string) => readonly string[]

/** Returns the values of a header in order, unfolded. */
const linesOf =
  (lines: HeaderLines): Lines =>
  name =>
    lines
      .filter(({key}) => key === name)
      .map(({line}) =>
        line
          .slice(line.indexOf(":") + 1)
          .replace(/[\r\n]+/g, " ")
          .trim(),
      )

/** Reads the headers. `trusted` is the authserv-id whose `Authentication-Results` are trusted. */
export const readHeaders = (mail: ParsedMail, trusted: string | undefined): Headers => {
  const lines = linesOf(mail.headerLines)
  const [first] = mail.from?.value ?? []
  const address = normalAddress(first?.address)
  const from = address === undefined ? undefined : {address, name: lineOf(first?.name ?? "")}
  const isOne = lines("from").length === 1 && mail.from?.value.length === 1
  const replyTo = mail.replyTo?.value.length === 1 ? normalAddress(mail.replyTo.value[0]?.address) : undefined
  const [messageId] = messageIdsOf(lines("message-id")[0] ?? "")
  return {
    messageId,
    inReplyTo: messageIdsOf(lines("in-reply-to")[0] ?? ""),
    references: messageIdsOf(lines("references")[0] ?? "").slice(0, mostReferences),
    subject: lineOf(mail.subject ?? ""),
    from,
    replyTo,
    to: addressesOf(mail.to),
    cc: addressesOf(mail.cc),
    date: lines("date")[0] ?? "",
    automatic: automaticBy(lines, from, replyTo),
    account: isOne && address !== undefined && isVouchedFor(lines, address, trusted) ? address : undefined,
  }
}

const mostAddresses = 100

const addressesOf = (field: ParsedMail["to"]): readonly string[] =>
  [field ?? []]
    .flat()
    .flatMap(({value}) => value)
    .flatMap(({address, group = []}) => [address, ...group.map(each => each.address)])
    .map(normalAddress)
    .filter(address => address !== undefined)
    .slice(0, mostAddresses)

/**
 * Detects mail that no program may answer (RFC 3834, section 2; `X-Auto-Response-Suppress`: MS-OXCMAIL, section
 * 2.2.3.2.14).
 */
const automaticBy = (lines: Lines, from: Person | undefined, replyTo: string | undefined): Automatic | undefined => {
  const has = (name: string, value: RegExp) => lines(name).some(line => value.test(line))
  const local = from?.address.replace(/@[^@]*$/, "") ?? ""
  if (has("return-path", /^<\s*>/) || has("content-type", /^multipart\/report\b/i)) return "bounce"
  if (/^mailer-daemon$/.test(local) || has("x-failed-recipients", /./)) return "bounce"
  if (has("list-id", /./) || has("list-unsubscribe", /./) || has("precedence", /^(list|bulk|junk)\b/i)) return "list"
  if (lines("auto-submitted").some(line => !/^no\b/i.test(line)) || has("precedence", /^auto[_-]?reply/i))
    return "automatic"
  if (has("x-auto-response-suppress", /\b(all|oof|autoreply)\b/i)) return "automatic"
  if (has("x-autoreply", /./) || has("x-autorespond", /./) || has("x-loop", /./)) return "automatic"
  // Web forms often send from a no-reply address, with the person in Reply-To.
  return /^(no|do-?not)[._-]?reply\b/.test(local) && replyTo === undefined ? "automatic" : undefined
}

/**
 * Whether the newest result of the trusted server says that DMARC passed for the sender's domain (RFC 8601; RFC 7489).
 * A server adds its result at the top, and removes forged results under its name, so lower results are not read.
 */
const isVouchedFor = (lines: Lines, address: string, trusted: string | undefined): boolean => {
  if (trusted === undefined) return false
  const results = lines("authentication-results").map(line => withoutComments(line.slice(0, 10_000)))
  const ours = results.find(line => serverOf(line) === trusted.toLowerCase() && /;\s*dmarc\s*=/i.test(line))
  const dmarc = (ours ?? "").split(";").find(part => /^\s*dmarc\s*=/i.test(part)) ?? ""
  const [, domain] = /\bheader\.from\s*=\s*"?([^\s";]+)/i.exec(dmarc) ?? []
  return /^\s*dmarc\s*=\s*pass\b/i.test(dmarc) && domain?.toLowerCase() === address.replace(/^.*@/, "")
}

/** Comments may contain anything, and may be nested. */
const withoutComments = (line: string): string => {
  let depth = 0
  let rest = ""
  for (const character of line) {
    if (character === "(") depth++
    else if (character === ")") depth = Math.max(0, depth - 1)
    else if (depth === 0) rest += character
  }
  return rest
}

const serverOf = (line: string): string => (/^\s*"?([^\s;"]+)/.exec(line)?.[1] ?? "").toLowerCase()
