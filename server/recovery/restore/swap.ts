import {rename, rm, rmdir} from "node:fs/promises"
import {dirname, isAbsolute, join, relative, resolve} from "node:path"
import {Check} from "typebox/schema"
import {RolledBack} from "../../../shared/api/release.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {isThere, makeFolder, readFileIfExists, removeFolder, syncFolder, writeFileAtomic} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {ReleaseRecord} from "../release/record.ts"

/** Beside each thing that is replaced, so that it is on the same file system: what comes, and what goes. */
export const stagingName = ".svc-restore"

/** Where the record of a swap stands, and what its paths are relative to. */
export type SwapPaths = Pick<ProjectPaths, "project" | "state" | "restore" | "releases">

/** Something that a restore replaces. Paths are relative to the project, absolute outside of it. */
const Swap = Type.Object({
  target: Type.String({minLength: 1}),
  /** What comes in its place; null where nothing does. */
  staged: Type.Union([Type.String({minLength: 1}), Type.Null()]),
  /** Where what is replaced goes: into a staging folder, removed when all is done, or elsewhere, to stay. */
  kept: Type.String({minLength: 1}),
})
export type Swap = Static<typeof Swap>

/**
 * `.svc/restore.json`: until it says `swapping`, nothing was changed and what was copied goes away; from then on the
 * restore is finished, unless that fails: then it is taken back (`reverting`). In `cleaning` only what is left is removed.
 */
const RestoreRecord = Type.Object({
  state: Type.Enum(["staging", "swapping", "reverting", "cleaning"]),
  checkpoint: Type.String(),
  /** Staging folders. */
  folders: Type.Array(Type.String({minLength: 1})),
  swaps: Type.Array(Swap),
  /**
   * It replaces the packages, and with them svc itself: unless every name has been changed, it is taken back. So the
   * svc that settles it is the one that the project is left with.
   */
  takeBack: Type.Optional(Type.Boolean()),
  /** What is recorded of it in the record of releases, once it is finished. */
  rollback: Type.Optional(RolledBack),
})
export type RestoreRecord = Static<typeof RestoreRecord>

/** How a path stands in the record: a project may be at another place when it is finished. */
export const recorded = (project: string, path: string): string => {
  const inside = relative(project, path)
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? path : inside
}

export const writeRecord = (paths: SwapPaths, record: RestoreRecord): Promise<void> =>
  writeFileAtomic(paths.restore, toJson(record))

/** Throws `restore_unfinished` for a record that cannot be read. */
export const readRecord = async (paths: SwapPaths): Promise<RestoreRecord | undefined> => {
  const text = await readFileIfExists(paths.restore)
  if (text === undefined) return undefined
  try {
    const json: unknown = fromJson(text)
    // A parser has just proved it.
    if (Check(RestoreRecord, json)) return json as RestoreRecord
  } catch {
    // Told below.
  }
  throw new Problem(
    "restore_unfinished",
    `${paths.restore} is damaged: a restore was under way, and how far it is not known`,
  )
}

/** Replaces everything, or nothing: what it cannot finish it takes back. Throws `restore_refused`. */
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
  // It is done; what is left of it is removed, or by whoever comes next.
  await settle(paths, {...record, state: "cleaning"}).catch(() => settleRestore(paths))
}

/**
 * Finishes or takes back what a restore left that was cut off; only for who holds the lock. Resolves to what it did.
 * Throws `restore_unfinished`.
 */
export const settleRestore = async (paths: SwapPaths): Promise<"finished" | "taken back" | undefined> => {
  const record = await readRecord(paths)
  if (record === undefined) return undefined
  try {
    if (record.state === "swapping") {
      const reached = await goOn(paths, record)
      await settle(paths, {...record, state: reached})
      return reached === "cleaning" ? "finished" : "taken back"
    }
    await settle(paths, record)
    return record.state === "cleaning" ? undefined : "taken back"
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
  new Problem("restore_unfinished", `the change to ${checkpoint} was cut off: ${messageOf(cause)}`, {cause})

/** Takes back what is to be taken back, then removes what is left; each step is on the disk before the next. */
const settle = async (paths: SwapPaths, {rollback, ...rest}: RestoreRecord): Promise<void> => {
  // What was taken back is no rollback.
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

/** It may have been cut off after this. */
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

/** What is there tells how far it came: it may be done again, and from anywhere. */
const put = async ({target, staged, kept}: Swap): Promise<void> => {
  if (staged !== null && !(await isThere(staged))) {
    if (await isThere(target)) return
    throw new Error(`${target} is gone, and so is what was to come in its place`)
  }
  if (await isThere(target)) {
    if (await isThere(kept)) throw new Error(`somebody has made ${target} anew`)
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
  // Where a file was, a folder may have come, which is empty again.
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
