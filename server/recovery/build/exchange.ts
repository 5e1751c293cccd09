import {cp, stat} from "node:fs/promises"
import {dirname, join} from "node:path"
import type {BuildIdentity} from "../../../shared/api/build.ts"
import {isThere, makeFolder} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {git} from "../files/git.ts"
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
  /** The entries to remove (default: output of the other version which this one lacks). */
  readonly gone?: readonly string[]
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
 * Prepares the renames that install a kept build, and that remove output which it lacks. The replaced files are kept in turn.
 * If `.svc` is on another file system than the project, it makes copies, and the replaced files are not kept.
 */
export const exchangeBuild = async (options: ExchangeOptions): Promise<Exchange> => {
  const {paths, top, prefix, kept, before, name} = options
  const entries = packagesLast(kept.entries, prefix ?? "")
  const gone = options.gone ?? (prefix === undefined ? [] : await obsolete(top, prefix, entries))
  const replaced: string[] = []
  for (const entry of [...gone, ...entries]) if (await isThere(join(top, entry))) replaced.push(entry)
  const place = await makePlace(paths, name)
  await describeKept(paths, name, {build: before, entries: replaced})
  return {swaps: await swapsOf(options, gone, entries, place), replaced}
}

/** Returns built plugins of the old version that would run instead of the new version's source. */
const obsolete = async (top: string, prefix: string, entries: readonly string[]): Promise<readonly string[]> => {
  const built = `${prefix}dist/plugins`
  const isReplaced = entries.some(entry => built === entry || built.startsWith(`${entry}/`))
  if (isReplaced || !(await isThere(join(top, built)))) return []
  return (await git(top, ["ls-files", "--", built])) === "" ? [built] : []
}

const swapsOf = async (
  {paths: {project}, top, kept}: ExchangeOptions,
  gone: readonly string[],
  entries: readonly string[],
  place: string,
): Promise<readonly Swap[]> => {
  const isBeside = (await stat(top)).dev === (await stat(place)).dev
  const folder = join(top, stagingName)
  const swaps: Swap[] = []
  for (const [number, entry] of [...gone, ...entries].entries()) {
    const from = join(kept.files, entry)
    const staged = number < gone.length ? null : isBeside ? from : join(folder, "new", `build-${number}`)
    const old = isBeside ? join(place, entry) : join(folder, "old", `build-${number}`)
    if (staged !== null && !isBeside) await cp(from, staged, {recursive: true, verbatimSymlinks: true})
    if (await isThere(join(top, entry))) await makeFolder(dirname(old), 0o700)
    swaps.push({
      target: recorded(project, join(top, entry)),
      staged: staged === null ? null : recorded(project, staged),
      kept: recorded(project, old),
    })
  }
  return swaps
}
