import {readFile} from "node:fs/promises"
import {join} from "node:path"
import {sha256Of} from "../runtime/hash.ts"

/** The lockfiles of the package managers, by preference. */
export const lockfiles = ["bun.lockb", "bun.lock", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"] as const

/** The project's lockfile; undefined where it has none. */
export const findLockfile = async (project: string): Promise<{name: string; sha256: string} | undefined> => {
  for (const name of lockfiles) {
    const bytes = await readFile(join(project, name)).catch(() => undefined)
    if (bytes !== undefined) return {name, sha256: sha256Of(bytes)}
  }
  return undefined
}

/** A hash of the project's lockfile, empty where it has none. */
export const hashLockfile = async (project: string): Promise<string> => (await findLockfile(project))?.sha256 ?? ""
