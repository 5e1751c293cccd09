import {readdir} from "node:fs/promises"
import {basename, join} from "node:path"
import {BuildIdentity} from "../../../shared/api/build.ts"
import {toJson} from "../../../shared/json.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {hashOf, readBuildRecord, staleFiles} from "../../runtime/build-record.ts"
import {
  isThere,
  makePrivateFolder,
  readFileIfExists,
  removeFolder,
  sha256Of,
  writeFileAtomic,
} from "../../runtime/files.ts"
import {findLockfile} from "../../runtime/packages/lockfile.ts"
import {type ProjectPaths, projectPaths} from "../../runtime/project.ts"
import {installedVersion, version as ownVersion} from "../../runtime/version.ts"
import {readCode} from "../checkpoint/provenance.ts"
import {readStored} from "../files/stored-json.ts"

type BuiltPlugin = BuildIdentity["plugins"][number]

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

export const readBuildFiles = async ({
  project,
  config,
}: Pick<ProjectPaths, "project" | "config">): Promise<BuildFiles> => {
  const {commit, clean} = await readCode(project, process.env, basename(config))
  const lockfile = (await findLockfile(project))?.sha256 ?? null
  return {commit, dirty: clean === null ? null : !clean, lockfile, installed: await readStamp(project)}
}

/** Resolves to the build in a folder, whether it runs or not. */
export const readBuild = async (project: string): Promise<BuildIdentity> => {
  const paths = projectPaths(project)
  const plugins = await builtPlugins(paths)
  const record = await readBuildRecord(paths)
  const stale: string[] = []
  for (const {name} of plugins) if ((await staleFiles(paths, record, name)).length > 0) stale.push(name)
  // A project without an installed svc uses this one.
  const version = (await installedVersion(project)) ?? ownVersion
  return identify({...(await readBuildFiles(paths)), version, plugins, stale})
}

const builtPlugins = async ({builtPlugins: folder}: ProjectPaths): Promise<BuiltPlugin[]> => {
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
const readStamp = async (project: string): Promise<string | null> =>
  (await readFileIfExists(join(project, "node_modules", stampName)))?.trim() || null

/**
 * `.svc/builds/<name>/build.json`: a build that is not in use and can be installed. `entries` are the outputs of install and
 * build, relative to the top of the work tree; each is kept in `files/`.
 */
const KeptBuild = Type.Object({build: BuildIdentity, entries: Type.Array(Type.String({minLength: 1}))})
export type KeptBuild = Static<typeof KeptBuild>

/** A kept build with its place. */
export interface StoredBuild extends KeptBuild {
  /** The folder with the entries. */
  readonly files: string
}

export const isPackages = (entry: string): boolean => entry === "node_modules" || entry.endsWith("/node_modules")

/** The names of the build that passed a release's verification, and of the build that it replaced. */
export const verifiedName = (release: string): string => release
export const replacedName = (release: string): string => `${release}-replaced`

const filesOf = ({builds}: Pick<ProjectPaths, "builds">, name: string): string => join(builds, name, "files")

/** Creates an empty place for a build. */
export const makePlace = async (paths: Pick<ProjectPaths, "builds">, name: string): Promise<string> => {
  await removeFolder(join(paths.builds, name))
  const files = filesOf(paths, name)
  await makePrivateFolder(files)
  return files
}

/** Describes the files in a place; only then is it a kept build. */
export const describeKept = (paths: Pick<ProjectPaths, "builds">, name: string, kept: KeptBuild): Promise<void> =>
  writeFileAtomic(join(paths.builds, name, "build.json"), toJson(kept))

/** Resolves to a kept build; undefined if there is none of this name, or if its files are in use or incomplete. */
export const readKept = async (paths: Pick<ProjectPaths, "builds">, name: string): Promise<StoredBuild | undefined> => {
  const kept = await readStored(join(paths.builds, name, "build.json"), KeptBuild)
  if (kept === undefined) return undefined
  const files = filesOf(paths, name)
  for (const entry of kept.entries) if (!(await isThere(join(files, entry)))) return undefined
  return {...kept, files}
}

export const listKept = async (paths: Pick<ProjectPaths, "builds">): Promise<readonly StoredBuild[]> => {
  const names = await readdir(paths.builds).catch(() => [])
  const found = await Promise.all(names.map(name => readKept(paths, name)))
  return found.filter(kept => kept !== undefined)
}

/** Deletes the builds of all other releases. */
export const pruneKept = async ({builds}: Pick<ProjectPaths, "builds">, needed: ReadonlySet<string>): Promise<void> => {
  for (const name of await readdir(builds).catch(() => []))
    if (![...needed].some(release => name === verifiedName(release) || name === replacedName(release)))
      await removeFolder(join(builds, name))
}
