import {rename} from "node:fs/promises"
import {dirname, join} from "node:path"
import {makeFolder} from "../../../runtime/files.ts"
import type {ProjectPaths} from "../../../runtime/project.ts"
import {
  describeKept,
  isPackages,
  type KeptBuild,
  makePlace,
  pruneKept,
  stampPackages,
  verifiedName,
} from "../../build/kept.ts"
import {outputsOfCopy, outputsOfTree} from "../../build/outputs.ts"
import {ReleaseRecord, releasesOf} from "../record.ts"
import type {Source} from "./source.ts"

/** Resolves to the outputs of install and build in the tree of a trial. */
export const outputsOf = (source: Source, tree: string): Promise<readonly string[]> =>
  source.is === "commit" ? outputsOfTree(tree, source.prefix) : outputsOfCopy(tree, source.paths)

export interface Keeping {
  readonly paths: ProjectPaths
  /** The id of the release. */
  readonly release: string
  /** The folder in which it was tried. */
  readonly tree: string
}

/** Moves the tried build to the kept ones, so that exactly that is installed. Deletes builds that no release needs. */
export const keepBuild = async ({paths, release, tree}: Keeping, kept: KeptBuild): Promise<void> => {
  const name = verifiedName(release)
  await pruneKept(paths, await releasesThatNeedBuilds(paths, release))
  const files = await makePlace(paths, name)
  for (const entry of kept.entries) {
    const place = join(files, entry)
    await makeFolder(dirname(place), 0o700)
    await rename(join(tree, entry), place)
    if (isPackages(entry) && kept.build.lockfile !== null) await stampPackages(place, kept.build.lockfile)
  }
  await describeKept(paths, name, kept)
}

/** Resolves to the releases across which a rollback is still possible. */
const releasesThatNeedBuilds = async (paths: ProjectPaths, own: string): Promise<ReadonlySet<string>> => {
  const releases = releasesOf(await new ReleaseRecord(paths.releases).read(), Date.now())
  const open = releases.filter(({state}) => state === "begun" || state === "observing")
  return new Set([own, ...open.map(({id}) => id)])
}
