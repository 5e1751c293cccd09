import {join} from "node:path"
import {fromJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import {requireFittingSdk, sdkRangeOf} from "../plugins/sdk-range.ts"
import {isThere, readJsonIfExists} from "../runtime/files.ts"
import {projectPaths} from "../runtime/project.ts"
import {unchangedHint as hint, installPackages, toolchainOf} from "./install-packages.ts"
import {editedConfig, replaceKeepingMode} from "./new-plugin.ts"
import {runProgram} from "./program.ts"
import {packageManager, type Toolchain} from "./toolchain.ts"

export interface WantedPackage {
  /** Its name on npm. */
  readonly name: string
  /** What stands behind the @: a version, a range or a tag. */
  readonly version: string
  /** The name under `plugins`. */
  readonly plugin: string
}

export interface AddedPlugin {
  readonly package: string
  readonly version: string
  readonly plugin: string
  /** What package.json of the plugin says of `svc-runtime`. */
  readonly range: string
}

/** Throws `request_invalid` for what is not `svc-plugin-*` or `@scope/svc-plugin-*`, with or without a version. */
export const readWanted = (text: string): WantedPackage => {
  const pattern = /^((?:@[a-z0-9][a-z0-9._-]*\/)?svc-plugin-([a-z0-9][a-z0-9_-]{0,63}))(?:@([\w.^~<>=*+ -]+))?$/
  const [, name, plugin, version = "latest"] = pattern.exec(text) ?? []
  if (name !== undefined && plugin !== undefined && !version.startsWith("-")) return {name, version, plugin}
  throw new Problem("request_invalid", `"${text}" is not the name of a plugin's package`, {
    hint: "Names are svc-plugin-<name> or @scope/svc-plugin-<name>, with @<version> or without. Install another package by hand, and name it with use.",
  })
}

/**
 * Installs a plugin's package in its exact version, without install scripts, and names it in svc.config.yml: all of it, or nothing.
 * Throws `plugin_incompatible` for a package whose range of `svc-runtime` is missing or does not include this svc, and
 * `conflict` where a program fails, both with package.json, lockfile and configuration as they were.
 */
export const addPlugin = async (project: string, wanted: WantedPackage): Promise<AddedPlugin> => {
  const paths = projectPaths(project)
  const {name, plugin} = wanted
  const entry = name.startsWith("@") ? {use: name} : {}
  const config = await editedConfig(paths.config, plugin, entry)
  await requireUnused(project, plugin)
  const toolchain = await toolchainOf(project)
  const found = await lookUp(project, toolchain, wanted)
  const version = await requireFitting(found, name)
  await installPackages(project, toolchain, [`${name}@${version}`], async () => {
    const installed = await readJsonIfExists(join(project, "node_modules", name, "package.json"))
    await requireFitting(installed, name, version)
    await replaceKeepingMode(paths.config, config)
  })
  return {package: name, version, plugin, range: sdkRangeOf(found) ?? ""}
}

const requireUnused = async (project: string, plugin: string): Promise<void> => {
  for (const file of [`plugins/${plugin}.ts`, `plugins/${plugin}.js`, `plugins/${plugin}`]) {
    if (await isThere(join(project, file)))
      throw new Problem("conflict", `${file} is there already, and comes before a package of that name`, {hint})
  }
}

/** Asks the project's registry, by the package manager and its settings, for the package.json of the wanted version. */
const lookUp = async (project: string, toolchain: Toolchain, {name, version}: WantedPackage): Promise<unknown> => {
  const [command, ...args] = packageManager(toolchain)
  const ask = toolchain === "bun" ? "info" : "view"
  const answer = await runProgram([command, ...args, ask, `${name}@${version}`, "--json"], {cwd: project, hint})
  const found: unknown = fromJson(answer)
  // npm answers a range with all versions in it, the newest last.
  return Array.isArray(found) ? found.at(-1) : found
}

/** Resolves to the version. */
const requireFitting = async (manifest: unknown, name: string, expected?: string): Promise<string> => {
  const version =
    typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : ""
  if (!/^\d+\.\d+\.\d+/.test(version) || (expected !== undefined && version !== expected))
    throw new Problem("conflict", `${name} has no version as it was asked for`, {hint})
  if (sdkRangeOf(manifest) === undefined) {
    throw new Problem("plugin_incompatible", `${name} ${version} does not say for which svc-runtime it is`, {
      hint: "Nothing was changed. Its package.json needs svc-runtime in peerDependencies; ask its author.",
    })
  }
  await requireFittingSdk(manifest, name)
  return version
}
