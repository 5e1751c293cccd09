import {randomUUID} from "node:crypto"
import {type Element, fileElement, Problem, refused, type Static, Type} from "../../../shared/sdk/sdk.ts"

/** In bytes: the limit for all files of one message, and for all remembered files. */
export const limits = {message: 512 * 1024, all: 16 * 1024 * 1024} as const

const text = (longest: number, description: string) =>
  Type.Optional(Type.String({minLength: 1, maxLength: longest, description}))

/** A file of a new message. */
export const NewFile = Type.Object(
  {
    name: text(200, "The file's name"),
    type: Type.Optional(
      Type.String({maxLength: 100, pattern: "^[\\w.+-]+/[\\w.+-]+$", description: "The file's MIME type"}),
    ),
    data: Type.Optional(
      Type.String({description: "The file's bytes in base64: at most 512 KiB in a message; kept in memory"}),
    ),
    src: text(2000, "The file's address, instead of data: the Host reads it when a plugin does"),
  },
  {title: "NewFile", additionalProperties: false},
)
type NewFile = Static<typeof NewFile>

const scheme = "sandbox:"

/** The bytes of files that were sent to the bot. Keeps the newest ones in memory. */
export class Uploads {
  readonly #bytes = new Map<string, Uint8Array>()
  #size = 0

  /**
   * Returns the elements of a message's files. Throws `request_invalid` or `file_too_large`, and then keeps nothing.
   */
  add(files: readonly NewFile[]): readonly Element[] {
    const read = files.map((file, index) => ({...file, bytes: bytesOf(file, `files[${index}]`)}))
    const size = read.reduce((sum, {bytes}) => sum + (bytes?.length ?? 0), 0)
    if (size > limits.message)
      throw new Problem(
        "file_too_large",
        `the files have ${size} bytes; a sandbox message may have ${limits.message}`,
        {hint: "Send smaller files, or use the address of a larger one."},
      )
    return read.map(({name, type, src = "", bytes}) =>
      fileElement({src: bytes === undefined ? src : this.#keep(bytes), name, type, size: bytes?.length}),
    )
  }

  /** Returns undefined for an address outside the sandbox. Throws a refusal if the file no longer exists. */
  open(src = ""): ReadableStream<Uint8Array> | undefined {
    if (!src.startsWith(scheme)) return undefined
    const bytes = this.#bytes.get(src)
    if (bytes === undefined)
      throw refused("the sandbox no longer has this file", {
        reason: "file_unknown",
        remediation: "Send it again: the sandbox remembers the newest 16 MiB since the Host started.",
      })
    return new Blob([new Uint8Array(bytes)]).stream()
  }

  #keep(bytes: Uint8Array): string {
    const src = `${scheme}${randomUUID()}`
    this.#bytes.set(src, bytes)
    this.#size += bytes.length
    for (const [oldest, {length}] of this.#bytes) {
      if (this.#size <= limits.all) break
      this.#bytes.delete(oldest)
      this.#size -= length
    }
    return src
  }
}

const bytesOf = ({data, src}: NewFile, which: string): Uint8Array | undefined => {
  if ((data === undefined) === (src === undefined))
    throw new Problem("request_invalid", `${which}: set either data or src`)
  if (data === undefined) return undefined
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
    throw new Problem("request_invalid", `${which}.data is not base64`)
  return Buffer.from(data, "base64")
}
