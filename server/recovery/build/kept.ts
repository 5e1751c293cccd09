import {readdir} from "node:fs/promises"
import {join} from "node:path"
import {Check} from "typebox/schema"
import {BuildIdentity} from "../../../shared/api/build.ts"
import {toJson} from "../../../shared/json.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {isThere, makePrivateFolder, readJsonIfExists, removeFolder, writeFileAtomic} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"

/**
 * `.svc/builds/<name>/build.json`: a build that is not in use and can be installed. `entries` are the outputs of install and
 * build, relative to the top of the work tree; each is kept in `files/`.
 */
const KeptBuild = Type.Object({build: BuildIdentity, entries: Type.Array(Type.String({minLength: 1}))})
export type KeptBuild = Static<typeof KeptBuild>

/** A kept build with its place. */
export interface StoredBuild extends KeptBuild {
  readonly name: string
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
  const json = await readJsonIfExists(join(paths.builds, name, "build.json"))
  if (!Check(KeptBuild, json)) return undefined
  // A parser has just proved it.
  const kept = json as KeptBuild
  const files = filesOf(paths, name)
  for (const entry of kept.entries) if (!(await isThere(join(files, entry)))) return undefined
  return {...kept, name, files}
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
