import {type Element, fileElement, h, isElement, type Node} from "../../../../shared/sdk/sdk.ts"
import {type Fields, fieldsIn, numberIn, textIn} from "../client/json.ts"
import type {Self} from "../client/login.ts"
import {type HtmlElement, type HtmlNode, parseHtml} from "./html.ts"
import {isLink, namedBy} from "./links.ts"

/** HTML tags and the elements with the same meaning. */
const inline: Readonly<Record<string, string>> = {
  b: "b",
  strong: "b",
  i: "i",
  em: "i",
  u: "u",
  s: "s",
  del: "s",
  strike: "s",
  code: "code",
  sup: "sup",
  sub: "sub",
}

const blocks: ReadonlySet<string> = new Set([
  "p",
  "div",
  "blockquote",
  "pre",
  "ul",
  "ol",
  "li",
  "table",
  "thead",
  "tbody",
  "tr",
  "caption",
  "hr",
  "details",
  "summary",
  ...["h1", "h2", "h3", "h4", "h5", "h6"],
])

const isBlock = (node: HtmlNode | undefined): boolean => typeof node === "object" && blocks.has(node.tag)

/** Returns the elements of a `formatted_body`. Drops tags that Matrix does not allow, but keeps their content. */
export const nodesOfHtml = (html: string, self: Self): readonly Node[] => {
  const nodes = inside(parseHtml(html), {self, isCode: false})
  const [only] = nodes
  return nodes.length === 1 && only !== undefined && isElement(only) && only.type === "p" ? only.children : nodes
}

interface Context {
  readonly self: Self
  /** Whether to keep white space. */
  readonly isCode: boolean
}

const inside = (children: readonly HtmlNode[], context: Context): readonly Node[] =>
  children.flatMap((child, index): readonly Node[] => {
    if (typeof child !== "string") return nodesOf(child, context)
    if (context.isCode) return [child]
    const text = child.replace(/[ \t\r\n\f]+/g, " ")
    const isBetween = isBlock(children[index - 1]) || isBlock(children[index + 1])
    return text === "" || (text === " " && isBetween) ? [] : [text]
  })

const nodesOf = (element: HtmlElement, context: Context): readonly Node[] => {
  const {tag, attrs, children} = element
  const content = () => inside(children, context)
  const type = inline[tag]
  if (type !== undefined)
    return [h(type, {}, ...inside(children, {...context, isCode: context.isCode || tag === "code"}))]
  switch (tag) {
    case "br":
      return [h("br")]
    case "hr":
      return [h("p", "———")]
    case "a":
      return [linkOf(attrs.href ?? "", content(), context.self)]
    case "span":
      return "data-mx-spoiler" in attrs ? [h("spl", {}, ...content())] : content()
    case "img":
      return imageOf(element)
    case "pre":
      return [h("p", {}, ...inside(children, {...context, isCode: true}))]
    case "blockquote":
      return [h("p", {}, "> ", ...unwrapped(content()))]
    case "ul":
    case "ol":
      return listOf(element, context)
    case "td":
    case "th":
      return [...content(), " "]
  }
  if (/^h[1-6]$/.test(tag)) return [h("p", h("b", {}, ...content()))]
  return isBlock(element) && tag !== "table" && tag !== "thead" && tag !== "tbody"
    ? [h("p", {}, ...content())]
    : content()
}

/** A single paragraph in a block adds no extra line. */
const unwrapped = (nodes: readonly Node[]): readonly Node[] => {
  const [only] = nodes
  return nodes.length === 1 && only !== undefined && isElement(only) && only.type === "p" ? only.children : nodes
}

const listOf = ({tag, attrs, children}: HtmlElement, context: Context): readonly Node[] => {
  const start = Number.parseInt(attrs.start ?? "1", 10)
  return children
    .filter((child): child is HtmlElement => typeof child !== "string")
    .map((item, index) => {
      const mark = tag === "ol" ? `${(Number.isNaN(start) ? 1 : start) + index}. ` : "- "
      return h("p", {}, mark, ...unwrapped(inside(item.children, context)))
    })
}

