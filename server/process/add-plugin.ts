import {join} from "node:path"
import {fromJson, isObject} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import {isThere, readJsonIfExists} from "../runtime/files.ts"
import {requireFittingSdk, sdkRangeOf} from "../runtime/packages/sdk-range.ts"
import {projectPaths} from "../runtime/project.ts"
import {unchangedHint as hint, installPackages, toolchainOf} from "./install-packages.ts"
import {editedConfig, replaceKeepingMode} from "./new-plugin.ts"
import {runProgram} from "./program.ts"
import {packageManager, type Toolchain} from "./toolchain.ts"

export interface WantedPackage {
  /** Its name on npm. */
  readonly name: string
  /** The part after the @: a version, a range or a tag. */
  readonly version: string
  /** The name under `plugins`. */
  readonly plugin: string
}

/** The version is exact. */
export interface AddedPlugin extends WantedPackage {
  /** The range of `svc-runtime` in the plugin's package.json. */
  readonly range: string
}

/** Parses `svc-plugin-*` or `@scope/svc-plugin-*`, with or without a version. Throws `request_invalid` for anything else. */
export const readWanted = (text: string): WantedPackage => {
  const pattern = /^((?:@[a-z0-9][a-z0-9._-]*\/)?svc-plugin-([a-z0-9][a-z0-9_-]{0,63}))(?:@([\w.^~<>=*+ -]+))?$/
  const [, name, plugin, version = "latest"] = pattern.exec(text) ?? []
  if (name !== undefined && plugin !== undefined && !version.startsWith("-")) return {name, version, plugin}
  throw new Problem("request_invalid", `"${text}" is not the name of a plugin's package`, {
    hint: "Use svc-plugin-<name> or @scope/svc-plugin-<name>, with or without @<version>. Install any other package by hand, and name it with use.",
  })
}

/**
 * Installs the exact versions of plugins' packages, without install scripts, and adds them to svc.config.yml. Throws
 * `plugin_incompatible` if a package's range of `svc-runtime` is missing or does not include this svc, and `conflict` if a
 * program fails. A failure restores package.json, the lockfile and the configuration.
 */
export const addPlugins = async (
  project: string,
  wanted: readonly WantedPackage[],
): Promise<readonly AddedPlugin[]> => {
  const paths = projectPaths(project)
  const toolchain = await toolchainOf(project)
  const added: AddedPlugin[] = []
  let config: string | undefined
  for (const each of wanted) {
    const {name, plugin} = each
    config = await editedConfig(paths.config, plugin, name.startsWith("@") ? {use: name} : {}, config)
    await requireUnused(project, plugin)
    const found = await lookUp(project, toolchain, each)
    const version = await requireFitting(found, name)
    added.push({name, version, plugin, range: sdkRangeOf(found) ?? ""})
  }
  const specs = added.map(({name, version}) => `${name}@${version}`)
  await installPackages(project, toolchain, specs, async () => {
    for (const {name, version} of added)
      await requireFitting(await readJsonIfExists(join(project, "node_modules", name, "package.json")), name, version)
    if (config !== undefined) await replaceKeepingMode(paths.config, config)
  })
  return added
}

const requireUnused = async (project: string, plugin: string): Promise<void> => {
  for (const file of [`plugins/${plugin}.ts`, `plugins/${plugin}.js`, `plugins/${plugin}`]) {
    if (await isThere(join(project, file)))
      throw new Problem("conflict", `${file} already exists, and has priority over a package of that name`, {hint})
  }
}

/** Asks the package manager for the package.json of the wanted version, with the project's registry and settings. */
const lookUp = async (project: string, toolchain: Toolchain, {name, version}: WantedPackage): Promise<unknown> => {
  const [command, ...args] = packageManager(toolchain)
  const ask = toolchain === "bun" ? "info" : "view"
  const answer = await runProgram([command, ...args, ask, `${name}@${version}`, "--json"], {cwd: project, hint})
  const found: unknown = fromJson(answer)
  // For a range, npm answers with all matching versions, the newest last.
  return Array.isArray(found) ? found.at(-1) : found
}

/** Checks the manifest. Resolves to its version. */
const requireFitting = async (manifest: unknown, name: string, expected?: string): Promise<string> => {
  const version = isObject(manifest) ? String(manifest.version) : ""
  if (!/^\d+\.\d+\.\d+/.test(version) || (expected !== undefined && version !== expected))
    throw new Problem("conflict", `${name} does not have the requested version`, {hint})
  if (sdkRangeOf(manifest) === undefined) {
    throw new Problem("plugin_incompatible", `${name} ${version} does not name a range of svc-runtime`, {
      hint: "svc changed nothing. The package needs svc-runtime in its peerDependencies; ask its author.",
    })
  }
  await requireFittingSdk(manifest, name)
  return version
}
