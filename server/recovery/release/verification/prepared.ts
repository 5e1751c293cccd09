import {rm} from "node:fs/promises"
import {join} from "node:path"
import {ReleaseVerification} from "../../../../shared/api/release.ts"
import {toJson} from "../../../../shared/json.ts"
import {type Static, Time, Type} from "../../../../shared/type.ts"
import {isThere, removeFolder, syncFolder, writeFileAtomic} from "../../../runtime/files.ts"
import {isLocked, withLock} from "../../../runtime/lock.ts"
import type {ProjectPaths} from "../../../runtime/project.ts"
import {version} from "../../../runtime/version.ts"
import {placeOfTrial} from "../../build/finish.ts"
import {readBuild} from "../../build/kept.ts"
import {folderOf, removeWorktree, type Source, subjectOf} from "../../build/source.ts"
import {git} from "../../files/git.ts"
import {readStored} from "../../files/stored-json.ts"

/** Returns the places of a trial; only one version is tried or prepared at a time. */
export const placesOf = ({temporary}: Pick<ProjectPaths, "temporary">) => {
  const scratch = join(temporary, "release")
  return {scratch, tree: join(scratch, "tree"), prepared: join(scratch, "prepared.json")}
}

/** `prepared.json`, written after the tree beside it has passed every step: only with it is the tree prepared. */
const Prepared = Type.Object({
  at: Time("When it had passed"),
  by: Type.String({description: "The svc and the runtime that tried it"}),
  entries: Type.Array(Type.String({minLength: 1, description: "An output of install or build, relative to the tree"})),
  verification: ReleaseVerification,
})
export type Prepared = Static<typeof Prepared>

const {bun, node} = process.versions
const by = `svc ${version} on ${bun === undefined ? `Node ${node}` : `Bun ${bun}`}`

export const readPrepared = (paths: Pick<ProjectPaths, "temporary">): Promise<Prepared | undefined> =>
  readStored(placesOf(paths).prepared, Prepared)

/** Marks the tree as prepared. */
export const keepPrepared = (paths: ProjectPaths, kept: Pick<Prepared, "entries" | "verification">): Promise<void> =>
  writeFileAtomic(placesOf(paths).prepared, toJson({at: new Date().toISOString(), by, ...kept} satisfies Prepared))

/** Resolves to what is prepared if its source, lockfile, svc, runtime and build are still the same. */
export const findPrepared = async (paths: ProjectPaths, source: Source): Promise<Prepared | undefined> => {
  const {tree} = placesOf(paths)
  const prepared = await readPrepared(paths)
  const isSame = async (place: string) => {
    const {commit, copy} = await subjectOf(source, place)
    return commit === prepared?.verification.commit && copy === prepared.verification.copy
  }
  if (prepared?.by !== by || !(await isSame(paths.project))) return undefined
  try {
    await tidy(source, tree, prepared.entries)
    const {id} = await readBuild(folderOf(source, tree))
    return id === prepared.verification.build?.id && (await isSame(tree)) ? prepared : undefined
  } catch {
    return undefined
  }
}

/** Makes a work tree its commit again: undoes changes, and deletes all but these outputs of install and build. */
export const tidy = async (source: Source, tree: string, entries: readonly string[]): Promise<void> => {
  if (source.is !== "commit") return
  const kept = entries.map(entry => `--exclude=/${entry.replace(/[\\*?[]/g, "\\$&")}`)
  await git(tree, ["reset", "--hard", "--quiet", source.commit])
  await git(tree, ["clean", "-ffdx", "--quiet", ...kept])
}

/** Ends the preparation; the tree stays. */
export const unmark = async (paths: Pick<ProjectPaths, "temporary">): Promise<void> => {
  const {scratch, prepared} = placesOf(paths)
  if (!(await isThere(prepared))) return
  await rm(prepared)
  await syncFolder(scratch)
}

/** Deletes the tree of a trial, prepared or not. Only for the holder of the trial's lock. */
export const removeTrial = async (paths: ProjectPaths): Promise<void> => {
  const {scratch, tree} = placesOf(paths)
  await unmark(paths)
  await removeWorktree(paths.project, tree)
  await removeFolder(scratch)
}

/** Deletes what is prepared, unless a trial runs: that replaces it. */
export const discardPrepared = async (paths: ProjectPaths): Promise<void> => {
  const place = placeOfTrial(paths)
  if ((await isThere(placesOf(paths).prepared)) && !(await isLocked(place)))
    await withLock(place, "the end of a release", () => removeTrial(paths))
}
