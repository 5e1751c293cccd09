import {cp, stat} from "node:fs/promises"
import {dirname, join} from "node:path"
import type {BuildIdentity} from "../../../shared/api/build.ts"
import {isThere, makeFolder} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {git} from "../restore/git.ts"
import {recorded, type Swap, stagingName} from "../restore/swap.ts"
import {describeKept, makePlace, type StoredBuild} from "./kept.ts"
import {packagesLast} from "./outputs.ts"

export interface ExchangeOptions {
  readonly paths: ProjectPaths
  /** Top of the work tree, that entries are relative to. */
  readonly top: string
  /** The project's folder below it, with a slash at its end, or empty; undefined without git. */
  readonly prefix: string | undefined
  /** Comes into use. */
  readonly kept: Pick<StoredBuild, "files" | "entries">
  /** Is in use. */
  readonly before: BuildIdentity
  /** What is replaced is kept under this name. */
  readonly name: string
}

export interface Exchange {
  /** The names that change; those of packages come last. */
  readonly swaps: readonly Swap[]
  /** The entries that are replaced, relative to the top. */
  readonly replaced: readonly string[]
}

/**
 * Puts together what changes for a kept build to come into use, and with it what the other version has built and this one
 * lacks. What it replaces is kept in turn. Where `.svc` is on another file system than the project, copies are made, and
 * what is replaced is not kept.
 */
export const exchangeBuild = async (options: ExchangeOptions): Promise<Exchange> => {
  const {paths, top, prefix, kept, before, name} = options
  const entries = packagesLast(kept.entries, prefix ?? "")
  const replaced: string[] = []
  for (const entry of entries) if (await isThere(join(top, entry))) replaced.push(entry)
  const place = await makePlace(paths, name)
  await describeKept(paths, name, {build: before, entries: replaced})
  const gone = prefix === undefined ? [] : await obsolete(top, prefix, entries)
  const removals = gone.map((entry, number) => removalOf(paths.project, top, entry, number))
  return {swaps: [...removals, ...(await swapsOf(options, entries, place))], replaced}
}

/** Built plugins of a version would run in the place of the other version's source, which has built none. */
const obsolete = async (top: string, prefix: string, entries: readonly string[]): Promise<readonly string[]> => {
  const built = `${prefix}dist/plugins`
  const isReplaced = entries.some(entry => built === entry || built.startsWith(`${entry}/`))
  if (isReplaced || !(await isThere(join(top, built)))) return []
  return (await git(top, ["ls-files", "--", built])) === "" ? [built] : []
}

const removalOf = (project: string, top: string, entry: string, number: number): Swap => ({
  target: recorded(project, join(top, entry)),
  staged: null,
  kept: recorded(project, join(top, stagingName, "old", `gone-${number}`)),
})

const swapsOf = async (
  {paths: {project}, top, kept}: ExchangeOptions,
  entries: readonly string[],
  place: string,
): Promise<readonly Swap[]> => {
  const isBeside = (await stat(top)).dev === (await stat(kept.files)).dev
  const folder = join(top, stagingName)
  const swaps: Swap[] = []
  for (const [number, entry] of entries.entries()) {
    const from = join(kept.files, entry)
    const staged = isBeside ? from : join(folder, "new", `build-${number}`)
    const old = isBeside ? join(place, entry) : join(folder, "old", `build-${number}`)
    if (!isBeside) await cp(from, staged, {recursive: true, verbatimSymlinks: true})
    if (await isThere(join(top, entry))) await makeFolder(dirname(old), 0o700)
    swaps.push({
      target: recorded(project, join(top, entry)),
      staged: recorded(project, staged),
      kept: recorded(project, old),
    })
  }
  return swaps
}
