import {existsSync} from "node:fs"
import {chmod, lchown, stat} from "node:fs/promises"
import {dirname, join, resolve} from "node:path"
import {syncFile} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {listTree} from "../checkpoint/files.ts"
import type {Swap} from "./swap.ts"

/**
 * Gives staged files the permissions of the files that they replace. If root restores for another user, gives them to the
 * owner of their target folder.
 */
export const giveToOwners = async ({project}: ProjectPaths, swaps: readonly Swap[]): Promise<void> => {
  for (const {target, staged} of swaps) {
    if (staged === null) continue
    const place = resolve(project, staged)
    const goal = resolve(project, target)
    const before = await stat(goal).catch(() => undefined)
    // Other programs read the project's files too, such as package managers, editors or a build.
    const fallback = dirname(goal) === project ? 0o644 : undefined
    const mode = before?.isFile() ? before.mode & 0o777 : fallback
    if (mode !== undefined && (await stat(place)).isFile()) await chmod(place, mode)
    await giveAway(place, await stat(dirname(goal)))
    await syncFile(place)
  }
}

/** Gives files of a commit to the owner of their target folder, or of the nearest existing folder above; keeps their mode. */
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
