import {readdir} from "node:fs/promises"
import {basename, join} from "node:path"
import {git} from "../restore/git.ts"

/** Never part of a build: state, data and secrets of the project itself. */
const notBuilt = /^(\.svc|data|\.git|\.env(\..*)?)$/

/**
 * What installing and building has made in a fresh work tree: everything that git ignores, folders as one entry. Relative to
 * `top`; `project` is the project's folder below it, with a slash at its end, or empty.
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

/** The same of a copy, which is no work tree: everything at its top that holds none of its sources. */
export const outputsOfCopy = async (folder: string, sources: readonly string[]): Promise<readonly string[]> => {
  const known = new Set(sources.map(path => path.split("/")[0]))
  return (await readdir(folder)).filter(name => !known.has(name) && !notBuilt.test(name)).sort()
}

/** The packages are exchanged last: svc itself may be one of them, and its own folder the very last. */
export const packagesLast = (entries: readonly string[], project: string): readonly string[] => {
  const rank = (entry: string) =>
    basename(entry) !== "node_modules" ? 0 : entry === join(project, "node_modules") ? 2 : 1
  return entries.toSorted((one, other) => rank(one) - rank(other))
}
