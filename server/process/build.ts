import {rename} from "node:fs/promises"
import {basename, dirname, join, relative, resolve} from "node:path"
import type {Metafile} from "esbuild"
import {Problem} from "../../shared/problems.ts"
import {type BuildRecord, findPluginSources, hashOf} from "../runtime/build-record.ts"
import {esbuildIssues, loadEsbuild} from "../runtime/engines/esbuild.ts"
import {pluginBuild} from "../runtime/engines/plugin-build.ts"
import {isThere, makePrivateFolder, removeFolder, sha256Of, syncFolder, writeNewFile} from "../runtime/files.ts"
import {projectPaths} from "../runtime/project.ts"

/**
 * Bundles the plugins of a project to `dist/plugins/<name>.js`, for production and for any Node. Resolves to the names.
 * Throws `compiler_missing`, and `plugin_invalid` with the position of every error. A failure keeps the previous build.
 */
export const buildPlugins = async (project: string): Promise<readonly string[]> => {
  const paths = projectPaths(resolve(project))
  const sources = await findPluginSources(paths)
  const {build} = await loadEsbuild(paths.project)
  const built = await build({
    entryPoints: {...sources},
    absWorkingDir: paths.project,
    outdir: paths.builtPlugins,
    ...pluginBuild,
    sourcemap: "inline",
  }).catch(cause => {
    throw new Problem("plugin_invalid", "the plugins do not compile", {cause, issues: esbuildIssues(cause)})
  })
  const outputs = built.outputFiles.map(({path, text}) => ({name: basename(path), text: compiledOnBun(text)}))
  const record: BuildRecord = {
    builtAt: new Date().toISOString(),
    plugins: await hashInputs(paths.project, built.metafile),
    built: Object.fromEntries(outputs.map(({name, text}) => [basename(name, ".js"), sha256Of(text)])),
  }
  await replaceFolder(paths.builtPlugins, [
    ...outputs,
    {name: basename(paths.buildRecord), text: JSON.stringify(record, undefined, 2)},
  ])
  return Object.keys(sources)
}

/** Without this mark Bun compiles the file, which gives an ES module `require` and `__dirname`, but loses the source map. */
const compiledOnBun = (text: string): string =>
  /\b__(?:require|dirname|filename)\b/.test(text) ? text.replace(pluginBuild.banner.js, "//") : text

interface NamedText {
  readonly name: string
  readonly text: string
}

/** Replaces a folder. If the process is killed, the folder is the old one, the new one or missing, but never incomplete. */
const replaceFolder = async (folder: string, files: readonly NamedText[]): Promise<void> => {
  const parent = dirname(folder)
  const [fresh, old] = [join(parent, ".plugins-new"), join(parent, ".plugins-old")]
  for (const left of [fresh, old]) await removeFolder(left)
  await makePrivateFolder(fresh)
  for (const {name, text} of files) await writeNewFile(join(fresh, name), text)
  await syncFolder(fresh)
  if (await isThere(folder)) await rename(folder, old)
  await rename(fresh, folder)
  await syncFolder(parent)
  await removeFolder(old)
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
