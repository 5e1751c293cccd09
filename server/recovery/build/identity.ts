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

/** Returns whether a plugin belongs to the project. The code of others comes from svc or the lockfile, so no folder lists them. */
const isOwn = ({origin}: BuiltPlugin): boolean => origin === "built" || origin === "source"

/** Computes the id of a build. It ignores the stamp, which says who installed the packages, not which ones. */
export const identify = (build: Omit<BuildIdentity, "id">): BuildIdentity => {
  const {commit, dirty, version, lockfile, stale} = build
  const plugins = build.plugins.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const content = plugins.filter(isOwn).map(({name, origin, content}) => [name, origin, content])
  const id = sha256Of(toJson([commit, dirty, version, lockfile, stale, content])).slice(0, 12)
  return {id, ...build, plugins}
}

/** The parts of a build that are in a project's files. */
export type BuildFiles = Pick<BuildIdentity, "commit" | "dirty" | "lockfile" | "installed">

export const readBuildFiles = async ({project}: Pick<ProjectPaths, "project">): Promise<BuildFiles> => {
  const {commit, clean} = await readCode(project, process.env)
  const lockfile = (await findLockfile(project))?.sha256 ?? null
  return {commit, dirty: clean === null ? null : !clean, lockfile, installed: await readStamp(project)}
}

/** Resolves to the build in a folder, whether it runs or not. */
export const readBuild = async (project: string): Promise<BuildIdentity> =>
  identify({
    ...(await readBuildFiles({project})),
    // A project without an installed svc uses this one.
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

/** Marks a folder of packages with the lockfile that it was installed from. */
export const stampPackages = (packages: string, lockfile: string): Promise<void> =>
  writeFileAtomic(join(packages, stampName), `${lockfile}\n`)

/** Resolves to the SHA-256 of the lockfile with which `svc release install` stamped `node_modules`; null without a stamp. */
export const readStamp = async (project: string): Promise<string | null> =>
  (await readFileIfExists(join(project, "node_modules", stampName)))?.trim() || null
