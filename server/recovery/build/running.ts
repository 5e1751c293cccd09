import type {BuildIdentity} from "../../../shared/api/build.ts"
import {hashOf} from "../../runtime/build-record.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {version} from "../../runtime/version.ts"
import {buildChanges} from "./compare.ts"
import {type BuildFiles, identify, readBuild, readBuildFiles} from "./kept.ts"

/** A running plugin, as its loader describes it. */
interface Loaded {
  readonly name: string
  readonly plugin: {
    readonly origin: BuildIdentity["plugins"][number]["origin"]
    readonly fingerprint: string
    readonly isStale: boolean
  }
}

export interface RunningOptions {
  /** Returns the plugins of the running generation, and the same list as long as that runs. */
  readonly plugins: () => readonly Loaded[]
  /** Returns the SHA-256 of the configuration file that led to the running generation. */
  readonly configuration?: () => string | undefined
  /** Whether the Host reloads every saved change, so that the files of its start say nothing about what runs. */
  readonly isReloading?: boolean
}

/**
 * The build that a Host runs: the project's files at its start, and the plugins that it has loaded since. Git is asked while
 * the Host starts; until it answers, the commit is null.
 */
export class RunningBuild {
  readonly #paths: Pick<ProjectPaths, "project" | "config">
  readonly #options: RunningOptions
  #files: BuildFiles = {commit: null, dirty: null, lockfile: null, installed: null}
  #read: Promise<void> | undefined
  #last: {readonly loaded: readonly Loaded[]; readonly files: BuildFiles; readonly build: BuildIdentity} | undefined

  constructor(paths: Pick<ProjectPaths, "project" | "config">, options: RunningOptions) {
    this.#paths = paths
    this.#options = options
  }

  /** Reads the files once. A project whose files cannot be read has no known build. */
  start(): Promise<void> {
    this.#read ??= readBuildFiles(this.#paths).then(
      files => {
        this.#files = files
      },
      () => {},
    )
    return this.#read
  }

  /** Resolves to the build once git has answered. */
  async idle(): Promise<BuildIdentity> {
    await this.start()
    return this.current
  }

  /** Resolves to the build for a restore point, and to what runs but is not in the project's files. */
  async recorded(): Promise<{readonly build: BuildIdentity; readonly changes: readonly string[]}> {
    const {configuration, isReloading = false} = this.#options
    const files = await readBuild(this.#paths.project)
    const running = await this.idle()
    const {commit, dirty, lockfile} = files
    const build = isReloading ? identify({...running, commit, dirty, lockfile}) : running
    const loaded = configuration?.()
    const isLoaded = loaded === undefined || loaded === (await hashOf(this.#paths.config))
    return {
      build,
      changes: [
        ...buildChanges(build, files),
        ...build.stale.map(name => `plugins.${name} runs a build that does not match its source`),
        ...(isLoaded ? [] : ["svc.config.yml has changed since it was loaded"]),
      ],
    }
  }

  get current(): BuildIdentity {
    const loaded = this.#options.plugins()
    if (this.#last?.loaded === loaded && this.#last.files === this.#files) return this.#last.build
    const plugins = loaded.map(({name, plugin: {origin, fingerprint: content}}) => ({name, origin, content}))
    const stale = loaded.filter(({plugin}) => plugin.isStale).map(({name}) => name)
    const build = identify({...this.#files, version, plugins, stale})
    this.#last = {loaded, files: this.#files, build}
    return build
  }
}
