import {fromMarkdown} from "mdast-util-from-markdown"
import {gfmFromMarkdown} from "mdast-util-gfm"
import {type Element, h, type Node} from "../../../shared/sdk/content/elements.ts"
import {boundedSyntax, isTooLong, withoutDepth} from "./guard.ts"

type Root = ReturnType<typeof fromMarkdown>
type Part = Root["children"][number]
type Of<T extends Part["type"]> = Extract<Part, {type: T}>

/** Elements within deeper ones are text. */
const deepest = 24

/** The most characters in the addresses of all links, since a short reference repeats a long one. */
const mostAddresses = 128 * 1024

/** Returns the elements of a Markdown text, CommonMark with GFM. Nothing in it becomes a mention, HTML or a picture. */
export const elementsOf = (text: string): readonly Node[] => {
  if (isTooLong(text)) return [text]
  const root = fromMarkdown(withoutDepth(text), {
    extensions: [...boundedSyntax()],
    mdastExtensions: [gfmFromMarkdown()],
  })
  return new Reader(root).read()
}

class Reader {
  readonly #root: Root
  readonly #addresses = new Map<string, string>()
  #room = mostAddresses

  constructor(root: Root) {
    this.#root = root
    this.#define(root.children, 0)
  }

  /** One paragraph is text within a line. */
  read(): readonly Node[] {
    const {children} = this.#root
    const [only] = children
    if (children.length === 1 && only?.type === "paragraph") return this.#all(only.children, 0)
    return this.#blocks(children, 0)
  }

  /** The first definition of a name counts. */
  #define(parts: readonly Part[], depth: number): void {
    for (const part of parts) {
      if (part.type === "definition" && !this.#addresses.has(part.identifier))
        this.#addresses.set(part.identifier, part.url)
      if ("children" in part && depth < deepest) this.#define(part.children, depth + 1)
    }
  }

  /** Blocks with an empty line between them. */
  #blocks(parts: readonly Part[], depth: number): readonly Node[] {
    const blocks = parts.map(part => this.#block(part, depth)).filter(nodes => nodes.length > 0)
    return blocks.flatMap((nodes, index) => (index === 0 ? nodes : ["\n", ...nodes]))
  }

  #block(part: Part, depth: number): readonly Node[] {
    const nodes = this.#one(part, depth)
    return part.type === "html" ? [h("p", {}, ...nodes)] : nodes
  }

  #all(parts: readonly Part[], depth: number): readonly Node[] {
    return parts.flatMap(part => this.#one(part, depth))
  }

  #one(part: Part, depth: number): readonly Node[] {
    if (depth > deepest) return [textIn(part)]
    const next = depth + 1
    switch (part.type) {
      case "text":
        return [part.value]
      case "break":
        return [h("br")]
      case "inlineCode":
        return [h("code", part.value)]
      case "code":
        return [h("pre", {lang: part.lang ?? undefined}, part.value)]
      case "thematicBreak":
        return [h("hr")]
      case "html":
        return part.value.split(/<br\s*\/?>/i).flatMap((text, index) => [...(index === 0 ? [] : [h("br")]), text])
      case "paragraph":
        return [h("p", {}, ...this.#all(part.children, next))]
      case "heading":
        return [h(`h${part.depth}`, {}, ...this.#all(part.children, next))]
      case "blockquote":
        return [h("blockquote", {}, ...this.#blocks(part.children, next))]
      case "list":
        return [this.#list(part, next)]
      case "table":
        return [this.#table(part, next)]
      case "emphasis":
        return [h("i", {}, ...this.#all(part.children, next))]
      case "strong":
        return [h("b", {}, ...this.#all(part.children, next))]
      case "delete":
        return [h("s", {}, ...this.#all(part.children, next))]
      case "link":
        return this.#link(part.url, this.#labelOf(part.children, next))
      case "linkReference":
        return this.#link(this.#addresses.get(part.identifier), this.#labelOf(part.children, next))
      case "image":
        return this.#link(part.url, [part.alt ?? ""])
      case "imageReference":
        return this.#link(this.#addresses.get(part.identifier), [part.alt ?? ""])
      default:
        return []
    }
  }

  /** A link whose address is of another kind is its text. */
  #link(address: string | undefined, children: readonly Node[]): readonly Node[] {
    const shown = children.some(child => child !== "") ? children : [address ?? ""]
    if (address === undefined || !isSafe(address) || address.length > this.#room) return shown
    this.#room -= address.length
    return [h("a", {href: address}, ...shown)]
  }

  /** A picture in a link is its text. */
  #labelOf(parts: readonly Part[], depth: number): readonly Node[] {
    return parts.flatMap(part =>
      part.type === "image" || part.type === "imageReference" ? [part.alt ?? ""] : this.#one(part, depth),
    )
  }

  #list({ordered, start, children}: Of<"list">, depth: number): Element {
    const items = children.map(({checked, children, spread}) => {
      const box = typeof checked === "boolean" ? [checked ? "☑ " : "☐ "] : []
      return h("li", {}, ...box, ...(spread ? this.#blocks(children, depth + 1) : this.#tight(children, depth + 1)))
    })
    return ordered ? h("ol", {start: start ?? undefined}, ...items) : h("ul", {}, ...items)
  }

  /** The blocks of a list item without empty lines. */
  #tight(parts: readonly Part[], depth: number): readonly Node[] {
    return parts.flatMap(part => (part.type === "paragraph" ? this.#all(part.children, depth) : this.#one(part, depth)))
  }

  #table({align, children: [header, ...rows]}: Of<"table">, depth: number): Element {
    const row = (type: "th" | "td", cells: Of<"tableRow">["children"]) =>
      h(
        "tr",
        {},
        ...cells.map(({children}, column) =>
          h(type, {align: align?.[column] ?? undefined}, ...this.#all(children, depth + 1)),
        ),
      )
    return h(
      "table",
      {},
      ...(header === undefined ? [] : [row("th", header.children)]),
      ...rows.map(({children}) => row("td", children)),
    )
  }
}

/** Matrix shows some addresses as mentions of users. */
const isMention = (address: string): boolean => /^https?:\/\/matrix\.to\/#\/(?:@|%40)/i.test(address)

const isSafe = (address: string): boolean => /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i.test(address) && !isMention(address)

const textIn = (part: Part): string => {
  if ("value" in part) return part.value
  return "children" in part ? part.children.map(textIn).join("") : ""
}
