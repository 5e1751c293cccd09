import {type Element, h, isElement, lower, type Node, textOf} from "../../../../shared/sdk/sdk.ts"
import {isTs} from "../api/payload.ts"
import {type Block, controlBlocks, isControl, plain} from "./blocks.ts"
import {fieldOf, pictureOf} from "./card.ts"
import {type Inline, isText, mentionOf, type Style, shownOf, styles} from "./inline.ts"

/** A message for the Web API. */
export interface Written {
  /** The text for notifications and screen readers. */
  readonly text: string
  readonly blocks: readonly Block[]
  readonly files: readonly {readonly id: string; readonly title?: string}[]
  /** The message that this one answers. */
  readonly quote?: string
}

/** The prefix of an uploaded file's `src`, before its id. */
export const uploaded = "slack-file:"

/** The blocks of Block Kit. A table is text in columns. */
const has = ["h1", "h2", "h3", "hr", "pre", "blockquote", "ul", "ol", "card"] as const

/** Slack's limits: blocks of a message, characters of a header, fields of a section, steps of a list to the right. */
const limits = {blocks: 50, header: 150, fields: 10, indent: 8} as const

const files: ReadonlySet<string> = new Set(["img", "audio", "video", "file"])

/** Writes a message. With `isFlat`, its blocks are one text, buttons, menus and forms. */
export const writeMessage = (content: readonly Node[], isFlat = false): Written => {
  const controls = controlBlocks(content)
  const flat = new Writer()
  flat.write(lower(linked(content, false), {has: ["pre"]}), {})
  const writer = new Writer()
  if (!isFlat) writer.write(lower(linked(content, true), {has}), {})
  const isWhole = !isFlat && writer.blocks().length + controls.length <= limits.blocks
  const quote = content.find((node): node is Element => isElement(node) && node.type === "quote")?.attrs.id
  return {
    text: flat.inlines().map(shownOf).join("") || textOf(content).trim() || "…",
    blocks: [...(isWhole ? writer : flat).blocks(), ...controls],
    files: flat.files,
    ...(isTs(quote) ? {quote} : {}),
  }
}

/** Writes files with an address as links. With `pictures`, those of cards stay. */
const linked = (nodes: readonly Node[], pictures: boolean, parent = ""): readonly Node[] =>
  nodes.map(node => {
    if (!isElement(node)) return node
    const {type, attrs, children} = node
    const src = String(attrs.src ?? "")
    const isPicture = pictures && parent === "card" && pictureOf(node) !== undefined
    if (files.has(type) && !isPicture && /^https?:[^\s]+$/i.test(src))
      return h("a", {href: src}, String(attrs.title ?? `[${type}]`))
    return children.length === 0 ? node : {...node, children: linked(children, pictures, type)}
  })

/** Returns nodes as the text of a list's item or of quoted text. */
const inlinesOf = (nodes: readonly Node[]): readonly Inline[] => {
  const writer = new Writer()
  writer.write(lower(nodes, {has: []}), {})
  return writer.inlines()
}

const isList = (node: Node): node is Element => isElement(node) && (node.type === "ul" || node.type === "ol")

class Writer {
  readonly files: {readonly id: string; readonly title?: string}[] = []
  readonly #parts: Block[] = []
  /** The text after the last part. */
  #line: Inline[] = []

  write(nodes: readonly Node[], style: Style, link?: string): void {
    for (const node of nodes) {
      if (isElement(node)) this.#element(node, style, link)
      else this.#say(node, style, link)
    }
  }

