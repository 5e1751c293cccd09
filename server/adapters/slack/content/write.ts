import {type Element, isElement, type Node, textOf} from "../../../../shared/sdk/sdk.ts"
import {isTs} from "../api/payload.ts"
import {type Block, controlBlocks, isControl} from "./blocks.ts"

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

interface Style {
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  readonly code?: true
}

const styles: Readonly<Record<string, Style>> = {
  b: {bold: true},
  strong: {bold: true},
  i: {italic: true},
  em: {italic: true},
  s: {strike: true},
  del: {strike: true},
  code: {code: true},
}

const lineAfter: ReadonlySet<string> = new Set(["p", "message", "br"])
const files: ReadonlySet<string> = new Set(["img", "audio", "video", "file"])

/**
 * An element of a `rich_text` block (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block). Slack shows
 * its text unchanged: no part becomes formatting, an emoji or a mention.
 */
type Inline =
  | {readonly type: "text"; readonly text: string; readonly style?: Style}
  | {readonly type: "link"; readonly url: string; readonly text?: string; readonly style?: Style}
  | {readonly type: "user"; readonly user_id: string}
  | {readonly type: "channel"; readonly channel_id: string}
  | {readonly type: "usergroup"; readonly usergroup_id: string}
  | {readonly type: "broadcast"; readonly range: "channel" | "here" | "everyone"}

export const writeMessage = (content: readonly Node[]): Written => {
  const writer = new Writer()
  writer.write(content, {})
  const {sections, files} = writer.end()
  const controls = controlBlocks(content)
  const quote = content.find((node): node is Element => isElement(node) && node.type === "quote")?.attrs.id
  return {
    text: sections.flatMap(({elements}) => elements.map(shownOf)).join("") || textOf(content).trim() || "…",
    blocks: [...(sections.length === 0 ? [] : [{type: "rich_text", elements: sections}]), ...controls],
    files,
    ...(isTs(quote) ? {quote} : {}),
  }
}

interface Section {
  readonly type: "rich_text_section" | "rich_text_preformatted"
  readonly elements: Inline[]
}

class Writer {
  readonly #sections: Section[] = []
  readonly #files: {readonly id: string; readonly title?: string}[] = []

  write(nodes: readonly Node[], style: Style, link?: string): void {
    for (const node of nodes) {
      if (isElement(node)) this.#element(node, style, link)
      else this.#say(node, style, link)
    }
  }

  /** Returns the result, without the last line end. */
  end(): {readonly sections: readonly Section[]; readonly files: Written["files"]} {
    const elements = this.#sections.at(-1)?.elements
    const last = elements?.at(-1)
    if (elements !== undefined && last?.type === "text") {
      const text = last.text.replace(/\n$/, "")
      elements.splice(-1, 1, ...(text === "" ? [] : [{...last, text}]))
    }
    const isBlank = this.#sections.every(({elements}) =>
      elements.every(each => each.type === "text" && !each.text.trim()),
    )
    return {sections: isBlank ? [] : this.#sections.filter(({elements}) => elements.length > 0), files: this.#files}
  }

  #element(element: Element, style: Style, link: string | undefined): void {
    const {type, attrs, children} = element
    if (type === "quote" || isControl(element)) return
    if (files.has(type)) this.#file(element, style)
    else if (type === "at" || type === "sharp") this.#add(mentionOf(element) ?? {type: "text", text: textOf(element)})
    else if (type === "pre" || (type === "code" && textOf(children).includes("\n")))
      this.#preformatted(textOf(children))
    else if (type === "a" && typeof attrs.href === "string") this.#link(attrs.href, element, style)
    else {
      if (children.length === 0) this.#say(textOf(element), style, link)
      this.write(children, {...style, ...styles[type]}, link)
      if (lineAfter.has(type)) this.#say("\n", style, link)
    }
  }

  #link(href: string, element: Element, style: Style): void {
    if (!/^(https?|mailto|tel):[^\s]+$/i.test(href)) this.#say(textOf(element), style)
    else if (textOf(element.children) === "") this.#add({type: "link", url: href})
    else this.write(element.children, style, href)
  }

  #file({type, attrs, children}: Element, style: Style): void {
    const src = String(attrs.src ?? "")
    const title = attrs.title === undefined ? undefined : String(attrs.title)
    if (src.startsWith(uploaded)) {
      this.#files.push({id: src.slice(uploaded.length), ...(title === undefined ? {} : {title})})
      return
    }
    if (/^https?:[^\s]+$/i.test(src)) this.#add({type: "link", url: src, text: title ?? `[${type}]`})
    else this.#say(textOf({type, attrs, children}), style)
  }

  #say(text: string, style: Style, link?: string): void {
    if (text === "") return
    const styled = Object.keys(style).length === 0 ? {} : {style}
    this.#add(link === undefined ? {type: "text", text, ...styled} : {type: "link", url: link, text, ...styled})
  }

  #add(inline: Inline): void {
    const section = this.#sections.at(-1)
    if (section?.type === "rich_text_section") section.elements.push(inline)
    else this.#sections.push({type: "rich_text_section", elements: [inline]})
  }

  #preformatted(text: string): void {
    if (text !== "") this.#sections.push({type: "rich_text_preformatted", elements: [{type: "text", text}]})
  }
}

const mentionOf = ({type, attrs}: Element): Inline | undefined => {
  const id = String(attrs.id ?? "")
  if (type === "sharp") return /^[CG][A-Z0-9]+$/.test(id) ? {type: "channel", channel_id: id} : undefined
  if (/^[UW][A-Z0-9]+$/.test(id)) return {type: "user", user_id: id}
  const role = String(attrs.role ?? "")
  if (/^S[A-Z0-9]+$/.test(role)) return {type: "usergroup", usergroup_id: role}
  if (attrs.type === "here") return {type: "broadcast", range: "here"}
  if (attrs.type === "all") return {type: "broadcast", range: attrs.name === "everyone" ? "everyone" : "channel"}
  return undefined
}

/**
 * Escapes the three characters that Slack interprets in a text
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping).
 */
export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const shownOf = (inline: Inline): string => {
  switch (inline.type) {
    case "user":
      return `<@${inline.user_id}>`
    case "channel":
      return `<#${inline.channel_id}>`
    case "usergroup":
      return `<!subteam^${inline.usergroup_id}>`
    case "broadcast":
      return `<!${inline.range}>`
    case "link":
      return escapeText(inline.text ?? inline.url)
    default:
      return escapeText(inline.text)
  }
}
