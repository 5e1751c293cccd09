import {type Node, writtenText} from "../../shared/sdk/elements.ts"

/** Deeper nesting is flattened into its innermost allowed element. */
const deepest = 32

/** A tag as far as it goes: to its `>`, or to where it turns out to be none. Every part of it is looked at once. */
const tag = /<(\/?)([a-z][\w:.-]*)(?=[\s/>])((?:[^<>"']+|"[^"]*"|'[^']*')*)(>?)/iy
const attribute = /([^\s=<>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/g
const entity = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-f]{1,6}));/gi
const entities: Readonly<Record<string, string>> = {amp: "&", lt: "<", gt: ">", quot: '"', apos: "'"}

/**
 * The tree of a Satori content string. Anything is accepted: what is not markup is text, an element that is not closed
 * ends with its parent. Linear in the length of the text, whatever it holds.
 */
export const parseContent = (content: string): readonly Node[] => {
  if (!content.includes("<") && !content.includes("&")) return content === "" ? [] : [content]
  const tree = new Tree()
  const lastComment = content.lastIndexOf("-->")
  let at = 0
  while (at < content.length) {
    const next = content.indexOf("<", at)
    const end = next < 0 ? content.length : next
    tree.text(content.slice(at, end))
    at = end
    if (next < 0) break
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

interface Open {
  readonly type: string
  readonly children: Node[]
}

/** The tree as it grows: what is open now, and how many of each type. */
class Tree {
  readonly nodes: Node[] = []
  readonly #open: Open[] = []
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
    parent.push({type, attrs: readAttributes(isEmpty ? rest.slice(0, -1) : rest), children})
    if (isEmpty) return
    this.#open.push({type, children: this.#open.length < deepest - 1 ? children : parent})
    this.#count.set(type, (this.#count.get(type) ?? 0) + 1)
  }

  /** Ends the innermost element of this type, with those in it; nothing where none is open. */
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

/** In Satori `flag` is true, `no-flag` is false. */
const readAttributes = (text: string): Record<string, string | boolean> =>
  Object.fromEntries(
    [...text.matchAll(attribute)].map(([, name = "", double, single, bare]) => {
      const value = double ?? single ?? bare
      if (value !== undefined) return [name, decode(value)]
      return name.startsWith("no-") ? [name.slice(3), false] : [name, true]
    }),
  )

const decode = (text: string): string =>
  text.includes("&")
    ? text.replace(entity, (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) =>
        name === undefined ? fromCode(whole, decimal, hex) : (entities[name.toLowerCase()] ?? whole),
      )
    : text

/** A number that is no character stays as it was written. */
const fromCode = (whole: string, decimal: string | undefined, hex: string | undefined): string => {
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : whole
}

/** What somebody wrote in an event's message, empty where it has none. */
export const textOfEvent = (content: string | undefined): string => {
  if (content === undefined) return ""
  return content.includes("<") || content.includes("&") ? writtenText(parseContent(content)) : content
}