  /** Returns the text, if there are no other parts than text and code. */
  inlines(): readonly Inline[] {
    this.#end()
    return this.#parts.flatMap(({elements}, n): readonly Inline[] => [
      ...(n === 0 ? [] : [{type: "text", text: "\n"} as const]),
      ...(elements as readonly Inline[]),
    ])
  }

  blocks(): readonly Block[] {
    this.#end()
    const blocks: Block[] = []
    let rich: Block[] = []
    for (const part of this.#parts) {
      if (!isRich(part)) blocks.push(part)
      else if (rich.length > 0 && blocks.at(-1)?.elements === rich) rich.push(part)
      else {
        rich = [part]
        blocks.push({type: "rich_text", elements: rich})
      }
    }
    return blocks
  }

  #element(element: Element, style: Style, link: string | undefined): void {
    const {type, attrs, children} = element
    if (type === "quote" || isControl(element)) return
    if (files.has(type)) this.#file(element, style)
    else if (type === "at" || type === "sharp")
      this.#line.push(mentionOf(element) ?? {type: "text", text: textOf(element)})
    else if (type === "pre" || (type === "code" && textOf(children).includes("\n")))
      this.#preformatted(textOf(children))
    else if (type === "a" && typeof attrs.href === "string") this.#link(attrs.href, element, style)
    else if (/^h[1-3]$/.test(type)) this.#heading(children, style)
    else if (type === "hr") this.#add({type: "divider"})
    else if (type === "blockquote") this.#add({type: "rich_text_quote", elements: inlinesOf(children)})
    else if (isList(element)) this.#list(element, 0)
    else if (type === "card") this.#card(element, style)
    else {
      if (children.length === 0) this.#say(textOf(element), style, link)
      this.write(children, {...style, ...styles[type]}, link)
    }
  }

  #link(href: string, element: Element, style: Style): void {
    if (!/^(https?|mailto|tel):[^\s]+$/i.test(href)) this.#say(textOf(element), style)
    else if (textOf(element.children) === "") this.#line.push({type: "link", url: href})
    else this.write(element.children, style, href)
  }

  #file({type, attrs, children}: Element, style: Style): void {
    const src = String(attrs.src ?? "")
    const title = attrs.title === undefined ? undefined : String(attrs.title)
    if (!src.startsWith(uploaded)) this.#say(textOf({type, attrs, children}), style)
    else this.files.push({id: src.slice(uploaded.length), ...(title === undefined ? {} : {title})})
  }

  #preformatted(text: string): void {
    if (text !== "") this.#add({type: "rich_text_preformatted", elements: [{type: "text", text}]})
  }

  /** A header shows only text. */
  #heading(children: readonly Node[], style: Style): void {
    const text = textOf(children).trim()
    if (text !== "" && text.length <= limits.header && isText(children))
      this.#add({type: "header", text: plain(text, limits.header)})
    else this.write(children, {...style, bold: true})
  }

  /** Slack nests no lists: one inside another is a list after its item, further to the right. */
  #list({type, attrs, children}: Element, indent: number): void {
    const start = Number(attrs.start ?? 1)
    let offset = Number.isInteger(start) && start > 0 ? start - 1 : 0
    let items: Block[] = []
    const end = () => {
      const numbers = type === "ol" ? ({style: "ordered", offset} as const) : ({style: "bullet"} as const)
      if (items.length > 0)
        this.#add({type: "rich_text_list", indent: Math.min(indent, limits.indent), ...numbers, elements: items})
      offset += items.length
      items = []
    }
    for (const {children: inside} of children.filter(isElement)) {
      const elements = inlinesOf(inside.filter(node => !isList(node)))
      items.push({type: "rich_text_section", elements: elements.length === 0 ? [{type: "text", text: " "}] : elements})
      for (const list of inside.filter(isList)) {
        end()
        this.#list(list, indent + 1)
      }
    }
    end()
  }

  #card({attrs: {title, href}, children}: Element, style: Style): void {
    if (title !== undefined && href === undefined) this.#heading([String(title)], style)
    if (href !== undefined) this.write([h("a", {href: String(href)}, String(title ?? ""))], {...style, bold: true})
    this.#startLine()
    let fields: object[] = []
    const end = () => {
      if (fields.length > 0) this.#add({type: "section", fields})
      fields = []
    }
    for (const child of children) {
      const field = isElement(child) ? fieldOf(child) : undefined
      if (field === undefined || fields.length === limits.fields) end()
      if (field !== undefined) fields.push(field)
      else if (!isElement(child)) this.#say(child, style)
      else if (child.type === "card-field") {
        this.#startLine()
        this.write([h("b", String(child.attrs.title ?? "")), "\n", ...child.children], style)
        this.#startLine()
      } else if (pictureOf(child) === undefined) this.write([child], style)
      else this.#add(pictureOf(child) ?? {})
    }
    end()
  }

  #startLine(): void {
    const last = this.#line.at(-1)
    if (last !== undefined && !(last.type === "text" && last.text.endsWith("\n"))) this.#say("\n", {})
  }

  #say(text: string, style: Style, link?: string): void {
    const said = this.#line.length === 0 && this.#parts.length > 0 ? text.replace(/^\n/, "") : text
    if (said === "") return
    const styled = Object.keys(style).length === 0 ? {} : {style}
    this.#line.push(
      link === undefined ? {type: "text", text: said, ...styled} : {type: "link", url: link, text: said, ...styled},
    )
  }

  #add(part: Block): void {
    this.#end()
    this.#parts.push(part)
  }

  /** Ends the text, without its last line end. */
  #end(): void {
    const last = this.#line.at(-1)
    if (last?.type === "text") {
      const text = last.text.replace(/\n$/, "")
      this.#line.splice(-1, 1, ...(text === "" ? [] : [{...last, text}]))
    }
    const isBlank = this.#line.every(each => each.type === "text" && !each.text.trim())
    if (!isBlank) this.#parts.push({type: "rich_text_section", elements: this.#line})
    this.#line = []
  }
}

const isRich = (part: Block): boolean => String(part.type).startsWith("rich_text_")
