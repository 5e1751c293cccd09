import type {BuildIdentity} from "../../../shared/api/build.ts"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {git} from "../files/git.ts"
import type {Swap} from "../restore/swap.ts"
import {buildChanges} from "./compare.ts"
import {exchangeBuild} from "./exchange.ts"
import {isPackages, listKept, readBuild, replacedName, type StoredBuild} from "./kept.ts"

/** How a rollback restores the build and packages of a checkpoint. */
export type BuildPlan =
  /** They are already the checkpoint's. */
  | {readonly is: "same"}
  /** A release has kept them. */
  | {readonly is: "kept"; readonly build: StoredBuild}
  /** The checkpoint's Host ran plugins from source that are built now; paths are relative to the project. */
  | {readonly is: "surplus"; readonly gone: readonly string[]}
  /** svc builds them from the commit, before anything changes. */
  | {readonly is: "missing"}

/** Returns whether the build has all built plugins of the checkpoint's Host, with the same content. */
const isBuildOf = ({build}: Manifest, {plugins}: BuildIdentity): boolean =>
  (build?.plugins ?? [])
    .filter(({origin}) => origin === "built")
    .every(({name, content}) => plugins.some(each => each.name === name && each.content === content))

/**
 * Returns the built plugins that would run instead of the source that the checkpoint's Host ran. Without a Host or a record of
 * its build, the checkpoint names all built plugins, and every other one is surplus.
 */
const surplusOf = ({build, runtimeId}: Manifest, {plugins}: BuildIdentity): readonly string[] =>
  plugins
    .map(({name}) => name)
    .filter(name => {
      const then = build?.plugins.find(each => each.name === name)
      return then === undefined ? build === undefined || runtimeId === null : then.origin === "source"
    })

/**
 * Returns the differences between the build of a checkpoint and the files that the next start would run. Uncommitted changes do
 * not count: a rollback needs a commit with everything that ran.
 */
export const changesSince = (manifest: Manifest, files: BuildIdentity): readonly string[] => [
  ...(manifest.build === undefined ? [] : buildChanges({...manifest.build, dirty: files.dirty}, files)),
  ...surplusOf(manifest, files).map(name => `plugins.${name} ran from source, but dist/plugins/${name}.js exists`),
]

/** Plans the change of the build, without making it. */
export const planBuild = async (paths: ProjectPaths, manifest: Manifest): Promise<BuildPlan> => {
  const now = await readBuild(paths.project)
  const lockfile = manifest.lockfile?.sha256 ?? null
  const surplus = surplusOf(manifest, now)
  const needsPackages = now.lockfile !== lockfile
  const isRest = isBuildOf(manifest, now) && !needsPackages
  if (isRest && surplus.length === 0) return {is: "same"}
  const kept = (await listKept(paths)).find(
    ({build, entries}) =>
      build.commit === manifest.code.commit &&
      build.lockfile === lockfile &&
      isBuildOf(manifest, build) &&
      surplusOf(manifest, build).length === 0 &&
      (!needsPackages || entries.some(isPackages)),
  )
  if (kept !== undefined) return {is: "kept", build: kept}
  if (!isRest) return {is: "missing"}
  const isAll = surplus.length === now.plugins.length
  return {is: "surplus", gone: isAll ? ["dist/plugins"] : surplus.map(name => `dist/plugins/${name}.js`)}
}

/** Resolves to the renames of a rollback. The replaced files are kept until the next rollback or verification. */
export const swapsBack = async (
  paths: ProjectPaths,
  top: string,
  plan: Exclude<BuildPlan, {is: "same" | "missing"}>,
): Promise<readonly Swap[]> => {
  const {project} = paths
  const prefix = await git(project, ["rev-parse", "--show-prefix"])
  const before = await readBuild(project)
  const to =
    plan.is === "kept"
      ? {kept: plan.build}
      : {kept: {files: paths.builds, entries: []}, gone: plan.gone.map(path => `${prefix}${path}`)}
  return (await exchangeBuild({paths, top, prefix, ...to, before, name: replacedName("rollback")})).swaps
}
