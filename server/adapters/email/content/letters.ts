import type {FetchMessageObject, FetchQueryObject, ImapFlow} from "imapflow"
import type {ParsedMail} from "mailparser"
import type {Log} from "../../../../shared/sdk/sdk.ts"
import {type Outline, outlineOf, type Part} from "./body.ts"
import {type Headers, readHeaders} from "./headers.ts"
import {cleanText} from "./text.ts"

/** The library that reads headers, as it is loaded. */
export type MailParser = Pick<typeof import("mailparser"), "simpleParser">

/** A mail in the folder, as far as it is read. */
export interface Letter {
  readonly uid: number
  /** When it reached the server, in milliseconds since 1970. */
  readonly arrived: number
  /** In bytes. */
  readonly size: number
  readonly headers: Headers
  /** The headers as they came. */
  readonly written: Buffer
  readonly outline: Outline
}

/** What a mail says: each of its texts, plain or HTML. */
export interface Said {
  readonly texts: readonly {readonly isHtml: boolean; readonly text: string}[]
  /** Was it longer than what is read? */
  readonly isCut: boolean
}

/** In bytes: headers beyond this, and texts beyond this, are not read. */
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

/** The mails with these uids that are there, in the order of the uids. */
export const readLetters = async (tools: ReadTools, uids: readonly number[]): Promise<readonly Letter[]> => {
  const {client, log} = tools
  const fetched = await client.fetchAll(uids.join(","), {...headerQuery, bodyStructure: true}, {uid: true})
  const found = new Map(fetched.map(message => [message.uid, message]))
  // A structure that the library cannot parse makes it leave the mail out.
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
  parser.simpleParser(source, {skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true}).catch(() => nothing)

/** Reads what a mail says. A part that cannot be read says nothing. */
export const readTexts = async (tools: ReadTools, {uid, outline}: Letter): Promise<Said> => {
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

/** Without a structure the begin of the mail is parsed here. */
const readSource = async ({client, parser}: ReadTools, uid: number): Promise<Said> => {
  const message = await client.fetchOne(String(uid), {source: {start: 0, maxLength: longestText}}, {uid: true})
  if (typeof message !== "object" || message.source === undefined) return {texts: [], isCut: false}
  const {text = "", html} = await parse(parser, message.source)
  const isCut = message.source.length >= longestText
  if (text.trim() !== "") return {texts: [{isHtml: false, text: cleanText(text)}], isCut}
  return {texts: html === false ? [] : [{isHtml: true, text: html}], isCut}
}
