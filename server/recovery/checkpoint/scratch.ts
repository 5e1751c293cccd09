import {readdir, stat} from "node:fs/promises"
import {join} from "node:path"
import {removeFolder} from "../../runtime/files.ts"

/** What commands may be working in beside a Host is left alone for so long, in milliseconds. */
const longestWork = 6 * 3_600_000

/** The Host's own part of the temporary folder: it has it for itself as long as it has the lock. */
export const hostScratch = (temporary: string): string => join(temporary, "host")

/**
 * Removes the copies that a process left which died while it verified or unpacked a checkpoint: those of Hosts, and those
 * of commands after six hours. Only for who holds the lock.
 */
export const cleanScratch = async (temporary: string, now = Date.now()): Promise<void> => {
  await removeFolder(hostScratch(temporary))
  for (const name of await readdir(temporary).catch(() => [])) {
    if (!/^(verify|archive|once|release|migrate)-/.test(name)) continue
    const path = join(temporary, name)
    const at = await stat(path).then(
      ({mtimeMs}) => mtimeMs,
      () => now,
    )
    if (now - at > longestWork) await removeFolder(path)
  }
}
