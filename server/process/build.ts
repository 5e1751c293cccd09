import {readdir, readFile, rm, stat} from "node:fs/promises"
import {join, relative, resolve} from "node:path"
import {build, type Metafile} from "esbuild"
import {Problem} from "../../shared/problems.ts"
import {esbuildIssues} from "../runtime/esbuild-issues.ts"
import {makePrivateFolder, readJsonIfExists, writeFileAtomic} from "../runtime/files.ts"
import {sha256Of} from "../runtime/hash.ts"
import {pluginBuild} from "../runtime/plugin-build.ts"
import {projectPaths} from "../runtime/project.ts"

/** What a build was made from, kept beside it as `dist/plugins/build.json`. */
export interface BuildRecord {
  readonly builtAt: string
  /** By plugin: its source files, relative to the project, and their SHA-256. */
  readonly plugins: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const entryPattern = /^([a-z0-9][a-z0-9_-]{0,63})\.(ts|js)$/

/** The plugins in `plugins/`, by name: absolute paths of their entry files. */
export const findPluginSources = async (project: string): Promise<Readonly<Record<string, string>>> => {
  const {plugins} = projectPaths(project)
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

/**
 * Bundles the plugins of a project to `dist/plugins/<name>.js`, for production and for any Node. Resolves to the names.
 * Throws `plugin_invalid` with the position of every error, and leaves the build before it in place.
 */
export const buildPlugins = async (project: string): Promise<readonly string[]> => {
  const paths = projectPaths(resolve(project))
  const sources = await findPluginSources(paths.project)
  const built = await build({
    entryPoints: Object.fromEntries(Object.entries(sources).map(([name, path]) => [name, path])),
    absWorkingDir: paths.project,
    outdir: paths.builtPlugins,
    ...pluginBuild,
    sourcemap: "inline",
  }).catch(cause => {
    throw new Problem("plugin_invalid", "the plugins do not compile", {cause, issues: esbuildIssues(cause)})
  })
  await rm(paths.builtPlugins, {recursive: true, force: true})
  await makePrivateFolder(paths.builtPlugins)
  for (const file of built.outputFiles) await writeFileAtomic(file.path, file.text)
  const record: BuildRecord = {
    builtAt: new Date().toISOString(),
    plugins: await hashInputs(paths.project, built.metafile),
  }
  await writeFileAtomic(paths.buildRecord, JSON.stringify(record, undefined, 2))
  return Object.keys(sources)
}

/** The plugins whose source differs from what the build was made from; undefined where nothing was built. */
export const findStalePlugins = async (project: string): Promise<readonly string[] | undefined> => {
  const paths = projectPaths(resolve(project))
  const record = (await readJsonIfExists(paths.buildRecord)) as BuildRecord | undefined
  if (record === undefined) return undefined
  const sources = await findPluginSources(paths.project)
  const names = new Set([...Object.keys(record.plugins), ...Object.keys(sources)])
  const stale: string[] = []
  for (const name of names) {
    const files = Object.entries(record.plugins[name] ?? {})
    const same = await Promise.all(
      files.map(async ([file, hash]) => (await hashOf(join(paths.project, file))) === hash),
    )
    if (files.length === 0 || same.includes(false)) stale.push(name)
  }
  return stale.sort()
}

const hashOf = async (path: string): Promise<string | undefined> => {
  const bytes = await readFile(path).catch(() => undefined)
  return bytes === undefined ? undefined : sha256Of(bytes)
}

const hashInputs = async (project: string, {outputs}: Metafile): Promise<BuildRecord["plugins"]> => {
  const plugins: Record<string, Record<string, string>> = {}
  for (const {entryPoint, inputs} of Object.values(outputs)) {
    if (entryPoint === undefined) continue
    const files: Record<string, string> = {}
    for (const file of Object.keys(inputs).sort()) files[file] = (await hashOf(join(project, file))) ?? ""
    plugins[nameOf(relative(project, resolve(project, entryPoint)))] = files
  }
  return plugins
}

const nameOf = (entry: string) => {
  const parts = entry.split("/")
  return parts.length > 2 ? (parts[1] ?? "") : (parts[1] ?? "").replace(/\.(ts|js)$/, "")
}
