/** A file that plugin code named by `file(source)`. It cannot be parsed from text or JSON, and JSON does not keep it. */
export interface ProjectFile {
  readonly [brand]: string
  readonly name?: string
  readonly type?: string
  readonly limit?: number
}

export interface FileOptions {
  /** What people see; the last part of the path or the address when left out. */
  readonly name?: string
  /** The media type, such as `image/png`; when left out, what the server says, else by the name's ending. */
  readonly type?: string
  /** The most bytes that the Host takes from an address, up to 1 GiB; 32 MiB when left out. */
  readonly limit?: number
}

/** The same in every copy of this module. No text and no JSON makes a symbol. */
const brand: unique symbol = Symbol.for("svc.file")

/** In bytes: what a fetched file may have unless the plugin says otherwise, and what it may say. */
export const fetchLimits = {usual: 32 * 1024 * 1024, most: 1024 * 1024 * 1024} as const

/**
 * A file for the `src` of `h("img" | "file" | "audio" | "video", {src})`; the Host stores it when the message is queued.
 *
 * A path is relative to the project, or absolute: `send` throws `file_path_refused` for what is not there, is no plain file, leads out
 * of the project by a relative path, or belongs to the Host (`.svc/`, `.git/`, `.env`, the configuration, the database).
 *
 * An `http:` or `https:` address is fetched, never from a private network but those in `files.allowPrivate`, after redirects too:
 * `send` throws `file_refused`, `file_unavailable`, `file_too_large`.
 */
export const file = (source: string | URL, options: FileOptions = {}): ProjectFile => {
  const made = {[brand]: sourceOf(source), ...optionsOf(options)}
  // Not enumerable: no copy of its fields is a file.
  return Object.defineProperty(made, brand, {enumerable: false})
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text)

const sourceOf = (source: unknown): string => {
  if (source instanceof URL) {
    if (isAddress(source.href)) return source.href
    throw new TypeError(`file(url) takes http: and https: addresses, not ${source.protocol}`)
  }
  if (typeof source !== "string" || source === "" || source.includes("\0"))
    throw new TypeError("file(source) needs a path or an address: text that is not empty, without NUL")
  return source
}

const optionsOf = ({name, type, limit}: FileOptions): FileOptions => {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= fetchLimits.most))
    throw new TypeError(`limit is a whole number of bytes, from 1 to ${fetchLimits.most}`)
  return {
    ...(name === undefined ? {} : {name}),
    ...(type === undefined ? {} : {type}),
    ...(limit === undefined ? {} : {limit}),
  }
}

const namedBy = (value: unknown): string | undefined => {
  const source = typeof value === "object" && value !== null && brand in value ? value[brand] : undefined
  return typeof source === "string" ? source : undefined
}

/** The path of what `file` returned; undefined for anything else. */
export const pathOf = (value: unknown): string | undefined => {
  const source = namedBy(value)
  return source === undefined || isAddress(source) ? undefined : source
}

/** The address of what `file` returned; undefined for anything else. */
export const fetchedOf = (value: unknown): string | undefined => {
  const source = namedBy(value)
  return source !== undefined && isAddress(source) ? source : undefined
}

/** What `src` may be beside text: what `file` returned, or the bytes themselves. */
export type FileSource = ProjectFile | Uint8Array

/** Where an element keeps what its `src` was given as, until the file is stored: no text and no JSON makes a symbol. */
export const fileSource: unique symbol = Symbol.for("svc.fileSource")

export const isFileSource = (value: unknown): value is FileSource =>
  value instanceof Uint8Array || namedBy(value) !== undefined

/** Elements that show a file. */
export const fileElements: readonly string[] = ["img", "file", "audio", "video"]

/** Where stored files are, as the `src` of an element: an internal link of Satori v1 (`internal:{platform}/{user}/…`). */
const storedPrefix = "internal:svc/files/"

export const storedSource = (sha256: string): string => `${storedPrefix}${sha256}`

/** The SHA-256 of the stored file that a `src` names; undefined where it names none. */
export const storedHash = (src: unknown): string | undefined => {
  if (typeof src !== "string" || !src.startsWith(storedPrefix)) return undefined
  const hash = src.slice(storedPrefix.length)
  return /^[0-9a-f]{64}$/.test(hash) ? hash : undefined
}

/** A stored file in the hands of an adapter. */
export interface StoredFile {
  /** In hexadecimal: equal for equal content. */
  readonly sha256: string
  /** In bytes. */
  readonly size: number
  /** What people see, such as `report.pdf`. */
  readonly name: string
  /** The media type, such as `application/pdf`. */
  readonly type: string
  /** The bytes in pieces, read as they are taken. Each call reads from the begin. */
  stream(): ReadableStream<Uint8Array>
}
