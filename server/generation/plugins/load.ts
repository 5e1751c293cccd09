import {readdir, rm, stat} from "node:fs/promises"
import {isAbsolute, join, relative, resolve} from "node:path"
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

interface Cached {
  readonly path: string
  readonly plugin: LoadedPlugin
}

/** Finds plugins and loads their code. Unchanged code is not loaded again. */
export class Loader {
  readonly #options: LoaderOptions
  readonly #cache = new Map<string, Cached>()
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
    const found = await this.#find(name, entry.use)
    switch (found.is) {
      case "file":
        return this.#compile(name, found.path, signal)
      case "built":
        return this.#built(name, found.path, found.isStale, signal)
      case "built-in":
        return this.#builtIn(found.name, found.load)
      case "package":
        return this.#package(name, found.name, signal)
    }
  }

  /** Loads one of svc's own plugins, whatever the project has under its name. Throws `plugin_missing`. */
  async loadBuiltIn(name: string): Promise<LoadedPlugin> {
    const {builtIns} = this.#options
    const load = Object.hasOwn(builtIns, name) ? builtIns[name] : undefined
    if (load === undefined) throw new Problem("plugin_missing", `svc has no plugin ${name}`)
    return this.#builtIn(name, load)
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

  async #builtIn(name: string, load: () => Promise<BuiltIn>): Promise<LoadedPlugin> {
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

  async #find(name: string, use: string | undefined) {
    const {paths, builtIns, kept} = this.#options
    const builtIn = (key: string) => {
      const load = Object.hasOwn(builtIns, key) ? builtIns[key] : undefined
      return load && ({is: "built-in", name: key, load} as const)
    }
    const again = kept === undefined ? undefined : join(kept, `${name}.js`)
    if (again !== undefined && (await isFile(again))) return {is: "built", path: again, isStale: false} as const
    if (use !== undefined && (use.startsWith(".") || isAbsolute(use))) {
      const path = await firstFile(candidates(resolve(paths.project, use)))
      if (path === undefined) throw new Problem("plugin_missing", `there is no file ${use}`)
      return {is: "file", path} as const
    }
    const built = join(paths.builtPlugins, `${name}.js`)
    if (use === undefined && (await isFile(built))) {
      const taken = await this.#judgeBuild(name)
      if (taken !== undefined) return {is: "built", path: built, ...taken} as const
    }
    const local = await firstFile(candidates(join(paths.plugins, use ?? name)))
    if (local !== undefined) return {is: "file", path: local} as const
    if (use === undefined && (await isFile(built))) return {is: "built", path: built, isStale: false} as const
    return builtIn(use ?? name) ?? ({is: "package", name: use ?? `svc-plugin-${name}`} as const)
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
        issues: [notAPlugin(from)],
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

const notAPlugin = (file: string): Issue => ({
  file,
  line: 1,
  column: 1,
  path: "",
  message: "the default export was not made with definePlugin",
})

const candidates = (base: string): readonly string[] =>
  /\.(ts|js|mjs)$/.test(base) ? [base] : [`${base}.ts`, `${base}.js`, join(base, "index.ts"), join(base, "index.js")]

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() ?? false

const firstFile = async (paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) if (await isFile(path)) return path
  return undefined
}
