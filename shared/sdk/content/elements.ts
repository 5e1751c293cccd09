import type {Attribute, Elements} from "./element-table.ts"
import {type FileElement, type FileSource, fileSource, sourceIn} from "./file-source.ts"

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

/** The attributes of an element that the table does not have. */
export type Attributes = Readonly<Record<string, Attribute | FileElement | Uint8Array>>

type Own = `${string}-${string}` | `${string}:${string}`

/** A name of the table, an own one, or one that is known at run time only. */
type NameOf<T extends string> = string extends T ? T : T extends keyof Elements | Own ? T : keyof Elements
type AttributesOf<T extends string> = T extends keyof Elements ? Elements[T] : Attributes

/**
 * Builds an element: `h("b", "bold")`, `h("img", {src})`. The compiler knows the attributes of each element. The `src`
 * of `img`, `file`, `audio` and `video` is an address that the platform reads, the result of `file`, bytes, or the
 * `src` of a stored file.
 */
export const h = <T extends string>(
  type: NameOf<T>,
  attrs: AttributesOf<T> | Node = {} as AttributesOf<T>,
  ...children: Node[]
): Element => {
  if (typeof attrs === "string" || isElement(attrs)) return {type, attrs: {}, children: [attrs, ...children]}
  const given = Object.entries(attrs).filter(
    (entry): entry is [string, string | number | boolean] => entry[1] !== undefined && sourceIn(entry[1]) === undefined,
  )
  const source = sourceIn((attrs as Attributes).src)
  const shown = source === undefined ? {} : {[fileSource]: source}
  return {type, attrs: Object.fromEntries(given), children, ...shown}
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

/** The element types that are files in Satori v1. */
export const fileTypes = ["img", "audio", "video", "file"] as const
export type FileType = (typeof fileTypes)[number]

export const fileTypeOf = ({type}: Element): FileType | undefined => fileTypes.find(each => each === type)