const linkOf = (href: string, children: readonly Node[], self: Self): Node => {
  const named = namedBy(href)
  if (named?.is === "user") return mentionOf(named.id, plainText(children), self)
  if (named?.is === "room") return h("sharp", {id: named.id, name: plainText(children).replace(/^#/, "") || undefined})
  return isLink(href) ? h("a", {href}, ...children) : h("span", {}, ...children)
}

const plainText = (nodes: readonly Node[]): string =>
  nodes.map(node => (isElement(node) ? plainText(node.children) : node)).join("")

/** The bot's mention shows the name from `endpoint.login`, so that a message starting with it addresses the bot. */
const mentionOf = (id: string, written: string, self: Self): Element => {
  const name = id === self.id ? self.name : written.replace(/^@/, "").trim()
  return h("at", {id, name: name === "" ? undefined : name})
}

const imageOf = ({attrs}: HtmlElement): readonly Node[] => {
  const name = attrs.alt ?? attrs.title ?? ""
  const {src = ""} = attrs
  if ("data-mx-emoticon" in attrs || !src.startsWith("mxc://")) return name === "" ? [] : [name]
  return [h("img", {src, title: name === "" ? undefined : name})]
}

/** Removes the lines of a reply before v1.13 that repeat the quoted message. */
const withoutFallback = (body: string): string => {
  if (!/^> (\* )?<@[^>]*>/.test(body)) return body
  const lines = body.split("\n")
  const first = lines.findIndex(line => !line.startsWith(">"))
  return first < 0 ? "" : lines.slice(lines[first] === "" ? first + 1 : first).join("\n")
}

export interface Read {
  readonly self: Self
  /** The sender's name, for `/me` messages. */
  readonly name: string
  /** Whether the message is a reply, which may begin with the quoted message. */
  readonly isReply: boolean
}

const textNodes = (content: Fields, {self, isReply}: Read): readonly Node[] => {
  const html = textIn(content, "format") === "org.matrix.custom.html" ? textIn(content, "formatted_body") : undefined
  if (html !== undefined && html !== "") return nodesOfHtml(html, self)
  const body = textIn(content, "body") ?? ""
  const text = isReply ? withoutFallback(body) : body
  return text === "" ? [] : [text]
}

const media: ReadonlySet<string> = new Set(["m.image", "m.file", "m.audio", "m.video", "m.sticker"])

/** The type of a file without a media type, by its kind. */
const usualType: Readonly<Record<string, string>> = {
  "m.image": "image/*",
  "m.sticker": "image/*",
  "m.audio": "audio/*",
  "m.video": "video/*",
}

const fileNodes = (content: Fields, kind: string, read: Read): readonly Node[] => {
  const src = textIn(content, "url")
  const info = fieldsIn(content, "info")
  const body = textIn(content, "body")
  const name = textIn(content, "filename") ?? body
  if (src === undefined || !src.startsWith("mxc://")) return body === undefined ? [] : [body]
  const size = numberIn(info, "size")
  const type = textIn(info, "mimetype")
  const element = fileElement({
    src,
    name,
    type: type ?? usualType[kind],
    size: size !== undefined && size >= 0 ? size : undefined,
  })
  const {type: _, ...attrs} = element.attrs
  const shown = type === undefined ? {...element, attrs} : element
  const hasCaption = body !== undefined && content.filename !== undefined && body !== content.filename
  return hasCaption ? [shown, ...textNodes(content, read)] : [shown]
}

/** Returns the elements of an `m.room.message` or `m.sticker`; undefined for kinds that a bot does not read. */
export const nodesOfMessage = (content: Fields, kind: string, read: Read): readonly Node[] | undefined => {
  if (media.has(kind)) return fileNodes(content, kind, read)
  if (kind === "m.emote") return [`* ${read.name} `, ...textNodes(content, read)]
  return kind === "m.text" || kind === "m.location" ? textNodes(content, read) : undefined
}
