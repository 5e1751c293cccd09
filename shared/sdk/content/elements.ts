import {type FileSource, fileSource, isFileSource} from "./file-source.ts"

/** One node of a Satori message tree. Unknown types are kept; platforms show their text. */
export interface Element {
  readonly type: string
  readonly attrs: Readonly<Record<string, string | number | boolean>>
  readonly children: readonly Node[]
  /** The file passed as `src`, if it is not text. The Host stores the file when the message is queued. */
  readonly [fileSource]?: FileSource
}

/** A string is text and never markup, so that user input cannot become an element. */
export type Node = string | Element

/** Content that a handler may send or return. */
export type Content = Node | readonly Node[]

/** The attributes that `h` accepts. `src` may be the result of `file`, or bytes. */
export type Attributes = Readonly<Record<string, string | number | boolean | FileSource | undefined>>

/**
 * Builds an element: `h("b", "bold")`, `h("img", {src})`. The `src` of `img`, `file`, `audio` and `video` is a URL, the
 * result of `file(path)`, bytes, or the `src` of a stored file. `title` is the file name that users see, `type` the
 * media type.
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

/** Returns content as a list. */
export const nodesOf = (content: Content): readonly Node[] =>
  typeof content === "string" || isElement(content) ? [content] : content

/** Returns the content with each element replaced by the result of `change`: children first, one by one, in order. */
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

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

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

/** Returns the Satori content string of a tree (Satori v1, message elements). */
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

/** Returns the text of a tree, as a platform without markup shows it: files by title and address, no quoted message. */
export const textOf = (content: Content): string => nodesOf(content).map(textOfNode).join("").replace(/\n$/, "")

/** The element types that are files in Satori v1. */
export const fileTypes = ["img", "audio", "video", "file"] as const
export type FileType = (typeof fileTypes)[number]

export const fileTypeOf = ({type}: Element): FileType | undefined => fileTypes.find(each => each === type)

/** The text that stands for an element without text. */
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

/** Returns a message's text for a bot to read. Unlike `textOf`, without files, and with a link's text or address. */
export const writtenText = (content: Content): string => nodesOf(content).map(writtenIn).join("").replace(/\n$/, "")
