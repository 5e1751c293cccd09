import type {MessageStructureObject} from "imapflow"
import {decodeName} from "../../../../shared/sdk/sdk.ts"
import {lineOf} from "./headers.ts"

/** A part of a mail, by its IMAP number. */
export interface Part {
  readonly part: string
  readonly type: string
}

/** A part that is a file. */
export interface FilePart extends Part {
  readonly name: string
  /** The Content-ID of a picture that the HTML may show, without angle brackets. */
  readonly cid: string | undefined
}

/** The parts of a mail that the adapter reads. */
export interface Outline {
  /** The texts, each as plain text if there is one. `otherwise` is the HTML alternative of a text. */
  readonly texts: readonly (Part & {readonly otherwise?: Part})[]
  readonly files: readonly FilePart[]
  /** The number of files beyond the limit. */
  readonly more: number
}

/** The most texts and files that are read of one mail, and the deepest nesting of parts. */
const mostTexts = 10
const mostFiles = 50
const deepest = 30

const isText = ({type, disposition}: MessageStructureObject): boolean =>
  (type === "text/plain" || type === "text/html") && disposition?.toLowerCase() !== "attachment"

const partOf = ({part = "1", type}: MessageStructureObject): Part => ({part, type: type.toLowerCase()})

const extensionOf = (type: string): string => {
  if (type === "message/rfc822") return ".eml"
  const [, subtype = ""] = /^[a-z]+\/([a-z0-9]{2,5})$/.exec(type) ?? []
  return subtype === "" ? "" : `.${subtype === "jpeg" ? "jpg" : subtype}`
}

const fileOf = (node: MessageStructureObject): FilePart => {
  const part = partOf(node)
  const written = node.dispositionParameters?.filename ?? node.parameters?.name ?? ""
  const name = lineOf(decodeName(written)).replace(/[\\/]/g, "_").slice(0, 200).toWellFormed()
  const cid = node.id?.replace(/^<|>$/g, "")
  return {...part, name: name === "" ? `part-${part.part}${extensionOf(part.type)}` : name, cid}
}

interface Found {
  readonly texts: (Part & {readonly otherwise?: Part})[]
  readonly files: FilePart[]
}

const none: Found = {texts: [], files: []}

const join = (found: readonly Found[]): Found => ({
  texts: found.flatMap(({texts}) => texts),
  files: found.flatMap(({files}) => files),
})

/** Chooses one of several alternatives: the plain text, and the HTML in case the plain text is empty. */
const chooseText = ({texts, files}: Found): Found => {
  const plain = texts.find(({type}) => type === "text/plain")
  const html = texts.find(({type}) => type === "text/html")
  if (plain === undefined) return {texts: html === undefined ? [] : [html], files}
  return {texts: [html === undefined ? plain : {...plain, otherwise: html}], files}
}

const walk = (node: MessageStructureObject, depth: number): Found => {
  const {childNodes} = node
  if (node.type === "message/rfc822") return {texts: [], files: [fileOf(node)]}
  if (childNodes !== undefined) {
    if (depth > deepest) return none
    const found = join(childNodes.map(child => walk(child, depth + 1)))
    return node.type === "multipart/alternative" ? chooseText(found) : found
  }
  if (isText(node)) return {texts: [partOf(node)], files: []}
  return node.type.startsWith("multipart/") ? none : {texts: [], files: [fileOf(node)]}
}

/** Returns the texts to read and the files to attach. A mail inside a mail is a file. */
export const outlineOf = (structure: MessageStructureObject | undefined): Outline => {
  if (structure === undefined) return {texts: [], files: [], more: 0}
  const {texts, files} = walk(structure, 0)
  return {
    texts: texts.slice(0, mostTexts),
    files: files.slice(0, mostFiles),
    more: Math.max(0, files.length - mostFiles),
  }
}
