import {basename, dirname} from "node:path"
import type {UncommittedConfig} from "../../shared/api/configuration/file.ts"
import {git} from "./restore/git.ts"

/** git is asked no more often, and answers within so many milliseconds, or is not asked. */
const every = 10_000
const limit = 3000

/**
 * Whether git has a configuration as it is. It is asked when somebody asks here, at most every 10 s; `seen` is what it answered
 * last, and never waits.
 */
export class UncommittedWatch {
  readonly #path: string
  #seen: UncommittedConfig = null
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  get seen(): UncommittedConfig {
    return this.#seen
  }

  /** Asks where the last answer is too old; `again` says that it is. Never rejects. */
  async look(again = false): Promise<UncommittedConfig> {
    if (again) {
      await this.#asking
      this.#askedAt = Number.NEGATIVE_INFINITY
    }
    if (performance.now() - this.#askedAt >= every) {
      this.#asking ??= this.#ask()
      await this.#asking
    }
    return this.#seen
  }

  async #ask(): Promise<void> {
    // What cannot be asked is asked again as seldom as the rest.
    this.#askedAt = performance.now()
    this.#seen = await findUncommitted(this.#path).catch(() => this.#seen)
    this.#asking = undefined
  }
}

/** Rejects where git does not answer in time; null where there is no repository. */
export const findUncommitted = async (path: string): Promise<UncommittedConfig> => {
  const folder = dirname(path)
  const file = basename(path)
  const isTree = await git(folder, ["rev-parse", "--is-inside-work-tree"], {limit}).catch(() => "false")
  if (isTree !== "true") return null
  const status = await git(folder, ["status", "--porcelain", "--", file], {limit})
  if (status === "") return null
  const commit = `git commit -m "Change ${file}" -- ${file}`
  return {file, command: status.startsWith("??") ? `git add ${file} && ${commit}` : commit}
}
