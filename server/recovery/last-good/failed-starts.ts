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

/** `.svc/last-good/failed-starts.json`: how many starts of the present project have failed in a row. */
const FailedStarts = Type.Object({
  count: Type.Integer({minimum: 1}),
  /** The hash of the project's files; changed files have not failed yet. */
  files: Type.String(),
  /** The reason of the newest failure, without secrets. */
  why: Type.String(),
})
export type FailedStarts = Static<typeof FailedStarts>

/** How many failed starts in a row make the Host run the last good generation. */
export const failuresBefore = 2

/** Failures that say nothing about the project: it is locked, stopped, missing or half restored. */
const notCounted: readonly ProblemCode[] = ["locked", "stopping", "project_missing", "restore_unfinished"]

/** Returns whether a failed start is the fault of the project's code or configuration. A temporary failure is not. */
export const speaksAgainst = (error: unknown, mayPass: (error: unknown) => boolean): boolean =>
  !mayPass(error) && !notCounted.some(code => isProblem(error, code))

const fileOf = ({lastGood}: Pick<ProjectPaths, "lastGood">): string => join(lastGood, "failed-starts.json")

/** Resolves to undefined if the newest start has not failed, or if the file is damaged. */
export const readFailedStarts = async (paths: Pick<ProjectPaths, "lastGood">): Promise<FailedStarts | undefined> => {
  const json = await readJsonIfExists(fileOf(paths))
  // A parser has just proved it.
  return Check(FailedStarts, json) ? (json as FailedStarts) : undefined
}

/** Counts a failed start. Throws `state_unwritable`. */
export const recordFailedStart = async (paths: ProjectPaths, why: string): Promise<void> => {
  const [before, files] = [await readFailedStarts(paths), await hashFiles(paths)]
  const count = before?.files === files ? before.count + 1 : 1
  await makePrivateFolder(paths.lastGood)
  await writeFileAtomic(fileOf(paths), toJson({count, files, why}))
}

/** Resets the count after a successful start, or when an operator requests another attempt. */
export const clearFailedStarts = (paths: Pick<ProjectPaths, "lastGood">): Promise<void> =>
  rm(fileOf(paths), {force: true})

/** Resolves to whether the present project has failed often enough. */
export const hasFailedOften = async (paths: ProjectPaths, failed: FailedStarts): Promise<boolean> =>
  failed.count >= failuresBefore && failed.files === (await hashFiles(paths))

/** Resolves to a hash of configuration, lockfile, sources and build. */
const hashFiles = async (paths: ProjectPaths): Promise<string> => {
  const names = [paths.config, paths.manifest, paths.buildRecord, ...lockfiles.map(name => join(paths.project, name))]
  const tree = await listTree(paths.plugins).catch(() => [])
  const sources = tree.filter(({kind}) => kind === "file").map(({path}) => join(paths.plugins, path))
  const hashes = await Promise.all([...names, ...sources].map(async path => [path, (await hashOf(path)) ?? ""]))
  return sha256Of(toJson(hashes))
}
