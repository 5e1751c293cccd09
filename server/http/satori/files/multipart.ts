import {Problem} from "../../../../shared/problems.ts"
import {decodeBytes, decodeName} from "../../../../shared/sdk/files/name.ts"

/** One part of a form (RFC 7578). */
export interface Part {
  readonly name: string
  readonly filename: string | undefined
  /** The media type that the sender gives. */
  readonly type: string | undefined
  /** The bytes as they arrive. Read all of them or none. */
  readonly pieces: AsyncIterable<Uint8Array>
}

/** In bytes: the longest head of one part. */
const longestHead = 16 * 1024

/** Returns the boundary in the content type of a form, or undefined if there is none (RFC 2046, 5.1.1). */
export const boundaryOf = (contentType: string | null): string | undefined => {
  if (contentType === null || !/^\s*multipart\/form-data\s*;/i.test(contentType)) return undefined
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare ?? ""
  return /^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary) ? boundary : undefined
}

/** Reads the next bytes of a body. Resolves to undefined at the end. */
export type Read = () => Promise<Uint8Array | undefined>

/**
 * Yields the parts of a form in turn. At most the bytes of one read and of a boundary are in memory. Throws
 * `request_invalid` if the body is not a form, and passes on errors of `read`.
 */
export async function* partsOf(read: Read, boundary: string): AsyncGenerator<Part> {
  const form = new Form(read)
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  await passOver(form.until(delimiter))
  while (!(await form.isLast())) {
    const head = readHead(await form.before(headEnd))
    const pieces = form.until(delimiter)
    yield {...head, pieces}
    await passOver(pieces)
  }
}

const passOver = async (pieces: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const _ of pieces);
}

const invalid = (why: string): Problem => new Problem("request_invalid", `the form is not valid: ${why}`)

const lineEnd = Buffer.from("\r\n")
const headEnd = Buffer.from("\r\n\r\n")

/** The bytes of a form that have arrived and are unread. It starts with a line end, which the first boundary lacks. */
class Form {
  readonly #read: Read
  #waiting: Buffer = lineEnd

  constructor(read: Read) {
    this.#read = read
  }

  /** Yields everything before the mark, and removes the mark. Ends at once if an earlier call did so. */
  async *until(mark: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#waiting.indexOf(mark)
      if (at >= 0) {
        const piece = this.#waiting.subarray(0, at)
        this.#waiting = this.#waiting.subarray(at + mark.length)
        if (piece.length > 0) yield piece
        return
      }
      // The mark may have begun.
      const sure = Math.max(0, this.#waiting.length - mark.length + 1)
      const piece = this.#waiting.subarray(0, sure)
      this.#waiting = this.#waiting.subarray(sure)
      if (piece.length > 0) yield piece
      await this.#more()
    }
  }

  /** Returns whether the boundary just read is the last one. Removes the rest of its line. */
  async isLast(): Promise<boolean> {
    while (this.#waiting.length < 2) await this.#more()
    if (this.#waiting.subarray(0, 2).toString("latin1") === "--") return true
    const rest = await this.before(lineEnd)
    if (/[^ \t]/.test(rest)) throw invalid("there is text after a boundary")
    // This line end may already belong to an empty head.
    this.#waiting = Buffer.concat([lineEnd, this.#waiting])
    return false
  }

  /** Returns the head or line before the mark, and removes both. */
  async before(mark: Buffer): Promise<string> {
    for (;;) {
      const at = this.#waiting.indexOf(mark)
      if (at > longestHead || (at < 0 && this.#waiting.length > longestHead))
        throw invalid(`the headers of a part are longer than ${longestHead} bytes`)
      if (at >= 0) {
        const text = this.#waiting.subarray(0, at).toString("latin1")
        this.#waiting = this.#waiting.subarray(at + mark.length)
        return text
      }
      await this.#more()
    }
  }

  async #more(): Promise<void> {
    const bytes = await this.#read()
    if (bytes === undefined) throw invalid("it ends before its last boundary")
    this.#waiting = this.#waiting.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#waiting, bytes])
  }
}

const readHead = (head: string): Omit<Part, "pieces"> => {
  const fields = new Map(
    head.split("\r\n").map(line => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  const disposition = fields.get("content-disposition") ?? ""
  const name = decodeName(parameterOf(disposition, "name") ?? "")
  if (!/^form-data\s*(;|$)/i.test(disposition) || name === "")
    throw invalid("a part has no Content-Disposition with a name")
  const filename = parameterOf(disposition, "filename")
  return {
    name,
    filename: extendedOf(disposition) ?? (filename === undefined ? undefined : decodeName(filename)),
    type: fields.get("content-type"),
  }
}

const escapes: Readonly<Record<string, string>> = {"%22": '"', "%0D": "\r", "%0A": "\n"}

/** Browsers percent-encode characters that end a value (WHATWG HTML, multipart/form-data). Others use a backslash. */
const parameterOf = (text: string, name: string): string | undefined => {
  const [, quoted, bare] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(text) ?? []
  if (quoted === undefined) return bare
  return quoted.replace(/\\(["\\])/g, "$1").replace(/%(?:22|0D|0A)/gi, found => escapes[found.toUpperCase()] ?? found)
}

/** Reads `filename*=GBK''…` (RFC 8187), also in numbered segments (RFC 2231). */
const extendedOf = (text: string): string | undefined => {
  const segments = [...text.matchAll(/;\s*filename\*(?:(\d{1,3})(\*?))?=(?:"([^"]*)"|([^\s;"]+))/gi)]
    .map(([, number, star, quoted, bare = ""]) => ({
      number: Number(number ?? 0),
      isEncoded: number === undefined || star === "*",
      written: quoted ?? bare,
    }))
    .sort((one, other) => one.number - other.number)
  const bytes = segments.map(({written, isEncoded}) => (isEncoded ? fromPercent(written) : written)).join("")
  const [, charset, encoded = ""] = /^([\w-]+)'[^']*'(.*)$/s.exec(bytes) ?? []
  if (charset !== undefined && segments[0]?.isEncoded) return decodeBytes(encoded, charset)
  return bytes === "" || segments[0]?.isEncoded ? undefined : decodeName(bytes)
}

const fromPercent = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
