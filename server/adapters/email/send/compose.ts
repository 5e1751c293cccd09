import {Readable} from "node:stream"
import type {ReadableStream as NodeStream} from "node:stream/web"
import type {SendMailOptions} from "nodemailer"
import {type Element, type Endpoint, isElement, type Node, textOf} from "../../../../shared/sdk/sdk.ts"
import {lineOf} from "../content/headers.ts"
import {htmlOf, type Shown, subjectType} from "./html.ts"

/** The subject of a new mail is the beginning of its text, up to this many characters. */
const longestSubject = 78

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
  const html = isMarked ? htmlOf(content, files) : undefined
  const bytes = [...files.values()].reduce((sum, shown) => sum + encodedSize(shown.file.size), 0)
  return {
    text,
    ...(html === undefined ? {} : {html}),
    attachments: [...files.values()].map(attachmentOf),
    size: bytes + 4 * (text.length + (html?.length ?? 0)) + 4096,
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
