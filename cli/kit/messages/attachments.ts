import {readFile, stat} from "node:fs/promises"
import {basename} from "node:path"
import {typeOfName} from "../../../shared/media-types.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {bytes} from "../print.ts"

/** A file of a message, in the sandbox's form. */
export interface Attachment {
  readonly name?: string
  readonly type?: string
  readonly data?: string
  readonly src?: string
}

/** The sandbox's limit for the files of one message, in bytes. */
const most = 512 * 1024

/** Reads files and leaves addresses as they are. Throws `request_invalid`, and `file_too_large` before it reads a file. */
export const readAttachments = async (given: readonly string[]): Promise<readonly Attachment[]> => {
  const isAddress = (each: string) => /^https?:\/\//i.test(each)
  const paths = given.filter(each => !isAddress(each))
  const sizes = await Promise.all(paths.map(sizeOf))
  const size = sizes.reduce((sum, each) => sum + each, 0)
  if (size > most)
    throw new Problem(
      "file_too_large",
      `--attach: ${paths.join(", ")}: ${bytes(size)}; the sandbox accepts ${bytes(most)}`,
      {hint: "Attach smaller files, or the address of a larger one: --attach https://…"},
    )
  return Promise.all(given.map(each => (isAddress(each) ? {src: each} : attach(each))))
}

const sizeOf = async (path: string): Promise<number> => {
  const found = await stat(path).catch(refuse)
  if (!found.isFile()) throw new Problem("request_invalid", `--attach: ${path} is not a file`)
  return found.size
}

const attach = async (path: string): Promise<Attachment> => {
  const type = typeOfName(path)
  const data = (await readFile(path).catch(refuse)).toString("base64")
  return {name: basename(path), ...(type === undefined ? {} : {type}), data}
}

const refuse = (cause: unknown): never => {
  throw new Problem("request_invalid", `--attach: ${messageOf(cause)}`, {cause})
}
