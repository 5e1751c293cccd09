import {rename, rm, rmdir} from "node:fs/promises"
import {dirname, isAbsolute, join, relative, resolve} from "node:path"
import {RolledBack} from "../../../shared/api/release.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {isThere, makeFolder, removeFolder, syncFolder, writeFileAtomic} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {readStored} from "../files/stored-json.ts"
import {ReleaseRecord} from "../release/record.ts"

/** The folder beside each replaced file, on the same file system, for the new and the old files. */
export const stagingName = ".svc-restore"

/** The places of a swap's record; its paths are relative to the project. */
export type SwapPaths = Pick<ProjectPaths, "project" | "state" | "restore" | "releases">

/** A rename of a restore. Paths are relative to the project, or absolute outside of it. */
const Swap = Type.Object({
  target: Type.String({minLength: 1}),
  /** The new file; null if the target is only removed. */
  staged: Type.Union([Type.String({minLength: 1}), Type.Null()]),
  /** The place of the replaced file: in a staging folder, which is deleted at the end, or elsewhere, to be kept. */
  kept: Type.String({minLength: 1}),
})
export type Swap = Static<typeof Swap>

/**
 * `.svc/restore.json`. In the state `staging` nothing has changed, and the copies are deleted. From `swapping` on the restore
 * is completed, or if that fails, undone (`reverting`). In `cleaning` only leftovers are deleted.
 */
const RestoreRecord = Type.Object({
  state: Type.Enum(["staging", "swapping", "reverting", "cleaning"]),
  checkpoint: Type.String(),
  folders: Type.Array(Type.String({minLength: 1})),
  swaps: Type.Array(Swap),
  /**
   * Set if the packages are replaced, and with them svc itself. An interrupted restore is then undone unless all renames are
   * done, so that the svc that settles it is the one that the project keeps.
   */
  takeBack: Type.Optional(Type.Boolean()),
  /** The entry for the record of releases, added at the end. */
  rollback: Type.Optional(RolledBack),
})
export type RestoreRecord = Static<typeof RestoreRecord>

/** Returns the path for the record, relative if possible, because the project may have moved when the restore is settled. */
export const recorded = (project: string, path: string): string => {
  const inside = relative(project, path)
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? path : inside
}

export const writeRecord = (paths: SwapPaths, record: RestoreRecord): Promise<void> =>
  writeFileAtomic(paths.restore, toJson(record))

/** Reads the record. Throws `restore_unfinished` if it is damaged. */
export const readRecord = async (paths: SwapPaths): Promise<RestoreRecord | undefined> => {
  const record = await readStored(paths.restore, RestoreRecord)
  if (record !== undefined || !(await isThere(paths.restore))) return record
  throw new Problem("restore_unfinished", `${paths.restore} is damaged: svc cannot tell how far a restore got`)
}

/** Does all renames, or undoes them if one fails. Throws `restore_refused`. */
export const swapAll = async (paths: SwapPaths, record: RestoreRecord): Promise<void> => {
  await writeRecord(paths, {...record, state: "swapping"})
  try {
    await forward(paths, record)
  } catch (cause) {
    await settle(paths, {...record, state: "reverting"}).catch(error => {
      throw unfinished(record, error)
    })
    throw new Problem("restore_refused", `nothing was restored: ${messageOf(cause)}`, {cause})
  }
  // The restore is done. If the cleanup fails, the next command or start does it.
  await settle(paths, {...record, state: "cleaning"}).catch(() => finishRestore(paths))
}

/** Completes or undoes an interrupted restore, under the lock. Resolves to what it did. Throws `restore_unfinished`. */
export const finishRestore = async (paths: SwapPaths): Promise<"finished" | "undone" | undefined> => {
  const record = await readRecord(paths)
  if (record === undefined) return undefined
  try {
    if (record.state === "swapping") {
      const reached = await goOn(paths, record)
      await settle(paths, {...record, state: reached})
      return reached === "cleaning" ? "finished" : "undone"
    }
    await settle(paths, record)
    return record.state === "cleaning" ? undefined : "undone"
  } catch (cause) {
    throw unfinished(record, cause)
  }
}

