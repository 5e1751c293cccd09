import {execFile} from "node:child_process"
import {hash, randomUUID} from "node:crypto"
import {closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync} from "node:fs"
import {lstat, mkdir, open, readFile, rename, rm, rmdir, stat, statfs} from "node:fs/promises"
import {release} from "node:os"
import {dirname, join, resolve} from "node:path"
import {tryFromJson} from "../../shared/json.ts"
import {messageOf, Problem} from "../../shared/problems.ts"

/** Removes a folder and its content. Does nothing if it is missing. */
export const removeFolder = (path: string): Promise<void> => rm(path, {recursive: true, force: true})

/** Creates a folder that only its owner may enter, as `makeFolder` does. Throws `state_unwritable`. */
export const makePrivateFolder = async (path: string): Promise<void> => {
  await makeFolder(path, 0o700).catch(cause => {
    throw new Problem("state_unwritable", `cannot create ${path}: ${messageOf(cause)}`, {cause})
  })
}

/** Creates a folder and its parents, durably: POSIX may forget a folder and its content without a sync above. */
export const makeFolder = async (path: string, mode?: number): Promise<void> => {
  const first = await mkdir(path, {recursive: true, ...(mode === undefined ? {} : {mode})})
  for (const parent of parentsOf(path, first)) await syncFolder(parent)
}

export const makePrivateFolderSync = (path: string): void => {
  for (const parent of parentsOf(path, mkdirSync(path, {recursive: true, mode: 0o700}))) syncNow(parent)
}

/** Returns the parents of the new folders, innermost first. `first` is the outermost folder that was created. */
const parentsOf = (path: string, first: string | undefined): readonly string[] => {
  if (first === undefined) return []
  const parents = [dirname(resolve(path))]
  for (let made = resolve(path); made !== resolve(first) && made !== dirname(made); made = dirname(made))
    parents.push(dirname(dirname(made)))
  return parents
}

/**
 * Replaces a file completely or not at all, readable by its owner only: a temporary file beside it, fsync, rename,
 * fsync of the folder. Durable when it resolves. Throws `state_unwritable`.
 */
export const writeFileAtomic = async (path: string, content: string | Uint8Array): Promise<void> => {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    await writeNewFile(temporary, content)
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (cause) {
    await rm(temporary, {force: true}).catch(() => {})
    throw new Problem("state_unwritable", `cannot write ${path}: ${messageOf(cause)}`, {cause})
  }
}

/** Writes a new file, readable by its owner only. Durable when it resolves. */
export const writeNewFile = async (path: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Does work that may make folders, and removes those of `places` and above them that it made and left empty. */
export const leavingNoFolders = async <T>(places: readonly string[], work: () => Promise<T>): Promise<T> => {
  const missing = new Set(places.flatMap(missingFrom))
  try {
    return await work()
  } finally {
    // The innermost have the longest paths.
    for (const place of [...missing].sort((one, other) => other.length - one.length)) await rmdir(place).catch(() => {})
  }
}

const missingFrom = (place: string): readonly string[] =>
  existsSync(place) ? [] : [place, ...missingFrom(dirname(place))]

/** Syncs a folder, so that a rename or a removal in it survives a power cut. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r")
  await folder.sync().finally(() => folder.close())
}

/** Syncs a file that another writer wrote. */
export const syncFile = syncFolder

/** Syncs a file system by the program `sync`. False if that is impossible, or hides failures as before Linux 5.8. */
export const syncFileSystem = (path: string): Promise<boolean> => {
  const [major = 0, minor = 0] = release().split(".").map(Number)
  if (process.platform !== "linux" || major * 100 + minor < 508) return Promise.resolve(false)
  return new Promise(resolve => execFile("sync", ["-f", path], error => resolve(error === null)))
}

/** Syncs a file or a folder synchronously. */
export const syncNow = (path: string): void => {
  const opened = openSync(path, "r")
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Does a file, a folder or a link of this name exist? A dangling link counts. */
export const isThere = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined)) !== undefined

/** What the system says about a file. */
export interface FileState {
  /** Its device and inode. */
  readonly identity: string
  /** In bytes. */
  readonly size: number
  /** When its content last changed, in nanoseconds since 1970. */
  readonly changedAt: bigint
}

/** Returns the state of the file at a path; undefined without one. Opens nothing, and takes 2 microseconds. */
export const lookAt = (path: string): FileState | undefined => {
  try {
    const found = statSync(path, {bigint: true, throwIfNoEntry: false})
    if (found === undefined) return undefined
    return {identity: `${found.dev} ${found.ino}`, size: Number(found.size), changedAt: found.mtimeNs}
  } catch {
    return undefined
  }
}

/** Returns only the device and inode. */
export const identityOf = (path: string): string | undefined => lookAt(path)?.identity

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")

/** Resolves to the result of work on a file or folder; undefined if there is none. */
export const ifThere = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Returns the text of a file; undefined if there is none. */
export const readFileIfExists = (path: string): Promise<string | undefined> => ifThere(readFile(path, "utf8"))

/** Returns the JSON of a file; undefined if there is none or it is not JSON. */
export const readJsonIfExists = async (path: string): Promise<unknown> =>
  tryFromJson((await readFileIfExists(path)) ?? "")

/** Returns the SHA-256 of bytes, or of a text as UTF-8, in hexadecimal. */
export const sha256Of = (content: string | Uint8Array): string => hash("sha256", content, "hex")

/** Returns a folder's free space, in bytes, for an ordinary user; that of the nearest parent if it is missing. */
export const freeSpace = async (folder: string): Promise<number> => {
  const {bavail, bsize} = await statfs(folder).catch(async () => statfs(await nearestFolder(folder)))
  return Number(bavail) * Number(bsize)
}

/** Returns the free space of the folder that has the least, in bytes. */
export const leastFree = async (folders: readonly string[]): Promise<number> =>
  Math.min(...(await Promise.all(folders.map(freeSpace))))

/** Returns how many more files the folder's file system can hold; infinity where inodes are created as needed. */
export const freeFiles = async (folder: string): Promise<number> => {
  const {files, ffree} = await statfs(await nearestFolder(folder))
  return Number(files) === 0 ? Number.POSITIVE_INFINITY : Number(ffree)
}

/** Returns an id that is equal for folders on one file system: of the nearest parent, if the folder is missing. */
export const fileSystemOf = async (folder: string): Promise<number> => (await stat(await nearestFolder(folder))).dev

const nearestFolder = async (path: string): Promise<string> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true ? path : nearestFolder(dirname(path))

/** Does an error text of the system, a program or SQLite say that the disk is full? */
export const tellsOfFullDisk = (text: string): boolean =>
  /ENOSPC|EDQUOT|no space left on device|disk quota exceeded|database or disk is full|SQLITE_FULL/i.test(text)
