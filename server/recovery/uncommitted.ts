import {basename, dirname} from "node:path"
import type {UncommittedConfig} from "../../shared/api/configuration/file.ts"
import {git} from "./files/git.ts"

/** The shortest interval between two calls of git, and the time limit of a call, in milliseconds. */
const every = 10_000
const limit = 3000

/** Knows if git has the present configuration: asks it every 10 s at most; `seen`, the last answer, never waits. */
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

  /** Whether `look` would ask git. */
  get isDue(): boolean {
    return performance.now() - this.#askedAt >= every
  }

  /** Asks git if the last answer is too old, or if `again` is true. Never rejects. */
  async look(again = false): Promise<UncommittedConfig> {
    if (again) {
      await this.#asking
      this.#askedAt = Number.NEGATIVE_INFINITY
    }
    if (this.isDue) {
      this.#asking ??= this.#ask()
      await this.#asking
    }
    return this.#seen
  }

  async #ask(): Promise<void> {
    // A failed call counts too, so that it is not repeated more often.
    this.#askedAt = performance.now()
    this.#seen = await findUncommitted(this.#path).catch(() => this.#seen)
    this.#asking = undefined
  }
}

/** Resolves to the uncommitted configuration, or to null if it is committed or there is no repository. Rejects on a timeout. */
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
