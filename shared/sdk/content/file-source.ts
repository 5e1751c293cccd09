import {omitUndefined} from "../../json.ts"

/** A file that plugin code named with `file(source)`. Text or JSON cannot create one, and JSON does not keep it. */
export interface ProjectFile {
  readonly [brand]: string
  readonly name?: string
  readonly type?: string
  readonly limit?: number
}

export interface FileOptions {
  /** The name that users see; the last part of the path or address when left out. */
  readonly name?: string
  /** The media type, such as `image/png`. When left out, the server's, or else that of the file extension. */
  readonly type?: string
  /** The most bytes that the Host downloads from an address, up to 1 GiB; 32 MiB when left out. */
  readonly limit?: number
}

/** The same in every copy of this module. Text and JSON cannot create a symbol. */
const brand: unique symbol = Symbol.for("svc.file")

/** The size limits of a file that is read, in bytes: the default, and the most that a plugin may set. */
export const fetchLimits = {usual: 32 * 1024 * 1024, most: 1024 * 1024 * 1024} as const

/** Returns the file that `file(source)` names. Throws a TypeError. */
export const projectFile = (source: string | URL, options: FileOptions = {}): ProjectFile => {
  const made = {[brand]: sourceOf(source), ...optionsOf(options)}
  // Not enumerable, so that a copy of its fields is not a file.
  return Object.defineProperty(made, brand, {enumerable: false})
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text)

const sourceOf = (source: unknown): string => {
  if (source instanceof URL) {
    if (isAddress(source.href)) return source.href
    throw new TypeError(`file(url) accepts http: and https: addresses, not ${source.protocol}`)
  }
  if (typeof source !== "string" || source === "" || source.includes("\0"))
    throw new TypeError("file(source) needs a path or an address: non-empty text without NUL")
  return source
}

const optionsOf = ({name, type, limit}: FileOptions): FileOptions => {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= fetchLimits.most))
    throw new TypeError(`limit must be a whole number of bytes from 1 to ${fetchLimits.most}`)
  return omitUndefined({name, type, limit})
}

const namedBy = (value: unknown): string | undefined => {
  const source = typeof value === "object" && value !== null && brand in value ? value[brand] : undefined
  return typeof source === "string" ? source : undefined
}

/** Returns the path in a result of `file`; undefined for anything else. */
export const pathOf = (value: unknown): string | undefined => {
  const source = namedBy(value)
  return source === undefined || isAddress(source) ? undefined : source
}

/** Returns the address in a result of `file`; undefined for anything else. */
export const fetchedOf = (value: unknown): string | undefined => {
  const source = namedBy(value)
  return source !== undefined && isAddress(source) ? source : undefined
}

/** A file that is not stored yet. */
export type FileSource = ProjectFile | Uint8Array

/** The key under which an element keeps its first `src` until the file is stored. Text and JSON create no symbol. */
export const fileSource: unique symbol = Symbol.for("svc.fileSource")

/** The result of `file`. */
export interface FileElement {
  readonly type: "file"
  readonly attrs: Readonly<Record<string, string | number | boolean>>
  readonly children: readonly never[]
  readonly [fileSource]: FileSource
}

/** Returns the file that the `src` of an element is; undefined for text. */
export const sourceIn = (src: unknown): FileSource | undefined => {
  const found = typeof src === "object" && src !== null && fileSource in src ? src[fileSource] : src
  return isFileSource(found) ? found : undefined
}

export const isFileSource = (value: unknown): value is FileSource =>
  value instanceof Uint8Array || namedBy(value) !== undefined

/** The types of elements that show a file. */
export const fileElements: readonly string[] = ["img", "file", "audio", "video"]

/** The prefix of the `src` of stored files: an internal link of Satori v1 (`internal:{platform}/{user}/…`). */
const storedPrefix = "internal:svc/files/"

export const storedSource = (sha256: string): string => `${storedPrefix}${sha256}`

/** Returns the SHA-256 of the stored file that a `src` names; undefined if it names none. */
export const storedHash = (src: unknown): string | undefined => {
  if (typeof src !== "string" || !src.startsWith(storedPrefix)) return undefined
  const hash = src.slice(storedPrefix.length)
  return /^[0-9a-f]{64}$/.test(hash) ? hash : undefined
}

/** A stored file, as an adapter receives it. */
export interface StoredFile {
  /** In hexadecimal; equal for equal content. */
  readonly sha256: string
  /** In bytes. */
  readonly size: number
  /** The name that users see, such as `report.pdf`. */
  readonly name: string
  /** The media type, such as `application/pdf`. */
  readonly type: string
  /** Returns the bytes in chunks, read on demand. Each call reads from the start. */
  stream(): ReadableStream<Uint8Array>
}
