import type {BuildIdentity} from "../../../shared/api/build.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {version} from "../../runtime/version.ts"
import {type BuildFiles, identify, readBuildFiles} from "./kept.ts"

/** A running plugin, as its loader describes it. */
interface Loaded {
  readonly name: string
  readonly plugin: {
    readonly origin: BuildIdentity["plugins"][number]["origin"]
    readonly fingerprint: string
    readonly isStale: boolean
  }
}

/**
 * The build that a Host runs: the project's files at its start, and the plugins that it has loaded since. Git is asked while
 * the Host starts; until it answers, the commit is null.
 */
export class RunningBuild {
  readonly #paths: Pick<ProjectPaths, "project">
  readonly #plugins: () => readonly Loaded[]
  #files: BuildFiles = {commit: null, dirty: null, lockfile: null, installed: null}
  #read: Promise<void> = Promise.resolve()
  #last: {readonly loaded: readonly Loaded[]; readonly files: BuildFiles; readonly build: BuildIdentity} | undefined

  /** `plugins` returns those of the running generation, and the same list as long as that runs. */
  constructor(paths: Pick<ProjectPaths, "project">, plugins: () => readonly Loaded[]) {
    this.#paths = paths
    this.#plugins = plugins
  }

  /** Starts reading the files. A project whose files cannot be read has no known build. */
  start(): void {
    this.#read = readBuildFiles(this.#paths).then(
      files => {
        this.#files = files
      },
      () => {},
    )
  }

  /** Resolves to the build once git has answered. */
  async settled(): Promise<BuildIdentity> {
    await this.#read
    return this.current
  }

  get current(): BuildIdentity {
    const loaded = this.#plugins()
    if (this.#last?.loaded === loaded && this.#last.files === this.#files) return this.#last.build
    const plugins = loaded.map(({name, plugin: {origin, fingerprint: content}}) => ({name, origin, content}))
    const stale = loaded.filter(({plugin}) => plugin.isStale).map(({name}) => name)
    const build = identify({...this.#files, version, plugins, stale})
    this.#last = {loaded, files: this.#files, build}
    return build
  }
}
