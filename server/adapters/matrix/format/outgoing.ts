import {type Element, h, isElement, lower, type Node, textOf} from "../../../../shared/sdk/sdk.ts"
import {isLink, linkTo} from "./links.ts"

const tags: Readonly<Record<string, string>> = {
  b: "strong",
  strong: "strong",
  i: "em",
  em: "em",
  u: "u",
  ins: "u",
  s: "del",
  del: "del",
  sup: "sup",
  sub: "sub",
  ul: "ul",
  li: "li",
  blockquote: "blockquote",
  table: "table",
  tr: "tr",
  th: "th",
  td: "td",
  ...Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map(tag => [tag, tag])),
}

/** The blocks of HTML, without the card and what is only a line. */
const blocks = ["h1", "h2", "h3", "h4", "h5", "h6", "hr", "pre", "blockquote", "ul", "ol", "table"] as const

/** Matrix has no buttons, and files that are left in the content have no event. */
const shows = () => false

/** The line ends around a block, which has its own lines. */
const spare =
  /<br>(?=<(?:\/?(?:h[1-6]|li|blockquote|t[dh])|hr|[ou]l|table|pre)\b)|(?<=<(?:\/(?:h[1-6]|blockquote|[ou]l|table|pre)|hr)>)<br>/g

const escapes: Readonly<Record<string, string>> = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, character => escapes[character] ?? character)

/** A part of a message, plain and as HTML. */
interface Part {
  readonly text: string
  readonly html: string
  /** Whether the HTML contains more than the text. */
  readonly isMarked: boolean
}

/** The text of a message for Matrix, and the users that it mentions. */
export interface Text {
  readonly body: string
  /** HTML with tags that the specification allows; undefined if the text has no markup. */
  readonly html: string | undefined
  readonly users: readonly string[]
  readonly isForRoom: boolean
}

/** Uses Unix line ends, and removes control characters that no client shows. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, "")

/**
 * Writes content as text and HTML. Only elements become HTML; text stays text. Leaves out quotes, which `quoteIn`
 * reads, and files, which the caller sends.
 */
