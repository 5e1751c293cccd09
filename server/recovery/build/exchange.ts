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
  /** The top of the work tree; entries are relative to it. */
  readonly top: string
  /** The project's folder below it, with a trailing slash, or empty; undefined without git. */
  readonly prefix: string | undefined
  /** The build to install. */
  readonly kept: Pick<StoredBuild, "files" | "entries">
  /** The build in use. */
  readonly before: BuildIdentity
  /** The name under which the replaced files are kept. */
  readonly name: string
}

export interface Exchange {
  /** The renames; those of packages come last. */
  readonly swaps: readonly Swap[]
  /** The replaced entries, relative to the top. */
  readonly replaced: readonly string[]
}

/**
 * Prepares the renames that install a kept build, and that remove output of the other version which this one lacks. The
 * replaced files are kept in turn. If `.svc` is on another file system than the project, it makes copies, and the replaced
 * files are not kept.
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

/** Returns built plugins of the old version that would run instead of the new version's source. */
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
