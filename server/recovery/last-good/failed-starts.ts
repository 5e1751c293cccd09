import {rm} from "node:fs/promises"
import {join} from "node:path"
import {Check} from "typebox/schema"
import {toJson} from "../../../shared/json.ts"
import {isProblem, type ProblemCode} from "../../../shared/problems.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {lockfiles} from "../../generation/lockfile.ts"
import {hashOf} from "../../runtime/build-record.ts"
import {makePrivateFolder, readJsonIfExists, writeFileAtomic} from "../../runtime/files.ts"
import {sha256Of} from "../../runtime/hash.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {listTree} from "../checkpoint/files.ts"

/** `.svc/last-good/failed-starts.json`: how often the project as it is has failed to start in a row. */
const FailedStarts = Type.Object({
  count: Type.Integer({minimum: 1}),
  /** Of the project's files: what was changed since has not failed yet. */
  files: Type.String(),
  /** Of the newest failure; no value of a secret is in it. */
  why: Type.String(),
})
export type FailedStarts = Static<typeof FailedStarts>

/** So many failed starts in a row bring the last good generation. */
export const failuresBefore = 2

/** They say nothing about the project: somebody holds it, stops it, or has put it nowhere. */
const notCounted: readonly ProblemCode[] = ["locked", "stopping", "project_missing", "restore_unfinished"]

/** Does a failed start speak against the project's code and configuration? One that may pass does not. */
export const speaksAgainst = (error: unknown, mayPass: (error: unknown) => boolean): boolean =>
  !mayPass(error) && !notCounted.some(code => isProblem(error, code))

const fileOf = ({lastGood}: Pick<ProjectPaths, "lastGood">): string => join(lastGood, "failed-starts.json")

/** Undefined where the newest start has not failed, and for a file that is damaged. */
export const readFailedStarts = async (paths: Pick<ProjectPaths, "lastGood">): Promise<FailedStarts | undefined> => {
  const json = await readJsonIfExists(fileOf(paths))
  // A parser has just proved it.
  return Check(FailedStarts, json) ? (json as FailedStarts) : undefined
}

/** Counts a start that failed. Throws `state_unwritable`. */
export const recordFailedStart = async (paths: ProjectPaths, why: string): Promise<void> => {
  const [before, files] = [await readFailedStarts(paths), await hashFiles(paths)]
  const count = before?.files === files ? before.count + 1 : 1
  await makePrivateFolder(paths.lastGood)
  await writeFileAtomic(fileOf(paths), toJson({count, files, why}))
}

/** A start has succeeded, or somebody asks for another attempt. */
export const clearFailedStarts = (paths: Pick<ProjectPaths, "lastGood">): Promise<void> =>
  rm(fileOf(paths), {force: true})

/** Has the project as it is now failed often enough? */
export const hasFailedOften = async (paths: ProjectPaths, failed: FailedStarts): Promise<boolean> =>
  failed.count >= failuresBefore && failed.files === (await hashFiles(paths))

/** Over configuration, lockfile, sources and build. */
const hashFiles = async (paths: ProjectPaths): Promise<string> => {
  const names = [paths.config, paths.manifest, paths.buildRecord, ...lockfiles.map(name => join(paths.project, name))]
  const tree = await listTree(paths.plugins).catch(() => [])
  const sources = tree.filter(({kind}) => kind === "file").map(({path}) => join(paths.plugins, path))
  const hashes = await Promise.all([...names, ...sources].map(async path => [path, (await hashOf(path)) ?? ""]))
  return sha256Of(toJson(hashes))
}
