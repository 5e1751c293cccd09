import {readdir, readFile, stat} from "node:fs/promises"
import {join} from "node:path"
import {isObject} from "../../shared/json.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {isThere, readJsonIfExists, sha256Of} from "./files.ts"
import type {ProjectPaths} from "./project.ts"

/** The sources and the outputs of a build, kept beside it as `dist/plugins/build.json`. */
export interface BuildRecord {
  readonly builtAt: string
  /** By plugin: its source files, relative to the project, and their SHA-256. */
  readonly plugins: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** By plugin: SHA-256 of `dist/plugins/<name>.js`. Older records lack this. */
  readonly built?: Readonly<Record<string, string>>
}

const entryPattern = /^([a-z0-9][a-z0-9_-]{0,63})\.(ts|js)$/

/** Finds the plugins in `plugins/`. Returns the absolute paths of their entry files by name. */
export const findPluginSources = async ({
  plugins,
}: Pick<ProjectPaths, "plugins">): Promise<Readonly<Record<string, string>>> => {
  const found: Record<string, string> = {}
  const entries = await readdir(plugins, {withFileTypes: true}).catch(() => [])
  for (const entry of entries) {
    const name = entryPattern.exec(entry.name)?.[1]
    if (entry.isFile() && name !== undefined) found[name] = join(plugins, entry.name)
    if (!entry.isDirectory()) continue
    for (const index of ["index.ts", "index.js"]) {
      const path = join(plugins, entry.name, index)
      if (found[entry.name] === undefined && (await stat(path).catch(() => undefined))?.isFile())
        found[entry.name] = path
    }
  }
  return found
}

/** Returns undefined if nothing was built or the record is damaged. */
export const readBuildRecord = async ({buildRecord}: ProjectPaths): Promise<BuildRecord | undefined> => {
  const json = await readJsonIfExists(buildRecord)
  return isObject(fieldsOf(json).plugins) ? (json as unknown as BuildRecord) : undefined
}

/**
 * Returns the files, relative to the project, in which the build of a plugin differs from its source. Empty if the
 * build is current, if the project has no `plugins/` (an image with only `dist/`), or if the build has no record of its
 * sources.
 */
export const staleFiles = async (
  paths: ProjectPaths,
  record: BuildRecord | undefined,
  name: string,
): Promise<readonly string[]> => {
  const sources = Object.entries(record?.plugins[name] ?? {})
  const found = await Promise.all(
    sources.map(async ([file, sha256]) => ({file, sha256, now: await hashOf(join(paths.project, file))})),
  )
  const differing = (await isThere(paths.plugins)) ? found.filter(({now, sha256}) => now !== sha256) : []
  const built = record?.built?.[name]
  const output = join("dist/plugins", `${name}.js`)
  const isAsBuilt = built === undefined || (await hashOf(join(paths.project, output))) === built
  return [...differing.map(({file}) => file), ...(isAsBuilt ? [] : [output])]
}

/** Returns the plugins that need a build; undefined if nothing was built. */
export const findStalePlugins = async (paths: ProjectPaths): Promise<readonly string[] | undefined> => {
  const record = await readBuildRecord(paths)
  if (record === undefined) return undefined
  const sources = await findPluginSources(paths)
  const names = [...new Set([...Object.keys(record.plugins), ...Object.keys(sources)])].sort()
  const stale = await Promise.all(
    names.map(async name => {
      const wasBuilt = Object.keys(record.plugins[name] ?? {}).length > 0
      return !wasBuilt || (await staleFiles(paths, record, name)).length > 0
    }),
  )
  return names.filter((_, index) => stale[index])
}

/** Returns the SHA-256 of a file; undefined if it cannot be read. */
export const hashOf = async (path: string): Promise<string | undefined> => {
  const bytes = await readFile(path).catch(() => undefined)
  return bytes === undefined ? undefined : sha256Of(bytes)
}
