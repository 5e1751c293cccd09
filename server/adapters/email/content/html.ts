import {decodeEntities, type Element, type Node} from "../../../../shared/sdk/sdk.ts"
import {onLines, plainLines, pruned, signs, withImages} from "./nodes.ts"
import {isForwarded, ownLines} from "./quotes.ts"
import {cleanText} from "./text.ts"

/** HTML elements with a counterpart in Satori, and its name there. */
const inline: Readonly<Record<string, string>> = {
  b: "b",
  strong: "b",
  i: "i",
  em: "i",
  u: "u",
  ins: "u",
  s: "s",
  del: "s",
  strike: "s",
  code: "code",
  tt: "code",
  sup: "sup",
  sub: "sub",
}

/** Elements that begin and end a line. */
const blocks = new Set(
  "address article aside blockquote body center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section table tbody tfoot thead tr ul".split(
    " ",
  ),
)

/** Elements with an empty line before and after. */
const apart = new Set("blockquote h1 h2 h3 h4 h5 h6 ol p pre table ul".split(" "))

/** Elements that readers do not see. */
const hidden = new Set(
  "applet audio canvas embed head iframe math noscript object script select style svg template textarea title video".split(
    " ",
  ),
)

/** Tags without an end tag. */
const empty = new Set("area base br col embed hr img input link meta param source track wbr".split(" "))

/** Classes with which mail programs mark quotations, and signatures. */
const quotation = /\b(gmail_quote|gmail_extra|gmail_attr|moz-cite-prefix|yahoo_quoted|protonmail_quote)\b/i
const signature = /\b(gmail_signature|moz-signature)\b/i

/** In Outlook's mail, everything after these ids is quoted. */
const quotesTheRest = /^(divRplyFwdMsg|appendonsend|x_divRplyFwdMsg)$/i

/** Elements nested deeper become text. */
const deepest = 20

/** The part of a tag in which attributes are read, in characters. */
const longestTag = 4096

interface Tag {
  readonly name: string
  readonly isEnd: boolean
  readonly attributes: ReadonlyMap<string, string>
}

/** Yields texts and tags in order, in linear time. */
function* tokensOf(html: string): Generator<string | Tag> {
  let at = 0
  while (at < html.length) {
    const open = html.indexOf("<", at)
    if (open !== at) yield html.slice(at, open === -1 ? html.length : open)
    if (open === -1) return
    const isComment = html.startsWith("<!--", open)
    const close = html.indexOf(isComment ? "-->" : ">", open)
    if (close === -1) return
    at = close + (isComment ? 3 : 1)
    const [, end, name] = /^<(\/?)([a-z][a-z0-9:]*)/i.exec(html.slice(open, Math.min(close, open + 100))) ?? []
    if (name === undefined || isComment) continue
    const written = html.slice(open, Math.min(close, open + longestTag))
    yield {name: name.toLowerCase(), isEnd: end === "/", attributes: attributesOf(written)}
  }
}

