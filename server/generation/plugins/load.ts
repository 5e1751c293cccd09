import {readdir, rm, stat} from "node:fs/promises"
import {isAbsolute, join, relative, resolve} from "node:path"
import type {AccountSetup} from "../../../shared/account-setup.ts"
import type {PluginEntry} from "../../../shared/config/config.ts"
import {toJson} from "../../../shared/json.ts"
import {type Issue, messageOf, Problem} from "../../../shared/problems.ts"
import {isPlugin, type PluginDefinition} from "../../../shared/sdk/plugin/plugin.ts"
import {readBuildRecord, staleFiles} from "../../runtime/build-record.ts"
import {makePrivateFolder, readFileIfExists, readJsonIfExists, sha256Of, writeFileAtomic} from "../../runtime/files.ts"
import {Running} from "../../runtime/flow/running.ts"
import {requireFittingSdk} from "../../runtime/packages/sdk-range.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {mappedSources} from "../../runtime/source-map.ts"
import {requireKeys} from "../checks/keys.ts"
import {positionIn, whileImporting} from "./position.ts"

/** A plugin's code, ready for `setup`. */
export interface LoadedPlugin {
  readonly definition: PluginDefinition
  /** A hash of the plugin's modules, equal for equal code. */
  readonly fingerprint: string
  /** Absolute paths of its source files, as they appear in stacks. */
  readonly files: readonly string[]
  readonly origin: PluginOrigin
  /** A path in the project, or a name, for people. */
  readonly from: string
  /** The absolute path of the loaded module; undefined if it belongs to svc or a package. */
  readonly module?: string
  /** True if it was built from other source than the current one and runs nevertheless. */
  readonly isStale: boolean
}

export type PluginOrigin = "source" | "built" | "built-in" | "package"

/** One module of a plugin's code that a runtime can import. */
interface Importable extends Pick<LoadedPlugin, "fingerprint" | "files" | "origin"> {
  readonly isStale?: boolean
  readonly name: string
  readonly path: string
  /** The author's file, if it is a different one. */
  readonly source?: string
}

/** A plugin that needs no file. Another edition is another plugin. */
export interface BuiltIn {
  readonly default: PluginDefinition
  readonly edition?: number
  /** npm packages that its adapter loads at first use, each in the version that svc is tested with. */
  readonly libraries?: Readonly<Record<string, string>>
  /** How `svc init --platform` makes its first account. */
  readonly setup?: AccountSetup
}

/** The adapters that are part of svc, loaded when they are used. */
export type BuiltIns = Readonly<Record<string, () => Promise<BuiltIn>>>

export interface LoaderOptions {
  readonly runtime: Runtime
  readonly paths: ProjectPaths
  readonly builtIns: BuiltIns
  /**
   * When to use the output of `svc build`:
   * - `required`: instead of the source. It must match the source.
   * - `stale`: instead of the source, even if it does not match.
   * - `current`: if it matches the source.
   * - `fallback`: if there is no source.
   */
  readonly builds: "required" | "stale" | "current" | "fallback"
  /** A folder with earlier versions of plugins, which override everything else. */
  readonly kept?: string
  /** The folder for compiled plugins, removed together with the Host's temporary files. */
  readonly cache: string
  /** Absolute paths of the Host's own SDK, by specifier. */
  readonly sdk: Readonly<Record<string, string>>
}

type Load = () => Promise<LoadedPlugin>

/** Finds plugins and loads their code. Unchanged code is not loaded again. */
export class Loader {
  readonly #options: LoaderOptions
  readonly #cache = new Map<string, {readonly path: string; readonly plugin: LoadedPlugin}>()
  /** The compiled code that is being written. */
  readonly writes = new Running()

  constructor(options: LoaderOptions) {
    this.#options = options
  }

