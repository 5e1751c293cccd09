import {existsSync} from "node:fs"
import {chmod, lchown, stat} from "node:fs/promises"
import {dirname, join, resolve} from "node:path"
import {syncFile} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {listTree} from "../checkpoint/files.ts"
import type {Swap} from "./swap.ts"

/**
 * What is staged gets the permissions of what it replaces; and, where root restores for another user, that user: whoever
 * owns the folder that it comes into.
 */
export const giveToOwners = async ({project}: ProjectPaths, swaps: readonly Swap[]): Promise<void> => {
  for (const {target, staged} of swaps) {
    if (staged === null) continue
    const place = resolve(project, staged)
    const goal = resolve(project, target)
    const before = await stat(goal).catch(() => undefined)
    // The project's own files are read by others too: package managers, editors, a build.
    const fallback = dirname(goal) === project ? 0o644 : undefined
    const mode = before?.isFile() ? before.mode & 0o777 : fallback
    if (mode !== undefined && (await stat(place)).isFile()) await chmod(place, mode)
    await giveAway(place, await stat(dirname(goal)))
    await syncFile(place)
  }
}

/** What comes out of a commit keeps its mode, and gets the owner of the folder that it comes into, or of the nearest there is. */
export const giveCodeToOwners = async ({project}: ProjectPaths, swaps: readonly Swap[]): Promise<void> => {
  for (const {target, staged} of swaps) {
    if (staged === null) continue
    let folder = dirname(resolve(project, target))
    while (!existsSync(folder)) folder = dirname(folder)
    await giveAway(resolve(project, staged), await stat(folder))
  }
}

const giveAway = async (place: string, {uid, gid}: {readonly uid: number; readonly gid: number}): Promise<void> => {
  if (process.getuid?.() !== 0 || uid === 0) return
  await lchown(place, uid, gid)
  for (const {path} of await listTree(place).catch(() => [])) await lchown(join(place, path), uid, gid)
}
