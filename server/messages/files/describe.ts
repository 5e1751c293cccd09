import {omitUndefined} from "../../../shared/json.ts"
import {readType, typeOfName} from "../../../shared/media-types.ts"
import {type Element, type FileType, fileTypeOf, isElement, type Node} from "../../../shared/sdk/content/elements.ts"
import {cleanName} from "../../../shared/sdk/files/name.ts"
import type {SessionFile} from "../../../shared/sdk/files/session-file.ts"
import {decodePercent} from "../../runtime/text/percent.ts"
import {sizeOfDataUrl, typeOfDataUrl} from "./data-url.ts"

/** Returns the files of a message, in order, without those of a quoted message. */
export const fileElements = (nodes: readonly Node[]): readonly Element[] =>
  nodes.filter(isElement).flatMap(element => {
    if (element.type === "quote") return []
    const inner = fileElements(element.children)
    return fileTypeOf(element) === undefined ? inner : [element, ...inner]
  })

/** Returns what is known about a file before it is read. */
export const describeFile = (element: Element): Omit<SessionFile, "read"> => {
  const {src} = element.attrs
  const address = typeof src === "string" && src !== "" ? src : undefined
  const name = nameOf(element, address)
  const type = typeOf(element, name, address)
  const size = sizeOf(element, address)
  return {name, ...omitUndefined({type, size, src: address}), element}
}

const isData = (src = ""): boolean => /^data:/i.test(src)

const nameOf = (element: Element, src: string | undefined): string => {
  const {title, name} = element.attrs
  const kind: FileType = fileTypeOf(element) ?? "file"
  return [title, name, src === undefined ? undefined : lastSegment(src)].map(clean).find(each => each !== "") ?? kind
}

const lastSegment = (src: string): string => {
  if (isData(src)) return ""
  return decodePercent(URL.parse(src)?.pathname.split("/").at(-1) ?? "")
}

const clean = (text: unknown): string => (typeof text === "string" ? cleanName(text) : "")

const typeOf = ({attrs}: Element, name: string, src: string | undefined): string | undefined =>
  readType(attrs.type) ??
  readType(attrs.mime) ??
  (src !== undefined && isData(src) ? readType(typeOfDataUrl(src)) : undefined) ??
  typeOfName(name) ??
  (src === undefined ? undefined : typeOfName(lastSegment(src)))

const sizeOf = ({attrs}: Element, src: string | undefined): number | undefined => {
  const said = /^[0-9]{1,15}$/.test(String(attrs.size ?? "")) ? Number(attrs.size) : undefined
  return src !== undefined && isData(src) ? sizeOfDataUrl(src) : said
}
