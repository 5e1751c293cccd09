import {Problem} from "../../../shared/problems.ts"
import type {Source} from "../../runtime/outgoing/bounded-stream.ts"

const shape = /^data:([^,]*),/i

const isBase64 = (head: string): boolean => /;\s*base64\s*$/i.test(head)

/** Returns the MIME type in a `data:` URL, with its parameters. */
export const typeOfDataUrl = (src: string): string | undefined => shape.exec(src)?.[1]

/** Returns the most bytes that the URL can contain; the exact number for base64. */
export const sizeOfDataUrl = (src: string): number => {
  const [whole = "", head = ""] = shape.exec(src) ?? []
  const length = src.length - whole.length
  if (!isBase64(head)) return length
  const padding = src.endsWith("==") ? 2 : src.endsWith("=") ? 1 : 0
  return Math.floor((length * 3) / 4) - (length % 4 === 0 ? padding : 0)
}

/** Opens the bytes of the URL (RFC 2397). Throws `file_refused` if it is malformed. */
export const openDataUrl = (src: string): Source => {
  const [whole, head = ""] = shape.exec(src) ?? []
  const bytes = whole === undefined ? undefined : decode(src.slice(whole.length), isBase64(head))
  if (bytes === undefined) throw new Problem("file_refused", "its data: address is incomplete or malformed")
  return {body: new Blob([bytes]).stream(), size: bytes.length}
}

const decode = (data: string, base64: boolean): Uint8Array<ArrayBuffer> | undefined => {
  try {
    const text = decodeURIComponent(data)
    if (!base64) return new TextEncoder().encode(text)
    return /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text) ? Uint8Array.from(Buffer.from(text, "base64")) : undefined
  } catch {
    return undefined
  }
}
