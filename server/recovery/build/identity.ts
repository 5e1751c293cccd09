import {readdir} from "node:fs/promises"
import {join} from "node:path"
import type {BuildIdentity} from "../../../shared/api/build.ts"
import {toJson} from "../../../shared/json.ts"
import {findLockfile} from "../../generation/lockfile.ts"
import {hashOf} from "../../runtime/build-record.ts"
import {readFileIfExists, writeFileAtomic} from "../../runtime/files.ts"
import {sha256Of} from "../../runtime/hash.ts"
import {type ProjectPaths, projectPaths} from "../../runtime/project.ts"
import {installedVersion, version as ownVersion} from "../../runtime/version.ts"
import {readCode} from "../checkpoint/provenance.ts"

export type BuiltPlugin = BuildIdentity["plugins"][number]

/** Their code is svc's, or the lockfile's: a folder that holds the same build does not list them. */
const isOwn = ({origin}: BuiltPlugin): boolean => origin === "built" || origin === "source"

/** Gives a build its id. The stamp is no part of it: it says who installed the packages, not which. */
export const identify = (build: Omit<BuildIdentity, "id">): BuildIdentity => {
  const {commit, dirty, version, lockfile, stale} = build
  const plugins = build.plugins.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const content = plugins.filter(isOwn).map(({name, origin, content}) => [name, origin, content])
  const id = sha256Of(toJson([commit, dirty, version, lockfile, stale, content])).slice(0, 12)
  return {id, ...build, plugins}
}

/** What of a build stands in a project's files. */
export type BuildFiles = Pick<BuildIdentity, "commit" | "dirty" | "lockfile" | "installed">

export const readBuildFiles = async ({project}: Pick<ProjectPaths, "project">): Promise<BuildFiles> => {
  const {commit, clean} = await readCode(project, process.env)
  const lockfile = (await findLockfile(project))?.sha256 ?? null
  return {commit, dirty: clean === null ? null : !clean, lockfile, installed: await readStamp(project)}
}

/** The build that a folder holds, whether anything of it runs or not. */
export const readBuild = async (project: string): Promise<BuildIdentity> =>
  identify({
    ...(await readBuildFiles({project})),
    // This one for a project that has none of its own.
    version: (await installedVersion(project)) ?? ownVersion,
    plugins: await builtPlugins(project),
    stale: [],
  })

const builtPlugins = async (project: string): Promise<BuiltPlugin[]> => {
  const folder = projectPaths(project).builtPlugins
  const names = (await readdir(folder).catch(() => [])).filter(name => name.endsWith(".js")).sort()
  return Promise.all(
    names.map(async name => ({
      name: name.slice(0, -".js".length),
      origin: "built" as const,
      content: (await hashOf(join(folder, name))) ?? "",
    })),
  )
}

const stampName = ".svc-lockfile"

/** Says of a folder of packages which lockfile it was installed from. */
export const stampPackages = (packages: string, lockfile: string): Promise<void> =>
  writeFileAtomic(join(packages, stampName), `${lockfile}\n`)

/** SHA-256 of the lockfile whose packages are in `node_modules`, as `svc release install` stamped it; null without one. */
export const readStamp = async (project: string): Promise<string | null> =>
  (await readFileIfExists(join(project, "node_modules", stampName)))?.trim() || null
