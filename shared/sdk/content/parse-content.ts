import type {Node} from "./elements.ts"
import type {SatoriEvent} from "./satori.ts"
import {writtenText} from "./text.ts"

/** Deeper nesting is flattened into its innermost allowed element. */
const deepest = 32

/** Matches a `<` that may begin a tag or a comment. */
const begin = /<(?=\/?[a-z]|!--)/gi

/** Matches a tag up to its `>`, or up to where it turns out not to be one. It looks at every character once. */
const tag = /<(\/?)([a-z][\w:.-]*)(?=[\s/>])((?:[^<>"']+|"[^"]*"|'[^']*')*)(>?)/iy
const attribute = /([^\s=<>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/g
const entity = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-f]{1,6}));/gi
const entities: Readonly<Record<string, string>> = {amp: "&", lt: "<", gt: ">", quot: '"', apos: "'"}

/**
 * Returns the tree of a Satori content string. It accepts any text: what is not markup is text, and an unclosed element
 * ends with its parent. Linear in the length of the text.
 */
export const parseContent = (content: string): readonly Node[] => {
  if (!content.includes("<") && !content.includes("&")) return content === "" ? [] : [content]
  const tree = new Tree()
  const lastComment = content.lastIndexOf("-->")
  let at = 0
  while (at < content.length) {
    begin.lastIndex = at
    const next = begin.exec(content)?.index ?? content.length
    tree.text(content.slice(at, next))
    at = next
    if (at === content.length) break
    if (content.startsWith("<!--", at) && at + 4 <= lastComment) {
      at = content.indexOf("-->", at + 4) + 3
      continue
    }
    tag.lastIndex = at
    const [whole = "<", slash, type = "", rest = "", close = ""] = tag.exec(content) ?? []
    at += whole.length
    if (close === "") tree.text(whole)
    else if (slash === "/") tree.close(type)
    else tree.open(type, rest)
  }
  return tree.nodes
}

/** The growing tree: the open elements, and how many of each type. */
class Tree {
  readonly nodes: Node[] = []
  readonly #open: {readonly type: string; readonly children: Node[]}[] = []
  readonly #count = new Map<string, number>()

  text(raw: string): void {
    if (raw === "") return
    const children = this.#children
    const text = decode(raw)
    const last = children.at(-1)
    if (typeof last === "string") children[children.length - 1] = last + text
    else children.push(text)
  }

  open(type: string, rest: string): void {
    const isEmpty = rest.endsWith("/")
    const parent = this.#children
    const children: Node[] = []
    parent.push({type, attrs: rest.length < 2 ? {} : readAttributes(isEmpty ? rest.slice(0, -1) : rest), children})
    if (isEmpty) return
    this.#open.push({type, children: this.#open.length < deepest - 1 ? children : parent})
    this.#count.set(type, (this.#count.get(type) ?? 0) + 1)
  }

  /** Closes the innermost open element of this type and everything in it. Does nothing if none is open. */
  close(type: string): void {
    if ((this.#count.get(type) ?? 0) === 0) return
    for (let closed = this.#open.pop(); closed !== undefined; closed = this.#open.pop()) {
      this.#count.set(closed.type, (this.#count.get(closed.type) ?? 1) - 1)
      if (closed.type === type) return
    }
  }

  get #children(): Node[] {
    return this.#open.at(-1)?.children ?? this.nodes
  }
}

/** In Satori, `flag` is true and `no-flag` is false. */
const readAttributes = (text: string): Record<string, string | boolean> =>
  Object.fromEntries(
    [...text.matchAll(attribute)].map(([, name = "", double, single, bare]) => {
      const value = double ?? single ?? bare
      if (value !== undefined) return [name, decode(value)]
      return name.startsWith("no-") ? [name.slice(3), false] : [name, true]
    }),
  )

/**
 * Decodes each reference once. Fixed replacements are eight times as fast as a function (measured); `&` comes last,
 * because it may begin what only looks like a reference. Numbers, which `renderContent` never writes, may make letters.
 */
const decode = (text: string): string => {
  if (!text.includes("&")) return text
  if (text.includes("&#"))
    return text.replace(entity, (whole, name?: string, decimal?: string, hex?: string) =>
      name === undefined ? fromCode(whole, decimal, hex) : (entities[name.toLowerCase()] ?? whole),
    )
  const marks = text
    .replace(/&lt;/gi, "<")
    .replace(/&gt;/gi, ">")
    .replace(/&quot;/gi, '"')
    .replace(/&apos;/gi, "'")
  return marks.replace(/&amp;/gi, "&")
}

/** Decodes a numeric reference. One that is not a character stays unchanged. */
const fromCode = (whole: string, decimal: string | undefined, hex: string | undefined): string => {
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : whole
}

/** A message as its parts, and as the text that its user wrote. */
interface ReadMessage {
  readonly nodes: readonly Node[]
  readonly text: string
}

const read = (content: string): ReadMessage => {
  if (!content.includes("<") && !content.includes("&")) return {nodes: [content], text: content}
  const nodes = parseContent(content)
  return {nodes, text: writtenText(nodes)}
}

/** Returns the text that a user wrote in a message; empty without a message. */
export const textOfEvent = (content = ""): string => read(content).text

const messages = new WeakMap<object, ReadMessage>()

/** Decodes each message once: several parts of the Host and several handlers ask for it. */
export const readMessage = ({message}: Pick<SatoriEvent, "message">): ReadMessage => {
  const known = message && messages.get(message)
  if (known !== undefined) return known
  const found = read(message?.content ?? "")
  if (message !== undefined) messages.set(message, found)
  return found
}

export const textOfMessage = (event: Pick<SatoriEvent, "message">): string => readMessage(event).text
