import {lstat} from "node:fs/promises"
import {join} from "node:path"
import {Check} from "typebox/schema"
import {checkpointFormat, Manifest} from "../../../shared/api/checkpoint.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {readFileIfExists, sha256Of} from "../../runtime/files.ts"

export const manifestName = "manifest.json"

/** The largest manifest that svc reads, in bytes. */
const largest = 64 * 1024 * 1024

const write = (value: object): string => `${toJson(value, undefined, 2)}\n`

/** Returns the text of a manifest with its seal, which detects every changed byte. */
export const sealManifest = (manifest: Omit<Manifest, "seal">): string =>
  write({...manifest, seal: sha256Of(write(manifest))})

export const invalidCheckpoint = (where: string, why: string): Problem =>
  new Problem("checkpoint_invalid", `${where} is not a valid checkpoint: ${why}`)

/** Parses a manifest. Throws `checkpoint_newer`, and `checkpoint_invalid` for a text that `sealManifest` did not write. */
export const parseManifest = (text: string, where: string): Manifest => {
  const json = parseJson(text, where)
  const {format} = json
  if (typeof format === "number" && format > checkpointFormat) {
    throw new Problem(
      "checkpoint_newer",
      `${where} has format ${format}; this version of svc reads up to ${checkpointFormat}`,
    )
  }
  if (!Check(Manifest, json)) throw invalidCheckpoint(where, "its manifest has missing or unknown fields")
  // A parser has just proved it.
  const manifest = json as unknown as Manifest
  if (sealManifest(withoutSeal(manifest)) !== text) throw invalidCheckpoint(where, "its manifest was changed")
  const paths = manifest.files.map(({path}) => path)
  const strange = paths.find(path => !isPlainPath(path))
  if (strange !== undefined) throw invalidCheckpoint(where, `its manifest names ${toJson(strange.slice(0, 200))}`)
  if (new Set(paths).size < paths.length) throw invalidCheckpoint(where, "its manifest names a file twice")
  return manifest
}

const withoutSeal = ({seal: _, ...rest}: Manifest): Omit<Manifest, "seal"> => rest

const parseJson = (text: string, where: string): Record<string, unknown> => {
  try {
    const json: unknown = fromJson(text)
    if (typeof json === "object" && json !== null) return Object.fromEntries(Object.entries(json))
  } catch {
    // Reported below.
  }
  throw invalidCheckpoint(where, "its manifest is not JSON")
}

/** Returns whether a path of at most ten parts stays inside its folder and means the same on every system. */
export const isPlainPath = (path: string): boolean =>
  path.length <= 200 &&
  /^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*){0,9}$/.test(path) &&
  !path.includes("..")

/**
 * Reads the manifest of a checkpoint's folder; undefined if it has none. Throws the problems of `parseManifest`, which call
 * the checkpoint `where`.
 */
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
