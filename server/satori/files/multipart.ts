import {Problem} from "../../../shared/problems.ts"

/** One part of a form (RFC 7578). */
export interface Part {
  readonly name: string
  readonly filename: string | undefined
  /** The media type as the sender says it. */
  readonly type: string | undefined
  /** Its bytes as they come: all of them are to be taken, or none. */
  readonly pieces: AsyncIterable<Uint8Array>
}

/** In bytes: the head of one part. */
const longestHead = 16 * 1024

/** The boundary in the type of a form; undefined where it is none (RFC 2046, 5.1.1). */
export const boundaryOf = (contentType: string | null): string | undefined => {
  if (contentType === null || !/^\s*multipart\/form-data\s*;/i.test(contentType)) return undefined
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare ?? ""
  return /^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary) ? boundary : undefined
}

/** Reads the next bytes of a body; undefined at its end. */
export type Read = () => Promise<Uint8Array | undefined>

/**
 * The parts of a form, one after the other: at most the bytes of one read and of a boundary are in memory. Throws `request_invalid`
 * for what is no form, and what reading throws.
 */
export async function* partsOf(read: Read, boundary: string): AsyncGenerator<Part> {
  const form = new Form(read)
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  await passOver(form.until(delimiter))
  while (!(await form.isLast())) {
    const head = readHead(await form.head())
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

/** The bytes of a form that have come and were not taken. The first boundary has no line before it: one is put there. */
class Form {
  readonly #read: Read
  #waiting: Buffer = lineEnd

  constructor(read: Read) {
    this.#read = read
  }

  /** What comes before the mark, which is taken too. Ends at once where that was done. */
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

  /** Behind a boundary: is it the last one? Takes the rest of its line. */
  async isLast(): Promise<boolean> {
    while (this.#waiting.length < 2) await this.#more()
    if (this.#waiting.subarray(0, 2).toString("latin1") === "--") return true
    const rest = await this.#before(lineEnd)
    if (/[^ \t]/.test(rest)) throw invalid("there is text after a boundary")
    // The line's end may be that of an empty head.
    this.#waiting = Buffer.concat([lineEnd, this.#waiting])
    return false
  }

  async head(): Promise<string> {
    return this.#before(headEnd)
  }

  async #before(mark: Buffer): Promise<string> {
    for (;;) {
      const at = this.#waiting.indexOf(mark)
      if (at > longestHead || (at < 0 && this.#waiting.length > longestHead))
        throw invalid(`the headers of a part are longer than ${longestHead} bytes`)
      if (at >= 0) {
        const text = this.#waiting.subarray(0, at).toString("utf8")
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
  const name = parameterOf(disposition, "name")
  if (!/^form-data\s*(;|$)/i.test(disposition) || name === undefined || name === "")
    throw invalid("a part has no Content-Disposition with a name")
  return {
    name,
    filename: extendedOf(disposition) ?? parameterOf(disposition, "filename"),
    type: fields.get("content-type"),
  }
}

const escapes: Readonly<Record<string, string>> = {"%22": '"', "%0D": "\r", "%0A": "\n"}

/** Browsers escape by percent what would end a value (WHATWG HTML, multipart/form-data); others by a backslash. */
const parameterOf = (text: string, name: string): string | undefined => {
  const [, quoted, bare] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(text) ?? []
  if (quoted === undefined) return bare
  return quoted.replace(/\\(["\\])/g, "$1").replace(/%(?:22|0D|0A)/gi, found => escapes[found.toUpperCase()] ?? found)
}

/** `filename*=UTF-8''…` (RFC 8187). */
const extendedOf = (text: string): string | undefined => {
  const [, encoded] = /;\s*filename\*=utf-8'[^']*'([^\s;"]+)/i.exec(text) ?? []
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
