import {Readable} from "node:stream"
import type {ReadableStream as NodeStream} from "node:stream/web"
import type {SendMailOptions} from "nodemailer"
import {type Element, type Endpoint, isElement, type Node, type StoredFile, textOf} from "../../../../shared/sdk/sdk.ts"
import {lineOf} from "../content/headers.ts"
import {isLink} from "../content/html.ts"

/** The subject of a new mail is the beginning of its text, up to this many characters. */
const longestSubject = 78

/** The element whose text is the subject of a new mail. */
const subjectType = "email:subject"

/** A message in the forms that a mail needs. */
export interface Composed {
  readonly text: string
  /** Absent for text without markup. */
  readonly html?: string
  readonly attachments: NonNullable<SendMailOptions["attachments"]>
  /** The approximate size of the whole mail, in bytes. */
  readonly size: number
  readonly subject: string
  /** The id of the quoted message. */
  readonly quoted?: string
}

/** A file of the message, with the content id if the HTML shows it. */
interface Shown {
  readonly file: StoredFile
  readonly cid?: string
}

type FilesOf = ReadonlyMap<Element, Shown>

/** Composes a mail. `name` makes the content ids unique. */
export const compose = async (content: readonly Node[], file: Endpoint["file"], name: string): Promise<Composed> => {
  const files = new Map<Element, Shown>()
  for (const element of elementsOf(content)) {
    const stored = await file(element)
    if (stored === undefined) continue
    const isImage = element.type === "img" && stored.type.startsWith("image/")
    files.set(element, {file: stored, ...(isImage ? {cid: `${files.size}.${name}`} : {})})
  }
  const said = withoutElements(content, element => files.has(element) || element.type === subjectType)
  const text = textOf(said).trim()
  const isMarked = elementsOf(content).some(element => !plainTypes.has(element.type))
  const subject = elementsOf(content).find(({type}) => type === subjectType)
  const quoted = elementsOf(content).find(({type}) => type === "quote")?.attrs.id
  const bytes = [...files.values()].reduce((sum, shown) => sum + encodedSize(shown.file.size), 0)
  return {
    text,
    ...(isMarked ? {html: htmlOf(content, files)} : {}),
    attachments: [...files.values()].map(attachmentOf),
    size: bytes + 4 * text.length + 4096,
    subject: lineOf(subject === undefined ? text : textOf(subject.children))
      .slice(0, longestSubject)
      .toWellFormed(),
    ...(typeof quoted === "string" ? {quoted} : {}),
  }
}

/** Base64 adds a line end for every 57 bytes. */
const encodedSize = (size: number): number => Math.ceil(size / 57) * 78 + 512

const attachmentOf = ({file, cid}: Shown) => ({
  filename: lineOf(file.name),
  contentType: file.type,
  // The class has two declarations, the browser's and Node's.
  content: Readable.fromWeb(file.stream() as unknown as NodeStream),
  ...(cid === undefined ? {} : {cid}),
})

/** Elements that need no HTML, because their text is enough. */
const plainTypes = new Set([
  "p",
  "br",
  "message",
  "quote",
  "author",
  "at",
  "sharp",
  "file",
  "audio",
  "video",
  subjectType,
])

const elementsOf = (nodes: readonly Node[]): readonly Element[] =>
  nodes.filter(isElement).flatMap(element => [element, ...elementsOf(element.children)])

const withoutElements = (nodes: readonly Node[], isOut: (element: Element) => boolean): readonly Node[] =>
  nodes.flatMap((node): readonly Node[] => {
    if (!isElement(node)) return [node]
    return isOut(node) ? [] : [{...node, children: withoutElements(node.children, isOut)}]
  })

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "<br>\n",
}

const escaped = (text: string): string => text.replace(/[&<>"\n]/g, character => escapes[character] ?? character)

/** Elements with a counterpart in HTML, and its name there. */
const tags: Readonly<Record<string, string>> = {
  b: "b",
  strong: "b",
  i: "i",
  em: "i",
  u: "u",
  ins: "u",
  s: "s",
  del: "s",
  code: "code",
  sup: "sup",
  sub: "sub",
  p: "p",
}

const htmlOf = (nodes: readonly Node[], files: FilesOf): string =>
  nodes.map(node => (isElement(node) ? htmlOfElement(node, files) : escaped(node))).join("")

const htmlOfElement = (element: Element, files: FilesOf): string => {
  const {type, attrs, children} = element
  const shown = files.get(element)
  if (shown !== undefined)
    return shown.cid === undefined ? "" : `<img src="cid:${shown.cid}" alt="${escaped(lineOf(shown.file.name))}">`
  if (type === "quote" || type === subjectType) return ""
  if (type === "br") return "<br>\n"
  const inner = htmlOf(children, files)
  const tag = tags[type]
  if (tag !== undefined) return `<${tag}>${inner}</${tag}>`
  if (type === "message") return `<div>${inner}</div>`
  if (type === "a" && isLink(String(attrs.href ?? "")))
    return `<a href="${escaped(String(attrs.href))}">${inner === "" ? escaped(String(attrs.href)) : inner}</a>`
  return inner === "" ? escaped(textOf(element)) : inner
}
