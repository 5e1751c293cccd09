import {lstat} from "node:fs/promises"
import {join} from "node:path"
import {Check} from "typebox/schema"
import {checkpointFormat, Manifest} from "../../../shared/api/checkpoint.ts"
import {fromJson, isObject, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {readFileIfExists, sha256Of, writeFileAtomic} from "../../runtime/files.ts"

export const manifestName = "manifest.json"

/** The largest manifest that svc writes and reads, in bytes: 600,000 files of messages. */
const largest = 128 * 1024 * 1024

const write = (value: object): string => `${toJson(value, undefined, 2)}\n`

/** Returns the text of a manifest with its seal, which detects every changed byte. */
export const sealManifest = (manifest: Omit<Manifest, "seal">): string =>
  write({...manifest, seal: sha256Of(write(manifest))})

/** What a manifest says about itself: its SHA-256, and the bytes of all files together. */
export interface Sealed {
  readonly sha256: string
  readonly size: number
}

export const sizeOf = ({files}: Pick<Manifest, "files">): number => files.reduce((sum, {size}) => sum + size, 0)

/** Writes a checkpoint's manifest, durably. Throws `checkpoint_failed` if it names too many files. */
export const writeManifest = async (folder: string, manifest: Omit<Manifest, "seal">): Promise<Sealed> => {
  const text = sealManifest(manifest)
  if (text.length > largest)
    throw new Problem("checkpoint_failed", `a checkpoint cannot have ${manifest.files.length} files`)
  await writeFileAtomic(join(folder, manifestName), text)
  return {sha256: sha256Of(text), size: sizeOf(manifest)}
}

export const invalidCheckpoint = (where: string, why: string): Problem =>
  new Problem("checkpoint_invalid", `${where} is not a valid checkpoint: ${why}`)

/** Parses a manifest. Throws `checkpoint_newer`, and `checkpoint_invalid` for a text that `sealManifest` did not write. */
export const parseManifest = (text: string, where: string): Manifest => {
  const json = parseJson(text, where)
  const {format} = json
  if (typeof format === "number" && format > checkpointFormat) {
    throw new Problem("checkpoint_newer", `${where} has format ${format}; this svc reads up to ${checkpointFormat}`)
  }
  const {files} = json
  if (!Check(Manifest, {...json, files: []}) || !Array.isArray(files) || !files.every(isFile))
    throw invalidCheckpoint(where, "its manifest has missing or unknown fields")
  // A parser has just proved it.
  const manifest = json as unknown as Manifest
  const {seal: _, ...unsealed} = manifest
  if (sealManifest(unsealed) !== text) throw invalidCheckpoint(where, "its manifest was changed")
  const paths = manifest.files.map(({path}) => path)
  const strange = paths.find(path => !isPlainPath(path))
  if (strange !== undefined) throw invalidCheckpoint(where, `its manifest names ${toJson(strange.slice(0, 200))}`)
  if (new Set(paths).size < paths.length) throw invalidCheckpoint(where, "its manifest names a file twice")
  return manifest
}

/** Checks what the schema says about a file in a hundredth of its time. */
const isFile = (value: unknown): boolean => {
  if (!isObject(value)) return false
  const {path, size, sha256, ...more} = value
  const isHash = typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256)
  const isSize = Number.isSafeInteger(size) && Number(size) >= 0
  return typeof path === "string" && isSize && isHash && Object.keys(more).length === 0
}

const parseJson = (text: string, where: string): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = fromJson(text)
    return isObject(json) ? json : {}
  } catch {
    throw invalidCheckpoint(where, "its manifest is not JSON")
  }
}

/** Returns whether a path of at most ten parts stays inside its folder and means the same on every system. */
export const isPlainPath = (path: string): boolean =>
  path.length <= 200 &&
  /^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*){0,9}$/.test(path) &&
  !path.includes("..")

/** Reads the manifest of a checkpoint's folder; undefined without one. Throws as `parseManifest` about `where`. */
export const readManifest = async (
  folder: string,
  where = folder,
): Promise<{manifest: Manifest; sha256: string} | undefined> => {
  const path = join(folder, manifestName)
  const info = await lstat(path).catch(() => undefined)
  if (info === undefined) return undefined
  if (!info.isFile()) throw invalidCheckpoint(where, "its manifest is a link")
  if (info.size > largest) throw invalidCheckpoint(where, "its manifest is too large")
  const text = (await readFileIfExists(path)) ?? ""
  return {manifest: parseManifest(text, where), sha256: sha256Of(text)}
}
