import type {BuildIdentity} from "../../../shared/api/build.ts"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {git} from "../restore/git.ts"
import type {Swap} from "../restore/swap.ts"
import {exchangeBuild} from "./exchange.ts"
import {isPackages, listKept, readBuild, replacedName, type StoredBuild} from "./kept.ts"

/** How a rollback restores the build and packages of a checkpoint. */
export type BuildPlan =
  /** They are already the checkpoint's. */
  | {readonly is: "same"}
  /** A release has kept them. */
  | {readonly is: "kept"; readonly build: StoredBuild}
  /** svc builds them from the commit, before anything changes. */
  | {readonly is: "missing"}

/** Returns the built plugins of a checkpoint; undefined if the checkpoint does not record them. */
const builtIn = ({build}: Manifest) => build?.plugins.filter(({origin}) => origin === "built")

/** Returns whether the build has all built plugins of the checkpoint's Host, with the same content. */
export const isBuildOf = (manifest: Manifest, {plugins}: BuildIdentity): boolean =>
  (builtIn(manifest) ?? []).every(({name, content}) =>
    plugins.some(each => each.name === name && each.content === content),
  )

/** Plans the change of the build, without making it. */
export const planBuild = async (paths: ProjectPaths, manifest: Manifest): Promise<BuildPlan> => {
  const now = await readBuild(paths.project)
  const lockfile = manifest.lockfile?.sha256 ?? null
  const isBuilt = builtIn(manifest) === undefined ? now.plugins.length === 0 : isBuildOf(manifest, now)
  const needsPackages = now.lockfile !== lockfile
  if (isBuilt && !needsPackages) return {is: "same"}
  const kept = (await listKept(paths)).find(
    ({build, entries}) =>
      build.commit === manifest.code.commit &&
      build.lockfile === lockfile &&
      isBuildOf(manifest, build) &&
      (!needsPackages || entries.some(isPackages)),
  )
  return kept === undefined ? {is: "missing"} : {is: "kept", build: kept}
}

/** Resolves to the renames of a rollback. The replaced files are kept until the next rollback or verification. */
export const swapsBack = async (paths: ProjectPaths, top: string, kept: StoredBuild): Promise<readonly Swap[]> => {
  const {project} = paths
  const prefix = await git(project, ["rev-parse", "--show-prefix"])
  const before = await readBuild(project)
  return (await exchangeBuild({paths, top, prefix, kept, before, name: replacedName("rollback")})).swaps
}
