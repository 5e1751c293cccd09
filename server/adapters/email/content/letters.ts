import type {FetchMessageObject, FetchQueryObject, ImapFlow} from "imapflow"
import type {ParsedMail} from "mailparser"
import type {Log} from "../../../../shared/sdk/sdk.ts"
import {type Outline, outlineOf, type Part} from "./body.ts"
import {withBoundedHeaders} from "./bounded.ts"
import {type Headers, readHeaders} from "./headers.ts"
import {cleanText} from "./text.ts"

/** The library that reads headers, as loaded. */
export type MailParser = Pick<typeof import("mailparser"), "simpleParser">

/** A mail in the folder: the parts that the adapter has read. */
export interface Letter {
  readonly uid: number
  /** When it reached the server, in milliseconds since 1970. */
  readonly arrived: number
  /** In bytes. */
  readonly size: number
  readonly headers: Headers
  /** The raw headers. */
  readonly written: Buffer
  readonly outline: Outline
}

/** The texts of a mail, plain or HTML. */
export interface Said {
  readonly texts: readonly {readonly isHtml: boolean; readonly text: string}[]
  /** Whether the mail was longer than the part that was read. */
  readonly isCut: boolean
}

/** The most bytes of headers and of a text that are read. */
const longestHeader = 256 * 1024
const longestText = 256 * 1024

const headerQuery: FetchQueryObject = {
  uid: true,
  internalDate: true,
  size: true,
  bodyParts: [{key: "header", start: 0, maxLength: longestHeader}],
}

export interface ReadTools {
  readonly client: ImapFlow
  readonly parser: MailParser
  readonly trusted: string | undefined
  readonly log: Log
}

/** Returns the mails with these uids that exist, in the order of the uids. */
export const readLetters = async (tools: ReadTools, uids: readonly number[]): Promise<readonly Letter[]> => {
  const {client, log} = tools
  const fetched = await client.fetchAll(uids.join(","), {...headerQuery, bodyStructure: true}, {uid: true})
  const found = new Map(fetched.map(message => [message.uid, message]))
  // The library leaves out a mail whose structure it cannot parse.
  const missing = uids.filter(uid => found.get(uid)?.headers === undefined)
  if (missing.length > 0) {
    for (const message of await client.fetchAll(missing.join(","), headerQuery, {uid: true})) {
      log.debug(`could not read the structure of mail ${message.uid}`)
      found.set(message.uid, message)
    }
  }
  const letters: Letter[] = []
  for (const uid of uids) {
    const message = found.get(uid)
    if (message !== undefined) letters.push(await letterOf(tools, message))
  }
  return letters
}

const letterOf = async ({parser, trusted}: ReadTools, message: FetchMessageObject): Promise<Letter> => {
  const {uid, headers: written = Buffer.alloc(0), internalDate, size = 0, bodyStructure} = message
  const arrived = new Date(internalDate ?? Date.now()).getTime()
  return {
    uid,
    arrived: Number.isNaN(arrived) ? Date.now() : arrived,
    size,
    headers: readHeaders(await parse(parser, written), trusted),
    written,
    outline: outlineOf(bodyStructure),
  }
}

const nothing: ParsedMail = {attachments: [], headers: new Map(), headerLines: [], html: false}

const parse = (parser: MailParser, source: Buffer): Promise<ParsedMail> =>
  parser
    .simpleParser(withBoundedHeaders(source), {skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true})
    .catch(() => nothing)

/** Reads the texts of a mail. A part that cannot be read is empty. */
export const readTexts = async (tools: ReadTools, {uid, outline, written}: Letter): Promise<Said> => {
  const head = written.toString("latin1")
  if (multipart.test(head) && !boundary.test(multipart.exec(head)?.[0] ?? "")) {
    tools.log.warn(`mail ${uid} names no boundary between its parts; looked for one in its body`)
    return readSource(tools, uid, withBoundary)
  }
  if (outline.texts.length === 0) return outline.files.length > 0 ? {texts: [], isCut: false} : readSource(tools, uid)
  const texts: Said["texts"][number][] = []
  let isCut = false
  for (const part of outline.texts) {
    const read = async (which: Part) => {
      const bytes = await readPart(tools, uid, which)
      isCut ||= bytes.length >= longestText
      return {isHtml: which.type === "text/html", text: cleanText(bytes.toString("utf8"))}
    }
    const said = await read(part)
    const isBlank = !said.isHtml && said.text.trim() === ""
    texts.push(isBlank && part.otherwise !== undefined ? await read(part.otherwise) : said)
  }
  return {texts, isCut}
}

const readPart = async ({client, log}: ReadTools, uid: number, {part}: Part): Promise<Buffer> => {
  try {
    const {content} = await client.download(String(uid), part, {uid: true, maxBytes: longestText})
    if (content === undefined) return Buffer.alloc(0)
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(piece)
    return Buffer.concat(pieces)
  } catch (error) {
    if (!client.usable) throw error
    log.warn(`could not read part ${part} of mail ${uid}`, {error})
    return Buffer.alloc(0)
  }
}

/** Without a structure, parses the beginning of the mail here, as mended. */
const readSource = async (
  {client, parser}: ReadTools,
  uid: number,
  mended = (source: Buffer): Buffer => source,
): Promise<Said> => {
  const message = await client.fetchOne(String(uid), {source: {start: 0, maxLength: longestText}}, {uid: true})
  if (typeof message !== "object" || message.source === undefined) return {texts: [], isCut: false}
  const {text = "", html} = await parse(parser, mended(message.source))
  const isCut = message.source.length >= longestText
  if (text.trim() !== "") return {texts: [{isHtml: false, text: cleanText(text)}], isCut}
  return {texts: html === false ? [] : [{isHtml: true, text: html}], isCut}
}

/** The header of a mail with parts, and its boundary. */
const multipart = /^content-type:[ \t]*(multipart\/[\w-]+).*(?:\r?\n[ \t].*)*/im
const boundary = /boundary(?:\*\d*\*?)?\s*=\s*"?[^"\s;]/i

/** Returns a mail with parts with the boundary that its body has, or as plain text if it has none. */
const withBoundary = (source: Buffer): Buffer => {
  const written = source.toString("latin1")
  const body = written.slice(/\r?\n\r?\n/.exec(written)?.index ?? 0)
  const [, found] = /^--([^\s"]{1,70})[ \t]*\r?$/m.exec(body) ?? []
  const type = (_: string, name: string) =>
    `Content-Type: ${found === undefined ? "text/plain; charset=utf-8" : `${name}; boundary="${found}"`}`
  return Buffer.from(written.replace(multipart, type), "latin1")
}
