/** A file that plugin code named by `file(path)`. It cannot be parsed from text or JSON, and JSON does not keep it. */
export interface ProjectFile {
  readonly [brand]: string
  readonly name?: string
  readonly type?: string
}

export interface FileOptions {
  /** What people see; the last part of the path when left out. */
  readonly name?: string
  /** The media type, such as `image/png`; by the name's ending when left out. */
  readonly type?: string
}

/** The same in every copy of this module. No text and no JSON makes a symbol. */
const brand: unique symbol = Symbol.for("svc.file")

/**
 * A file of the project as the `src` of `h("img" | "file" | "audio" | "video", {src})`. The path is relative to the project, or
 * absolute. The Host reads the file when the message is queued: `send` throws `file_path_refused` for what is not there, is no plain
 * file, leads out of the project by a relative path, or belongs to the Host (`.svc/`, `.git/`, `.env`, the configuration, the
 * database).
 */
export const file = (path: string, {name, type}: FileOptions = {}): ProjectFile => {
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw new TypeError("file(path) needs a path: text that is not empty, without NUL")
  const made = {[brand]: path, ...(name === undefined ? {} : {name}), ...(type === undefined ? {} : {type})}
  // Not enumerable: no copy of its fields is a file.
  return Object.defineProperty(made, brand, {enumerable: false})
}

/** The path of what `file` returned; undefined for anything else. */
export const pathOf = (value: unknown): string | undefined => {
  const path = typeof value === "object" && value !== null && brand in value ? value[brand] : undefined
  return typeof path === "string" ? path : undefined
}

/** What `src` may be beside text: a file of the project, or the bytes themselves. */
export type FileSource = ProjectFile | Uint8Array

/** Where an element keeps what its `src` was given as, until the file is stored: no text and no JSON makes a symbol. */
export const fileSource: unique symbol = Symbol.for("svc.fileSource")

export const isFileSource = (value: unknown): value is FileSource =>
  value instanceof Uint8Array || pathOf(value) !== undefined

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