  /**
   * Loads a plugin. Throws `plugin_missing`, `plugin_invalid` with positions, `build_stale`, `plugin_incompatible`. Once
   * `signal` is aborted, writes no more and runs no code of the plugin's file.
   */
  async load(name: string, entry: Pick<PluginEntry, "use">, signal: AbortSignal): Promise<LoadedPlugin> {
    const load = await this.#find(name, entry.use, signal)
    return withKnownKeys(await load())
  }

  /** Loads one of svc's own plugins, whatever the project has under its name. Throws `plugin_missing`. */
  async loadBuiltIn(name: string): Promise<LoadedPlugin> {
    const load = this.#builtIn(name)
    if (load === undefined) throw new Problem("plugin_missing", `svc has no plugin ${name}`)
    return load()
  }

  /**
   * Removes compiled code except these modules. On Bun, an import keeps memory for every file beside it: 82 MB after
   * 600 edits, 47 in an empty folder (measured).
   */
  async keepOnly(modules: readonly (string | undefined)[]): Promise<void> {
    const {cache} = this.#options
    const files = await readdir(cache).catch(() => [])
    const old = files.map(name => join(cache, name)).filter(path => !modules.includes(path))
    await Promise.all(old.map(path => rm(path, {force: true}).catch(() => {})))
  }

