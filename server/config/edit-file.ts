import {constants} from "node:fs"
import {access, open, readFile, realpath, rename, rm, stat} from "node:fs/promises"
import {basename, dirname, join} from "node:path"
import {messageOf, Problem} from "../../shared/problems.ts"
import {syncFolder} from "../runtime/files.ts"
import {type ConfigText, readConfigText} from "./load.ts"

/** The file cannot be replaced, and nothing was changed. `message` says why. */
export class Unwritable extends Error {}

const mark = "\uFEFF"

/**
 * Replaces the configuration durably, completely or not at all, if it still has the hash `sha256`. Keeps its mode and
 * owner, and a link stays a link. Resolves to the previous content. Throws `config_changed` and `Unwritable`.
 */
export const replaceConfig = async (path: string, text: string, sha256: string): Promise<ConfigText> => {
  const file = await realpath(path)
  const temporary = join(dirname(file), `.${basename(file)}.new`)
  try {
    await writeBeside(file, temporary, text)
    const former = await requireSame(path, sha256)
    await rename(temporary, file)
    await syncFolder(dirname(file))
    return former
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw new Unwritable(explain(cause), {cause})
  } finally {
    await rm(temporary, {force: true}).catch(() => {})
  }
}

/** Reads the configuration. Throws `config_changed` if its hash is not `sha256`. */
export const requireSame = async (path: string, sha256: string): Promise<ConfigText> => {
  const found = await readConfigText(path)
  if (found.sha256 === sha256) return found
  throw new Problem("config_changed", `${found.file} has changed since the version that this change was made for`, {
    current: {hash: found.sha256, text: found.text},
  })
}

const writeBeside = async (file: string, temporary: string, text: string): Promise<void> => {
  const {mode, uid, gid} = await stat(file)
  const marked = (await readFile(file)).subarray(0, 3).equals(Buffer.from(mark))
  await rm(temporary, {force: true})
  const made = await open(temporary, "wx", 0o600)
  try {
    await made.writeFile(marked ? `${mark}${text}` : text)
    const own = await made.stat()
    if (own.uid !== uid || own.gid !== gid) await made.chown(uid, gid)
    await made.chmod(mode & 0o7777)
    await made.sync()
  } finally {
    await made.close()
  }
}

const explain = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "EROFS") return "its file system is read-only"
  if (code === "EACCES") return "the Host's user may not write to its folder"
  if (code === "EPERM") return "the Host's user may not set the owner of the old file on the new one"
  if (code === "EBUSY" || code === "EXDEV") return "it is mounted as a file, which cannot be replaced"
  return messageOf(cause)
}

/** Returns why the file cannot be replaced, as far as this can be known without trying; undefined if it can. */
export const whyUnwritable = async (path: string): Promise<string | undefined> => {
  try {
    const file = await realpath(path)
    await access(dirname(file), constants.W_OK)
    await access(file, constants.W_OK)
    return (await isMountPoint(file)) ? "it is mounted as a file, which cannot be replaced" : undefined
  } catch (cause) {
    return explain(cause)
  }
}

/** Linux lists its mounts. On other systems a single file is hardly ever mounted. */
const isMountPoint = async (file: string): Promise<boolean> => {
  const mounts = await readFile("/proc/self/mountinfo", "utf8").catch(() => "")
  return mounts.split("\n").some(line => unescaped(line.split(" ")[4] ?? "") === file)
}

/** Spaces and other characters are written there as \040. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
