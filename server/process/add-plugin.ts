import {rm} from "node:fs/promises"
import {join, resolve} from "node:path"
import {fromJson, isObject} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {isThere, readJsonIfExists} from "../runtime/files.ts"
import {requireFittingSdk, sdkRangeOf} from "../runtime/packages/sdk-range.ts"
import {projectPaths} from "../runtime/project.ts"
import {didYouMean} from "../runtime/text/suggest.ts"
import {unchangedHint as hint, installPackages, toolchainOf} from "./install-packages.ts"
import {editedConfig, replaceKeepingMode} from "./new-plugin.ts"
import {runProgram} from "./program.ts"
import {packageManager, type Toolchain} from "./toolchain.ts"
import {findTarball, manifestIn, putInVendor, readyPlugins} from "./vendor.ts"

export interface WantedPackage {
  /** Its name on npm. */
  readonly name: string
  /** The part after the @: a version, a range or a tag. */
  readonly version: string
  /** The name under `plugins`. */
  readonly plugin: string
  /** The package itself, if it does not come from the registry. */
  readonly tarball?: string
}

/** The version is exact. */
export interface AddedPlugin extends Omit<WantedPackage, "tarball"> {
  /** The range of `svc-runtime` in the plugin's package.json. */
  readonly range: string
  /** The built-in plugins that it uses. svc adds those that the configuration does not have. */
  readonly needs: readonly string[]
}

/**
 * Reads what a user wants to add: the name of a ready plugin; `svc-plugin-*` or `@scope/svc-plugin-*`, with or without a
 * version; or the path of a tarball. Throws `request_invalid` for anything else.
 */
export const readWanted = async (project: string, text: string): Promise<WantedPackage> => {
  if (!text.endsWith(".tgz")) {
    const isReady = (await readyPlugins()).includes(text)
    const wanted = parseName(isReady ? `svc-plugin-${text}` : text) ?? (await refuse(text))
    const tarball = await findTarball(project, wanted.name, wanted.version)
    return tarball === undefined ? wanted : {...wanted, tarball}
  }
  const tarball = resolve(project, text)
  const manifest = await manifestIn(tarball)
  const {name = "", version = ""} = isObject(manifest) ? manifest : {}
  return {...(parseName(`${name}@${version}`) ?? (await refuse(String(name)))), tarball}
}

const parseName = (text: string): WantedPackage | undefined => {
  const pattern = /^((?:@[a-z0-9][a-z0-9._-]*\/)?svc-plugin-([a-z0-9][a-z0-9_-]{0,63}))(?:@([\w.^~<>=*+ -]+))?$/
  const [, name, plugin, version = "latest"] = pattern.exec(text) ?? []
  return name === undefined || plugin === undefined || version.startsWith("-") ? undefined : {name, version, plugin}
}

const refuse = async (text: string): Promise<never> => {
  const ready = await readyPlugins()
  throw new Problem("request_invalid", `"${text}" is not the name of a plugin's package${didYouMean(text, ready)}`, {
    hint: `Use a ready plugin (${ready.join(", ")}), svc-plugin-<name> or @scope/svc-plugin-<name>, with or without @<version>, or a tarball. Install any other package by hand, and name it with use.`,
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
  const tarballs: (() => Promise<string | undefined>)[] = []
  let config: string | undefined
  for (const each of wanted) {
    const {name, plugin, tarball} = each
    config = await editedConfig(paths.config, plugin, name.startsWith("@") ? {use: name} : {}, config)
    await requireUnused(project, plugin)
    const found = tarball === undefined ? await lookUp(project, toolchain, each) : await manifestIn(tarball)
    const version = await requireFitting(found, name)
    const needs = needsOf(found, name)
    for (const need of needs) config = await editedConfig(paths.config, need, {}, config, "keep")
    added.push({name, version, plugin, range: sdkRangeOf(found) ?? "", needs})
    if (tarball !== undefined) tarballs.push(() => putInVendor(project, tarball, name, version))
  }
  const copied: string[] = []
  try {
    for (const copy of tarballs) copied.push(...[await copy()].filter(file => file !== undefined))
    await install(project, toolchain, added, config)
  } catch (error) {
    for (const file of copied) await rm(file, {force: true})
    throw error
  }
  return added
}

const install = async (
  project: string,
  toolchain: Toolchain,
  added: readonly AddedPlugin[],
  config: string | undefined,
): Promise<void> => {
  const specs = added.map(({name, version}) => `${name}@${version}`)
  await installPackages(project, toolchain, specs, async () => {
    for (const {name, version} of added)
      await requireFitting(await readJsonIfExists(join(project, "node_modules", name, "package.json")), name, version)
    if (config !== undefined) await replaceKeepingMode(projectPaths(project).config, config)
  })
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

/** The built-in plugins that provide a service to others. */
const providers = ["workroom"]

/** Returns `svc.needs` of a package.json. Throws `plugin_incompatible`. */
const needsOf = (manifest: unknown, name: string): readonly string[] => {
  const {needs = []} = fieldsOf(fieldsOf(manifest).svc)
  const names = [needs].flat().map(String)
  const unknown = names.find(each => !providers.includes(each))
  if (unknown === undefined) return names
  throw new Problem("plugin_incompatible", `${name} needs the built-in plugin "${unknown}", which this svc lacks`)
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