const goOn = async (paths: SwapPaths, record: RestoreRecord): Promise<"cleaning" | "reverting"> => {
  if (record.takeBack === true && !(await isSwapped(paths, record))) return "reverting"
  return forward(paths, record).then(
    () => "cleaning",
    () => "reverting",
  )
}

const isSwapped = async (paths: SwapPaths, {swaps}: RestoreRecord): Promise<boolean> => {
  for (const each of swaps) {
    const {target, staged} = located(paths, each)
    if (staged === null ? await isThere(target) : (await isThere(staged)) || !(await isThere(target))) return false
  }
  return true
}

const unfinished = ({checkpoint}: RestoreRecord, cause: unknown) =>
  new Problem("restore_unfinished", `the change to ${checkpoint} was interrupted: ${messageOf(cause)}`, {cause})

/** Undoes the renames if necessary, then deletes leftovers. Each step is on the disk before the next. */
const settle = async (paths: SwapPaths, {rollback, ...rest}: RestoreRecord): Promise<void> => {
  // An undone rollback is not recorded.
  const record: RestoreRecord = rest.state === "cleaning" && rollback !== undefined ? {...rest, rollback} : rest
  if (record.state === "reverting") {
    await writeRecord(paths, record)
    for (const swap of record.swaps.toReversed()) await back(located(paths, swap))
    await syncAll(paths, record)
  }
  if (record.state !== "staging") await writeRecord(paths, {...record, state: "cleaning"})
  if (record.rollback !== undefined) await recordOnce(paths, record.rollback)
  for (const folder of record.folders) await removeFolder(resolve(paths.project, folder))
  await syncAll(paths, record)
  await rm(paths.restore, {force: true})
  await syncFolder(paths.state)
}

/** Records the rollback unless an interrupted attempt already did. */
const recordOnce = async (paths: SwapPaths, rollback: RolledBack): Promise<void> => {
  const record = new ReleaseRecord(paths.releases)
  const isRecorded = (await record.read()).some(
    each => each.is === "rolled_back" && each.authority === rollback.authority,
  )
  if (!isRecorded) await record.append(rollback)
}

const forward = async (paths: SwapPaths, record: RestoreRecord): Promise<void> => {
  for (const swap of record.swaps) await put(located(paths, swap))
  await syncAll(paths, record)
}

const located = ({project}: SwapPaths, {target, staged, kept}: Swap): Swap => ({
  target: resolve(project, target),
  staged: staged === null ? null : resolve(project, staged),
  kept: resolve(project, kept),
})

/** Does one rename. The existing files show its progress, so that it can be repeated from any point. */
const put = async ({target, staged, kept}: Swap): Promise<void> => {
  if (staged !== null && !(await isThere(staged))) {
    if (await isThere(target)) return
    throw new Error(`${target} and its replacement are both missing`)
  }
  if (await isThere(target)) {
    if (await isThere(kept)) throw new Error(`another process has created ${target} again`)
    await rename(target, kept)
  }
  if (staged === null) return
  await makeFolder(dirname(target))
  await rename(staged, target)
}

const back = async ({target, staged, kept}: Swap): Promise<void> => {
  if (staged !== null && !(await isThere(staged)) && (await isThere(target))) {
    await makeFolder(dirname(staged), 0o700)
    await rename(target, staged)
  }
  if (!(await isThere(kept))) return
  await makeFolder(dirname(target))
  // An empty folder may remain at the place of the file.
  await rmdir(target).catch(() => {})
  await rename(kept, target)
}

const syncAll = async ({project}: SwapPaths, {folders, swaps}: RestoreRecord): Promise<void> => {
  for (const place of new Set(swaps.map(({target}) => dirname(resolve(project, target))))) {
    if (await isThere(place)) await syncFolder(place)
  }
  for (const folder of folders) {
    const path = resolve(project, folder)
    for (const each of [join(path, "new"), join(path, "old"), path, dirname(path)]) {
      if (await isThere(each)) await syncFolder(each)
    }
  }
}