const attributesOf = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    [...tag.matchAll(/\s([a-z-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)].map(
      ([, name = "", one, other, bare]) => [name.toLowerCase(), decodeEntities(one ?? other ?? bare ?? "")],
    ),
  )

const isQuotation = ({name, attributes}: Tag): boolean =>
  quotation.test(attributes.get("class") ?? "") ||
  (name === "blockquote" && attributes.get("type")?.toLowerCase() === "cite")

const isForeign = ({name, attributes}: Tag): boolean =>
  hidden.has(name) ||
  signature.test(attributes.get("class") ?? "") ||
  /display\s{0,9}:\s{0,9}none/i.test(attributes.get("style") ?? "")

/** Whether this is an address to which readers may be sent. */
export const isLink = (address: string): boolean => /^(https?:\/\/|mailto:|tel:)[^\s\p{Cc}]+$/iu.test(address)

interface Open {
  readonly name: string
  readonly element: Element & {readonly children: Node[]}
}

const elementFor = ({name, attributes}: Tag): Open["element"] | undefined => {
  const type = inline[name]
  if (type !== undefined) return {type, attrs: {}, children: []}
  const href = attributes.get("href")?.trim() ?? ""
  return name === "a" && isLink(href) ? {type: "a", attrs: {href}, children: []} : undefined
}

/**
 * Converts HTML to elements. It drops scripts, styles, remote pictures and signatures. Signs stand for quoted mail that
 * the mail's program marks, unless `keepsQuotes`.
 */
class Reader {
  readonly nodes: Node[] = []
  readonly #keepsQuotes: boolean
  readonly #open: Open[] = []
  /** The element being skipped, and how many elements of its name are open in it. */
  #skipped: {readonly name: string; depth: number} | undefined
  #preformatted = 0
  #text = ""
  /** How many line ends to write before the next content. */
  #due = 0
  /** The last content: spaces after a space or at the beginning of a line are dropped. */
  #last: "nothing" | "space" | "word" = "nothing"

  constructor(keepsQuotes: boolean) {
    this.#keepsQuotes = keepsQuotes
  }

  take(token: string | Tag): void {
    if (this.#skipped !== undefined) this.#skip(this.#skipped, token)
    else if (typeof token === "string") this.#say(decodeEntities(token))
    else if (token.isEnd) this.#end(token.name)
    else this.#begin(token)
  }

  finish(): readonly Node[] {
    this.#flush()
    return this.nodes
  }

  #skip(skipped: {readonly name: string; depth: number}, token: string | Tag): void {
    if (typeof token === "string" || token.name !== skipped.name) return
    skipped.depth += token.isEnd ? -1 : 1
    if (skipped.depth === 0) this.#skipped = undefined
  }

  #begin(tag: Tag): void {
    const {name, attributes} = tag
    const isQuoted = !this.#keepsQuotes && isQuotation(tag)
    if (isQuoted) this.#sign(signs.quoted)
    if (!this.#keepsQuotes && quotesTheRest.test(attributes.get("id") ?? "")) this.#sign(signs.rest)
    if (isQuoted || isForeign(tag)) {
      if (!empty.has(name)) this.#skipped = {name, depth: 1}
    } else if (name === "br") this.#breakLine()
    else if (name === "img") this.#show(attributes)
    else if (blocks.has(name)) {
      if (name === "pre") this.#preformatted++
      this.#endLine(apart.has(name) ? 2 : 1)
      if (name === "li") this.#say("- ")
    } else if (name === "td" || name === "th") this.#say(" ")
    const element = elementFor(tag)
    if (element === undefined || this.#open.length >= deepest) return
    this.#flush()
    this.#children().push(element)
    this.#open.push({name, element})
  }

  #end(name: string): void {
    if (name === "pre" && this.#preformatted > 0) this.#preformatted--
    if (blocks.has(name)) this.#endLine(apart.has(name) ? 2 : 1)
    const at = this.#open.findLastIndex(open => open.name === name)
    if (at === -1) return
    this.#flush()
    this.#open.length = at
  }

  #show(attributes: ReadonlyMap<string, string>): void {
    const [, cid] = /^cid:(.+)$/i.exec(attributes.get("src")?.trim() ?? "") ?? []
    const alt = attributes.get("alt") ?? ""
    if (cid === undefined) {
      this.#say(alt)
      return
    }
    this.#endLines()
    this.#flush()
    this.#children().push({type: "img", attrs: {cid, alt}, children: []})
    this.#last = "word"
  }

  /** Writes the sign on a separate line. */
  #sign(sign: string): void {
    this.#endLine(1)
    this.#endLines()
    this.#text += sign
    this.#last = "word"
    this.#endLine(1)
  }

  #say(written: string): void {
    const clean = cleanText(written)
    const text = this.#preformatted > 0 ? clean : clean.replace(/[\n\t ]+/g, " ")
    const said = this.#preformatted > 0 || (this.#last === "word" && this.#due === 0) ? text : text.trimStart()
    if (said === "") return
    this.#endLines()
    this.#text += said
    this.#last = said.endsWith(" ") ? "space" : "word"
  }

  /** Starts a new line before the next content; 2 adds an empty line. */
  #endLine(ends: number): void {
    this.#due = Math.max(this.#due, ends)
  }

  #breakLine(): void {
    this.#due = Math.min(this.#due + 1, 2)
  }

  #endLines(): void {
    if (this.#last !== "nothing") this.#text += "\n".repeat(this.#due)
    this.#due = 0
  }

  #children(): Node[] {
    return this.#open.at(-1)?.element.children ?? this.nodes
  }

  #flush(): void {
    if (this.#text !== "") this.#children().push(this.#text.replace(/ +\n/g, "\n"))
    this.#text = ""
  }
}

const nodesOf = (html: string, keepsQuotes: boolean): readonly Node[] => {
  const reader = new Reader(keepsQuotes)
  for (const token of tokensOf(html)) reader.take(token)
  return reader.finish()
}

/**
 * Converts HTML by the writer to elements; their texts are plain. A mail that somebody passes on without own words
 * stays whole. `imageOf` returns the element of a picture that the mail contains, by its content id; `subject` is the
 * mail's.
 */
export const readHtml = (
  html: string,
  imageOf: (cid: string) => Element | undefined,
  subject = "",
): readonly Node[] => {
  const nodes = nodesOf(html, false)
  const lines = plainLines(nodes)
  const own = pruned(onLines(nodes, ownLines(lines, subject)))
  const whole = own.length === 0 || isForwarded(lines, subject) ? nodesOf(html, true) : []
  return withImages(isForwarded(plainLines(whole), subject) ? pruned(whole) : own, imageOf)
}
