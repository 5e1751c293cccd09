import {cp, mkdir, stat} from "node:fs/promises"
import {dirname, join} from "node:path"
import {isThere} from "../../runtime/files.ts"
import {recorded, type Swap, stagingName} from "../restore/swap.ts"
import type {StoredBuild} from "./kept.ts"

export interface BuildSwapOptions {
  readonly project: string
  /** Top of the work tree, that the entries are relative to. */
  readonly top: string
  readonly kept: StoredBuild
  /** Those of its entries that are put in place, in this order. */
  readonly entries: readonly string[]
  /** Where what they replace is kept: a folder for builds that is there. */
  readonly replaced: string
}

/** Something that the build in use has and the other one lacks; it is removed when all is done. */
export const removalOf = (
  {project, top}: Pick<BuildSwapOptions, "project" | "top">,
  entry: string,
  number: number,
): Swap => ({
  target: recorded(project, join(top, entry)),
  staged: null,
  kept: recorded(project, join(top, stagingName, "old", `gone-${number}`)),
})

/**
 * The names that change for a kept build to come into use: its entries for those in use, which are kept in turn. Where
 * `.svc` is on another file system than the project, copies are made, and what is replaced is not kept.
 */
export const swapsOfBuild = async (options: BuildSwapOptions): Promise<readonly Swap[]> => {
  const {project, top, kept, entries, replaced} = options
  const isBeside = (await stat(top)).dev === (await stat(kept.files)).dev
  const folder = join(top, stagingName)
  const swaps: Swap[] = []
  for (const [number, entry] of entries.entries()) {
    const from = join(kept.files, entry)
    const staged = isBeside ? from : join(folder, "new", `build-${number}`)
    const old = isBeside ? join(replaced, entry) : join(folder, "old", `build-${number}`)
    if (!isBeside) await cp(from, staged, {recursive: true, verbatimSymlinks: true})
    if (await isThere(join(top, entry))) await mkdir(dirname(old), {recursive: true, mode: 0o700})
    swaps.push({
      target: recorded(project, join(top, entry)),
      staged: recorded(project, staged),
      kept: recorded(project, old),
    })
  }
  return swaps
}
