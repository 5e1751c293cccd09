import {basename, dirname, join, relative, sep} from "node:path"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {lockfiles} from "../../runtime/packages/lockfile.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {databaseName} from "../checkpoint/create.ts"
import {projectFiles} from "../checkpoint/provenance.ts"
import {partRules} from "../parts/parts.ts"
import {recorded, type Swap, stagingName} from "./swap.ts"

export interface Targets {
  /** The staging folders, each beside the files that it replaces. */
  readonly folders: readonly string[]
  /** Returns the path to which a file of the checkpoint is first copied. */
  staged(name: string): string
  /** The path for the new authority file. */
  readonly authority: string
  /** Returns the renames after staging; paths are relative to the project. */
  swaps(isStaged: (path: string) => boolean): readonly Swap[]
}

export interface TargetOptions {
  readonly paths: ProjectPaths
  readonly manifest: Manifest
  /** The target of the database; undefined for a remote one. */
  readonly database: string | undefined
  /** Whether configuration, package.json and lockfile are replaced. */
  readonly withProjectFiles: boolean
  /** The place for the replaced configuration; undefined if it is deleted. */
  readonly keptConfiguration?: string | undefined
}

export const targetsOf = (options: TargetOptions): Targets => {
  const {paths, manifest, database, withProjectFiles, keptConfiguration} = options
  // SQLite must not apply the log files of the replaced database to the new one.
  const beside = database === undefined ? [] : [`${database}-wal`, `${database}-shm`]
  const places = new Set<string>([paths.authority, ...(database === undefined ? [] : [database]), ...beside])
  if (withProjectFiles)
    for (const name of projectFiles) if (belongs(name, manifest)) places.add(join(paths.project, name))
  for (const rule of partRules) for (const place of rule.places(paths)) places.add(place)
  const placeOf = (name: string): string | undefined => {
    if (name === databaseName) return database
    if ((projectFiles as readonly string[]).includes(name))
      return withProjectFiles ? join(paths.project, name) : undefined
    return partRules.map(rule => rule.placeOf(name, paths)).find(place => place !== undefined)
  }
  const stagedAt = (target: string): string => {
    const place = [...places].find(each => target === each || target.startsWith(`${each}${sep}`)) ?? target
    return join(dirname(place), stagingName, "new", basename(place), relative(place, target))
  }
  const keptAt = (place: string): string =>
    (place === paths.config ? keptConfiguration : undefined) ??
    join(dirname(place), stagingName, "old", basename(place))
  return {
    folders: [...new Set([...places, paths.authority].map(place => join(dirname(place), stagingName)))],
    staged: name => {
      const target = placeOf(name)
      // Files that are only compared go into a folder that is deleted again.
      return target === undefined ? join(paths.state, stagingName, "aside", name) : stagedAt(target)
    },
    authority: stagedAt(paths.authority),
    swaps: isStaged =>
      [...places].map(place => ({
        target: recorded(paths.project, place),
        staged: !beside.includes(place) && isStaged(stagedAt(place)) ? recorded(paths.project, stagedAt(place)) : null,
        kept: recorded(paths.project, keptAt(place)),
      })),
  }
}

/** Returns whether a restore replaces or removes a file: those of the checkpoint, and all lockfiles, since only one may remain. */
const belongs = (name: string, {files}: Manifest): boolean =>
  files.some(({path}) => path === name) || (lockfiles as readonly string[]).includes(name)
