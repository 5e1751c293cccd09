import {readdir} from "node:fs/promises"
import {basename, join} from "node:path"
import {git} from "../files/git.ts"
import type {Source} from "./source.ts"

/** The project's state, data and secrets, which are never part of a build. */
const notBuilt = /^(\.svc|data|\.git|\.env(\..*)?)$/

/**
 * Resolves to the outputs of install and build in a fresh tree of a source, relative to it. In a work tree they are all that
 * git ignores, with a folder as one entry; in a copy every entry at its top that contains none of its sources.
 */
export const outputsOf = async (source: Source, top: string): Promise<readonly string[]> => {
  if (source.is === "copy") {
    const known = new Set(source.paths.map(path => path.split("/")[0]))
    return (await readdir(top)).filter(name => !known.has(name) && !notBuilt.test(name)).sort()
  }
  const listed = await git(top, ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"])
  return listed
    .split("\0")
    .map(path => path.replace(/\/$/, ""))
    .filter(path => path !== "" && !isOwn(path, source.prefix))
    .sort()
}

const isOwn = (path: string, project: string): boolean =>
  path.startsWith(project) && notBuilt.test(path.slice(project.length).split("/")[0] ?? "")

/** Sorts packages to the end, because svc itself may be among them, and the project's own packages to the very end. */
export const packagesLast = (entries: readonly string[], project: string): readonly string[] => {
  const rank = (entry: string) =>
    basename(entry) !== "node_modules" ? 0 : entry === join(project, "node_modules") ? 2 : 1
  return entries.toSorted((one, other) => rank(one) - rank(other))
}
