import {readFile} from "node:fs/promises"
import {join} from "node:path"
import {sha256Of} from "../files.ts"

/** The lockfiles of the package managers, by preference. */
export const lockfiles = ["bun.lockb", "bun.lock", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"] as const

/** Finds the project's lockfile; undefined if there is none. */
export const findLockfile = async (project: string): Promise<{name: string; sha256: string} | undefined> => {
  for (const name of lockfiles) {
    const bytes = await readFile(join(project, name)).catch(() => undefined)
    if (bytes !== undefined) return {name, sha256: sha256Of(bytes)}
  }
  return undefined
}

/** Returns a hash of the project's lockfile, empty if there is none. */
export const hashLockfile = async (project: string): Promise<string> => (await findLockfile(project))?.sha256 ?? ""
