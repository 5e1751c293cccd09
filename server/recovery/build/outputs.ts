import {readdir} from "node:fs/promises"
import {basename, join} from "node:path"
import {git} from "../files/git.ts"

/** The project's state, data and secrets, which are never part of a build. */
const notBuilt = /^(\.svc|data|\.git|\.env(\..*)?)$/

/**
 * Resolves to the outputs of install and build in a fresh work tree: everything that git ignores, with a folder as one entry.
 * Paths are relative to `top`; `project` is the project's folder below it, with a trailing slash, or empty.
 */
export const outputsOfTree = async (top: string, project: string): Promise<readonly string[]> => {
  const listed = await git(top, ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"])
  return listed
    .split("\0")
    .map(path => path.replace(/\/$/, ""))
    .filter(path => path !== "" && !isOwn(path, project))
    .sort()
}

const isOwn = (path: string, project: string): boolean =>
  path.startsWith(project) && notBuilt.test(path.slice(project.length).split("/")[0] ?? "")

/** Resolves to the outputs in a copy without git: every entry at its top that contains none of its sources. */
export const outputsOfCopy = async (folder: string, sources: readonly string[]): Promise<readonly string[]> => {
  const known = new Set(sources.map(path => path.split("/")[0]))
  return (await readdir(folder)).filter(name => !known.has(name) && !notBuilt.test(name)).sort()
}

/** Sorts packages to the end, because svc itself may be among them, and the project's own packages to the very end. */
export const packagesLast = (entries: readonly string[], project: string): readonly string[] => {
  const rank = (entry: string) =>
    basename(entry) !== "node_modules" ? 0 : entry === join(project, "node_modules") ? 2 : 1
  return entries.toSorted((one, other) => rank(one) - rank(other))
}