export const textOfContent = (content: readonly Node[]): Text => {
  const users = new Set<string>()
  let isForRoom = false
  const plain = (text: string): Part => {
    const cleaned = clean(text)
    return {text: cleaned, html: escapeHtml(cleaned).replaceAll("\n", "<br>"), isMarked: false}
  }
  const joined = (nodes: readonly Node[]): Part => {
    const parts = nodes.map(render)
    return {
      text: parts.map(({text}) => text).join(""),
      html: parts.map(({html}) => html).join(""),
      isMarked: parts.some(part => part.isMarked),
    }
  }
  const wrapped = (inner: Part, opening: string, closing: string): Part => ({
    text: inner.text,
    html: `${opening}${inner.html}${closing}`,
    isMarked: true,
  })
  const mention = ({attrs, children}: Element): Part => {
    const inner = joined(children).text
    if (attrs.type === "all" || attrs.type === "here") {
      isForRoom = true
      return plain("@room")
    }
    const id = String(attrs.id ?? "")
    const name = clean(inner || String(attrs.name ?? (id === "" ? "" : id)))
    if (!/^@[^:\s]*:\S+$/.test(id)) return plain(name.startsWith("@") ? name : `@${name}`)
    users.add(id)
    return {text: name, html: `<a href="${escapeHtml(linkTo(id))}">${escapeHtml(name)}</a>`, isMarked: true}
  }
  const room = ({attrs, children}: Element): Part => {
    const id = String(attrs.id ?? "")
    const name = clean(joined(children).text || String(attrs.name ?? id))
    const text = /^[#!]/.test(name) ? name : `#${name}`
    if (!/^[#!]\S+$/.test(id)) return plain(text)
    return {text, html: `<a href="${escapeHtml(linkTo(id))}">${escapeHtml(text)}</a>`, isMarked: true}
  }
  const link = (element: Element): Part => {
    const inner = joined(element.children)
    const href = clean(String(element.attrs.href ?? ""))
    if (!isLink(href)) return element.children.length === 0 ? plain(href) : inner
    const shown = inner.text === "" ? plain(href) : inner
    const text = shown.text === href ? href : `${shown.text} (${href})`
    return {text, html: `<a href="${escapeHtml(href)}">${shown.html}</a>`, isMarked: true}
  }
  const code = ({type, attrs, children}: Element): Part => {
    const text = clean(textOf(children))
    const lang = String(attrs.lang ?? "").replace(/[^\w+#.-]/g, "")
    const html = `<code${lang === "" ? "" : ` class="language-${lang}"`}>${escapeHtml(text)}</code>`
    return {text, html: type === "pre" || text.includes("\n") ? `<pre>${html}</pre>` : html, isMarked: true}
  }
  const card = (element: Element): Part => {
    const {title, href, colour, ...attrs} = element.attrs
    const name = h("b", {}, href === undefined ? String(title) : h("a", {href: String(href)}, String(title)))
    const isColour = /^#[0-9a-f]{6}$/i.test(String(colour))
    const head = isColour ? wrapped(render(name), `<font data-mx-color="${colour}">`, "</font>") : render(name)
    const rest = joined(lower({...element, attrs}, {has: blocks, shows}))
    const html = title === undefined ? rest.html : `${head.html}<br>${rest.html}`
    return wrapped({...rest, html}, "<blockquote>", "</blockquote>")
  }
  const render = (node: Node): Part => {
    if (!isElement(node)) return plain(node)
    const tag = tags[node.type]
    if (tag !== undefined) return wrapped(joined(node.children), `<${tag}>`, `</${tag}>`)
    switch (node.type) {
      case "ol": {
        const start = Number(node.attrs.start ?? 1)
        return wrapped(
          joined(node.children),
          Number.isInteger(start) && start !== 1 ? `<ol start="${start}">` : "<ol>",
          "</ol>",
        )
      }
      case "hr":
        return wrapped(plain(""), "<hr>", "")
      case "card":
        return card(node)
      case "quote":
        return plain("")
      case "at":
        return mention(node)
      case "sharp":
        return room(node)
      case "a":
        return link(node)
      case "code":
      case "pre":
        return code(node)
      case "spl":
        return wrapped(joined(node.children), "<span data-mx-spoiler>", "</span>")
    }
    return node.children.length === 0 ? plain(textOf(node)) : joined(node.children)
  }
  const {html, isMarked} = joined(lower(content, {has: [...blocks, "card"], shows}))
  const body = joined(lower(content, {has: [], shows})).text.replace(/\n+$/, "")
  const marked = isMarked ? html.replace(spare, "").replace(/(<br>)+$/, "") : undefined
  return {body, html: marked, users: [...users], isForRoom}
}

/** Returns the id of the quoted message. */
export const quoteIn = (content: readonly Node[]): string | undefined => {
  for (const node of content) {
    if (!isElement(node)) continue
    const {id} = node.attrs
    if (node.type === "quote" && typeof id === "string" && id !== "") return id
    const inner = node.type === "quote" ? undefined : quoteIn(node.children)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** The largest JSON of an event's content, in bytes: an event of 64 KiB, minus the fields that the homeserver adds. */
const longestContent = 60_000

/** The longest text for clients without edits, in UTF-16 code units. */
const longestFallback = 1000

/**
 * Returns the content of an event with this text, without its relations. Drops the HTML if it makes the event too
 * large.
 */
export const contentOf = (text: Text, msgtype: string): Readonly<Record<string, unknown>> => {
  const mentions = {
    ...(text.users.length === 0 ? {} : {user_ids: text.users}),
    ...(text.isForRoom ? {room: true} : {}),
  }
  const plain = {msgtype, body: text.body, "m.mentions": mentions}
  if (text.html === undefined) return plain
  const marked = {...plain, format: "org.matrix.custom.html", formatted_body: text.html}
  return Buffer.byteLength(JSON.stringify(marked)) > longestContent ? plain : marked
}

/** Returns the content that replaces another event's (m.replace). */
export const replacing = (
  content: Readonly<Record<string, unknown>>,
  event: string,
): Readonly<Record<string, unknown>> => ({
  msgtype: "m.text",
  body: `* ${String(content.body ?? "")
    .slice(0, longestFallback)
    .toWellFormed()}`,
  "m.mentions": {},
  "m.new_content": content,
  "m.relates_to": {rel_type: "m.replace", event_id: event},
})
