import {readdir, stat} from "node:fs/promises"
import {join} from "node:path"
import {removeFolder} from "../../runtime/files.ts"

/** How long the folder of a command that may run beside a Host is kept, in milliseconds. */
const longestWork = 6 * 3_600_000

/** Returns the Host's part of the temporary folder, which only the holder of the lock uses. */
export const hostScratch = (temporary: string): string => join(temporary, "host")

/**
 * Deletes copies left by a process that died while it verified or unpacked a checkpoint: those of Hosts at once, those of
 * commands after six hours. Only for the holder of the lock.
 */
export const cleanScratch = async (temporary: string): Promise<void> => {
  await removeFolder(hostScratch(temporary))
  for (const name of await readdir(temporary).catch(() => [])) {
    if (!/^(eval|verify|archive|once|release|migrate)-/.test(name)) continue
    const path = join(temporary, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > longestWork) await removeFolder(path)
  }
}
