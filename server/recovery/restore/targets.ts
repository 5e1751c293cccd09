import {basename, dirname, join, relative, sep} from "node:path"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {lockfiles} from "../../generation/lockfile.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {databaseName} from "../checkpoint/create.ts"
import {partRules} from "../checkpoint/parts.ts"
import {projectFiles} from "../checkpoint/provenance.ts"
import {recorded, type Swap, stagingName} from "./swap.ts"

/** Where everything of a checkpoint goes. */
export interface Targets {
  /** Staging folders, each beside what it replaces. */
  readonly folders: readonly string[]
  /** Where a file of the checkpoint is copied to at first. */
  staged(name: string): string
  /** Where the new authority file is made. */
  readonly authority: string
  /** What is replaced, once everything is staged; relative to the project. */
  swaps(isStaged: (path: string) => boolean): readonly Swap[]
}

export interface TargetOptions {
  readonly paths: ProjectPaths
  readonly manifest: Manifest
  /** Where the database goes; undefined for a remote one. */
  readonly database: string | undefined
  /** Are configuration, package.json and lockfile replaced? */
  readonly withProjectFiles: boolean
  /** Where the configuration that is replaced stays; undefined where it is removed with all else. */
  readonly keptConfiguration?: string | undefined
}

export const targetsOf = (options: TargetOptions): Targets => {
  const {paths, manifest, database, withProjectFiles, keptConfiguration} = options
  // What belongs to the replaced database file must not be taken for the new one's.
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
      // What is only compared goes where it is removed again.
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

/** A project has one lockfile: others would win over it, and go. What a checkpoint is without stays as it is. */
const belongs = (name: string, {files}: Manifest): boolean =>
  files.some(({path}) => path === name) || (lockfiles as readonly string[]).includes(name)