  async #write(path: string, code: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await this.writes.add(async () => {
      await makePrivateFolder(this.#options.cache)
      if (!(await isFile(path))) await writeFileAtomic(path, code)
    })
  }

  /** Returns what loads one of svc's own plugins; undefined if there is none of this name. */
  #builtIn(name: string): Load | undefined {
    const {builtIns} = this.#options
    const load = Object.hasOwn(builtIns, name) ? builtIns[name] : undefined
    if (load === undefined) return undefined
    return async () => {
      const {default: definition, edition = 0} = await load()
      return {
        definition,
        fingerprint: `built-in:${name}:${edition}`,
        files: [],
        origin: "built-in",
        from: `built-in ${name}`,
        isStale: false,
      }
    }
  }

  /** Returns what loads a plugin. */
  async #find(name: string, use: string | undefined, signal: AbortSignal): Promise<Load> {
    const {paths, kept} = this.#options
    const file =
      (path: string): Load =>
      () =>
        this.#compile(name, path, signal)
    const build =
      (path: string, isStale = false): Load =>
      () =>
        this.#built(name, path, isStale, signal)
    const again = kept === undefined ? undefined : join(kept, `${name}.js`)
    if (again !== undefined && (await isFile(again))) return build(again)
    if (use !== undefined && (use.startsWith(".") || isAbsolute(use))) {
      const path = await firstFile(candidates(resolve(paths.project, use)))
      if (path === undefined) throw new Problem("plugin_missing", `there is no file ${use}`)
      return file(path)
    }
    const built = join(paths.builtPlugins, `${name}.js`)
    const isBuilt = use === undefined && (await isFile(built))
    const taken = isBuilt ? await this.#judgeBuild(name) : undefined
    if (taken !== undefined) return build(built, taken.isStale)
    const local = await firstFile(candidates(join(paths.plugins, use ?? name)))
    if (local !== undefined) return file(local)
    if (isBuilt) return build(built)
    return this.#builtIn(use ?? name) ?? (() => this.#package(name, use ?? `svc-plugin-${name}`, signal))
  }

  /** Decides whether the build of a plugin is used instead of its source; undefined if not. Throws `build_stale`. */
  async #judgeBuild(name: string): Promise<{isStale: boolean} | undefined> {
    const {paths, builds} = this.#options
    if (builds === "fallback") return undefined
    const files = await staleFiles(paths, await readBuildRecord(paths), name)
    if (files.length === 0) return {isStale: false}
    if (builds === "stale") return {isStale: true}
    if (builds === "current") return undefined
    throw new Problem("build_stale", `dist/plugins was not built from the current ${files.join(", ")}`)
  }

  async #compile(name: string, entry: string, signal: AbortSignal): Promise<LoadedPlugin> {
    const {runtime, cache, sdk, paths} = this.#options
    const {code, files} = await runtime.bundle({entry, project: paths.project, externals: sdk})
    const fingerprint = sha256Of(code)
    const path = join(cache, `${name}-${fingerprint.slice(0, 16)}.mjs`)
    await this.#write(path, code, signal)
    return this.#import({name, path, fingerprint, files: [...files, path], origin: "source", source: entry}, signal)
  }

  async #built(name: string, path: string, isStale: boolean, signal: AbortSignal): Promise<LoadedPlugin> {
    const code = (await readFileIfExists(path)) ?? ""
    const files = [path, ...mappedSources(path, code)]
    return this.#import({name, path, fingerprint: sha256Of(code), files, origin: "built", isStale}, signal)
  }

  /** A package resolves from the project, so it is imported through a file in the project. */
  async #package(name: string, specifier: string, signal: AbortSignal): Promise<LoadedPlugin> {
    const {cache, paths} = this.#options
    const manifest = join(paths.project, "node_modules", specifier, "package.json")
    if ((await readFileIfExists(manifest)) === undefined) {
      const text = `no plugins/${name}.ts or .js, no built-in adapter "${name}", and no package ${specifier}`
      throw new Problem("plugin_missing", text)
    }
    const found = await readJsonIfExists(manifest)
    await requireFittingSdk(found, specifier)
    const version = (found as {version?: string} | undefined)?.version ?? "0"
    const code = `export {default} from ${toJson(specifier)}\n`
    const fingerprint = sha256Of(`${code}${version}`)
    const path = join(cache, `${name}-${fingerprint.slice(0, 16)}.mjs`)
    await this.#write(path, code, signal)
    const files = [join("node_modules", specifier)]
    const plugin = await whileImporting(files, () =>
      this.#import({name, path, fingerprint, files: [path], origin: "package"}, signal),
    )
    return {...plugin, from: `${specifier} ${version}`, files}
  }

  async #import(found: Importable, signal: AbortSignal): Promise<LoadedPlugin> {
    signal.throwIfAborted()
    const {name, path, fingerprint, files, origin, isStale = false, source = path} = found
    const cached = this.#cache.get(name)
    if (cached?.plugin.fingerprint === fingerprint && cached.path === path) return {...cached.plugin, isStale}
    const from = relative(this.#options.paths.project, source)
    const module = await whileImporting(files, () => this.#options.runtime.load(path)).catch((cause: unknown) => {
      const at = positionIn(cause, files, this.#options.paths.project)
      throw new Problem("plugin_invalid", `${from} does not load: ${messageOf(cause)}`, {
        cause,
        issues: at === undefined ? [] : [{...at, path: "", message: messageOf(cause)}],
      })
    })
    const definition = (module as {default?: unknown}).default
    if (!isPlugin(definition)) {
      throw new Problem("plugin_invalid", `${from} is not a plugin`, {
        issues: [atStart(from, "the default export was not made with definePlugin")],
        hint: "Make its default export with definePlugin.",
      })
    }
    const own = origin === "package" ? {} : {module: path}
    const plugin = {definition, fingerprint, files, origin, from, isStale, ...own}
    if (cached !== undefined) this.#options.runtime.unload(cached.path)
    this.#cache.set(name, {path, plugin})
    return plugin
  }
}

const atStart = (file: string, message: string): Issue => ({file, line: 1, column: 1, path: "", message})

const withKnownKeys = (plugin: LoadedPlugin): LoadedPlugin => {
  try {
    requireKeys("definePlugin()", plugin.definition, "definePlugin")
    return plugin
  } catch (cause) {
    const why = messageOf(cause)
    throw new Problem("plugin_invalid", `${plugin.from}: ${why}`, {cause, issues: [atStart(plugin.from, why)]})
  }
}

const candidates = (base: string): readonly string[] =>
  /\.(ts|js|mjs)$/.test(base) ? [base] : [`${base}.ts`, `${base}.js`, join(base, "index.ts"), join(base, "index.js")]

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() ?? false

const firstFile = async (paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) if (await isFile(path)) return path
  return undefined
}
