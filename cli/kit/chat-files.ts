import {type FileHandle, mkdir, open} from "node:fs/promises"
import {resolve} from "node:path"
import {Readable} from "node:stream"
import {pipeline} from "node:stream/promises"
import {addressOf} from "../../shared/api/operations/client.ts"
import {messageOf} from "../../shared/problems.ts"
import {withDeadline} from "../../shared/sdk/adapter/deadline.ts"
import {connectHost} from "./host-client.ts"
import {bytes} from "./print.ts"

/** A file in a message of the bot. */
export interface ChatFile {
  readonly name: string
  readonly size: number
}

interface WithFiles {
  readonly id: string
  readonly files: readonly ChatFile[]
}

/** Returns a line for each file of a message, and saves the file if a folder is given. */
export const receiving =
  (project: string, folder: string | undefined) =>
  async (channel: string, {id, files}: WithFiles): Promise<readonly string[]> => {
    const lines: string[] = []
    for (const [number, {name, size}] of files.entries()) {
      const about = `file ${name}, ${bytes(size)}`
      const path = addressOf("/api/plugins/sandbox/files", {channel, message: id, number})
      if (folder === undefined) lines.push(`[${about}]`)
      else
        lines.push(
          await save(project, path, folder, name).then(
            saved => `[${about}, saved to ${saved}]`,
            error => `[${about}, not saved: ${messageOf(error)}]`,
          ),
        )
    }
    return lines
  }

/** Returns the last part of a name, without characters that are special to a file system. */
const safeName = (name: string): string => {
  const last = name.split(/[\\/]/).at(-1) ?? ""
  const plain = last.replace(/[^\p{L}\p{N}._ -]/gu, "_").replace(/^\.+/, "")
  return plain.trim() === "" ? "file" : plain
}

/** Saves a file under an unused name. Resolves to its path. */
const save = async (project: string, path: string, folder: string, name: string): Promise<string> => {
  await mkdir(folder, {recursive: true})
  return withDeadline(60_000, async signal => {
    const {body} = await (await connectHost(project)).open(path, signal)
    if (body === null) throw new Error("the Host sent nothing")
    const {file, target} = await openNew(folder, safeName(name))
    // The types of the two stream classes differ in Node, but not their values.
    await pipeline(Readable.fromWeb(body as never), file.createWriteStream())
    return target
  })
}

const openNew = async (folder: string, name: string): Promise<{file: FileHandle; target: string}> => {
  for (let number = 1; ; number++) {
    const target = resolve(folder, number === 1 ? name : `${number}-${name}`)
    try {
      return {file: await open(target, "wx", 0o600), target}
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    }
  }
}
