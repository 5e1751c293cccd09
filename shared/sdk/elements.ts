import {type FileSource, fileSource, isFileSource} from "./files/file-source.ts"

/** One node of a Satori message tree. Unknown types are kept and degrade to their text. */
export interface Element {
  readonly type: string
  readonly attrs: Readonly<Record<string, string | number | boolean>>
  readonly children: readonly Node[]
  /** What `src` was given as, where that is no text; the Host stores it when the message is queued. */
  readonly [fileSource]?: FileSource
}

/** A string is text, never markup: what a user wrote cannot become an element. */
export type Node = string | Element

/** What a handler may send or return. */
export type Content = Node | readonly Node[]

/** Attributes as `h` takes them: `src` may be what `file` returns, or bytes. */
export type Attributes = Readonly<Record<string, string | number | boolean | FileSource | undefined>>

/**
 * Builds an element: `h("b", "bold")`, `h("img", {src})`. The `src` of `img`, `file`, `audio` and `video` is a URL, what
 * `file(path)` returns, bytes, or the `src` of a stored file; `title` is the name that people see, `type` the media type.
 */
export const h = (type: string, attrs: Attributes | Node = {}, ...children: Node[]): Element => {
  if (typeof attrs === "string" || isElement(attrs)) return {type, attrs: {}, children: [attrs, ...children]}
  const given = Object.entries(attrs).filter(
    (entry): entry is [string, string | number | boolean] => entry[1] !== undefined && !isFileSource(entry[1]),
  )
  const {src} = attrs
  const source = isFileSource(src) ? {[fileSource]: src} : {}
  return {type, attrs: Object.fromEntries(given), children, ...source}
}

export const isElement = (value: unknown): value is Element =>
  typeof value === "object" && value !== null && "children" in value && Array.isArray(value.children) && "type" in value

/** One text or element as a list of one. */
export const nodesOf = (content: Content): readonly Node[] =>
  typeof content === "string" || isElement(content) ? [content] : content

/** Content in which each element became what `change` makes of it: children first, one after the other, in their order. */
export const changeElements = async (
  nodes: readonly Node[],
  change: (element: Element) => Promise<Element>,
): Promise<readonly Node[]> => {
  const changed: Node[] = []
  for (const node of nodes) {
    if (!isElement(node)) changed.push(node)
    else changed.push(await change({...node, children: await changeElements(node.children, change)}))
  }
  return changed
}

const escapes: Record<string, string> = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
const escapeText = (text: string): string => text.replace(/[&<>"]/g, character => escapes[character] ?? character)

const renderAttribute = ([name, value]: [string, string | number | boolean]): string => {
  if (value === true) return ` ${name}`
  if (value === false) return ` no-${name}`
  return ` ${name}="${escapeText(String(value))}"`
}

const renderNode = (node: Node): string => {
  if (typeof node === "string") return escapeText(node)
  const opening = `<${node.type}${Object.entries(node.attrs).map(renderAttribute).join("")}`
  return node.children.length === 0
    ? `${opening}/>`
    : `${opening}>${node.children.map(renderNode).join("")}</${node.type}>`
}

/** The Satori content string of a tree (Satori v1, message elements). */
export const renderContent = (content: Content): string => nodesOf(content).map(renderNode).join("")

const lineAfter = new Set(["p", "message", "br"])

const describeElement = ({type, attrs}: Element): string => {
  switch (type) {
    case "at":
      return `@${attrs.name ?? attrs.id ?? attrs.role ?? attrs.type ?? ""}`
    case "sharp":
      return `#${attrs.name ?? attrs.id ?? ""}`
    case "img":
    case "audio":
    case "video":
    case "file":
      return `[${attrs.title ?? type}] ${String(attrs.src ?? "").startsWith("internal:") ? "" : (attrs.src ?? "")}`.trimEnd()
    default:
      return ""
  }
}

const textOfNode = (node: Node): string => {
  if (typeof node === "string") return node
  const inner = node.children.map(textOfNode).join("")
  const text = inner === "" ? describeElement(node) : inner
  if (node.type === "quote") return ""
  const link =
    node.type === "a" && typeof node.attrs.href === "string" && node.attrs.href !== text ? node.attrs.href : ""
  return (link === "" ? text : `${text} (${link})`.trimStart()) + (lineAfter.has(node.type) ? "\n" : "")
}

/** The plain text of a tree: what a platform without markup shows, files by title and address. A quoted message is left out. */
export const textOf = (content: Content): string => nodesOf(content).map(textOfNode).join("").replace(/\n$/, "")

/** The elements that are files, as Satori v1 names them. */
export const fileTypes = ["img", "audio", "video", "file"] as const
export type FileType = (typeof fileTypes)[number]

export const fileTypeOf = ({type}: Element): FileType | undefined => fileTypes.find(each => each === type)

/** What an element without text in it counts as. */
const wordOf = (element: Element): string => {
  if (fileTypeOf(element) !== undefined) return ""
  return element.type === "a" ? String(element.attrs.href ?? "") : describeElement(element)
}

const writtenIn = (node: Node): string => {
  if (typeof node === "string") return node
  if (node.type === "quote") return ""
  const inner = node.children.map(writtenIn).join("")
  return (inner === "" ? wordOf(node) : inner) + (lineAfter.has(node.type) ? "\n" : "")
}

/**
 * What somebody wrote in a message: what a bot reads. Unlike `textOf`, files add nothing to it, and a link is its text; one without
 * text is its address.
 */
export const writtenText = (content: Content): string => nodesOf(content).map(writtenIn).join("").replace(/\n$/, "")
