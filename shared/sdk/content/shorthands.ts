import type {Elements} from "./element-table.ts"
import {type Content, type Element, h, isElement, type Node, nodesOf} from "./elements.ts"
import {type FileElement, type FileOptions, fileSource, projectFile} from "./file-source.ts"

/** Bold text. */
export const b = (...children: Node[]): Element => h("b", {}, ...children)

/** Text in italics. */
export const i = (...children: Node[]): Element => h("i", {}, ...children)

/** Code within a line. `h("pre", {lang: "ts"}, text)` is a block of code. */
export const code = (text: string): Element => h("code", text)

/** A link. Without a text it shows its address. */
export const link = (href: string, ...children: Node[]): Element =>
  h("a", {href}, ...(children.length === 0 ? [href] : children))

/** A mention of a user, such as `session.user`, or of the user with an id. */
export const mention = (user: string | {readonly id: string; readonly name?: string | undefined}): Element =>
  typeof user === "string" ? h("at", {id: user}) : h("at", {id: user.id, name: user.name})

/** A picture: an address that the platform reads, the result of `file`, or bytes. `title` is the text in its place. */
export const image = (src: ImageSource, attrs: Omit<Elements["img"], "src"> = {}): Element => {
  // A path without `file` would be an address that no platform can read.
  if (typeof src === "string" && !/^[a-z][a-z\d+.-]*:/i.test(src))
    throw new TypeError("image(src) needs an address; for a path write image(file(path))")
  return h("img", {...attrs, src})
}

/** Quoted text. `session.reply` answers a message. */
export const quote = (...children: Node[]): Element => h("blockquote", {}, ...children)

/**
 * Returns a file, which content may have, and `src` of `img`, `audio` and `video`. The Host stores it when the message
 * is queued.
 *
 * A path is relative to the project, or absolute. `send` throws `file_path_refused` if it does not exist, is not a
 * regular file, leads out of the project as a relative path, or belongs to the Host (`.svc/`, `.git/`, `.env`, the
 * configuration, the database).
 *
 * The Host fetches an `http:` or `https:` address. It never reads from a private network, even after redirects, except
 * from the hosts in `files.allowPrivate`. `send` throws `file_refused`, `file_unavailable`, `file_too_large`.
 */
export const file = (source: string | URL | Uint8Array, options: FileOptions = {}): FileElement => {
  const {name: title, type} = options
  const [src, attrs] = source instanceof Uint8Array ? [source, {title, type}] : [projectFile(source, options), {}]
  return {type: "file", attrs: h("file", attrs).attrs, children: [], [fileSource]: src}
}

export interface ListOptions {
  /** Numbers the items. */
  readonly ordered?: boolean
  /** The number of the first item; 1 when left out. */
  readonly start?: number
}

/** A list of items, each of which may have lists. */
export const list = (items: readonly Content[], {ordered = false, start}: ListOptions = {}): Element => {
  const children = items.map(item => h("li", {}, ...nodesOf(item)))
  return ordered ? h("ol", {start}, ...children) : h("ul", {}, ...children)
}

export interface TableOptions {
  /** The cells above the rows. */
  readonly header?: readonly Content[]
  /** Where the text of each column stands; left when left out. */
  readonly align?: readonly Elements["td"]["align"][]
}

/** A table of rows of cells. */
export const table = (rows: readonly (readonly Content[])[], {header, align = []}: TableOptions = {}): Element => {
  const row = (type: "th" | "td", cells: readonly Content[]) =>
    h("tr", {}, ...cells.map((cell, column) => h(type, {align: align[column]}, ...nodesOf(cell))))
  return h("table", {}, ...(header === undefined ? [] : [row("th", header)]), ...rows.map(cells => row("td", cells)))
}

export interface CardField {
  readonly title: string
  readonly value: Content
  /** May stand beside the next field. */
  readonly inline?: boolean
}

export interface CardOptions {
  readonly title?: string
  /** The address to which the title leads. */
  readonly href?: string
  /** `#rrggbb` */
  readonly colour?: `#${string}`
  readonly text?: Content
  readonly fields?: readonly CardField[]
  /** The result of `image`, or its `src`. */
  readonly image?: Element | ImageSource
  /** From `action.button` or `action.select`. */
  readonly buttons?: readonly Element[]
}

/** A card: an embed on Discord, blocks on Slack, a frame in HTML, lines of text elsewhere. */
export const card = ({
  title,
  href,
  colour,
  text = [],
  fields = [],
  image: shown,
  buttons = [],
}: CardOptions): Element => {
  if (colour !== undefined && !/^#[\da-f]{6}$/i.test(colour)) throw new TypeError("colour must be #rrggbb")
  const values = fields.map(field =>
    h("card-field", {title: field.title, inline: field.inline}, ...nodesOf(field.value)),
  )
  const images = shown === undefined ? [] : [isImage(shown) ? shown : image(shown)]
  return h("card", {title, href, colour}, ...nodesOf(text), ...values, ...images, ...buttons)
}

type ImageSource = NonNullable<Elements["img"]["src"]>

const isImage = (shown: Element | ImageSource): shown is Element => isElement(shown) && shown.type === "img"

/**
 * Formatted text from CommonMark with tables, strikethrough and task lists (GFM). Text can make links to `http:`,
 * `https:` and `mailto:` addresses, but no mention, HTML or picture: a picture becomes a link. `send` throws
 * `content_invalid` for more than 64 KiB.
 */
export const markdown = (text: string): Element => h("markdown", text)
