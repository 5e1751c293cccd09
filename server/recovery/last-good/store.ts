import {randomUUID} from "node:crypto"
import {copyFile, readdir, rm} from "node:fs/promises"
import {join} from "node:path"
import {toJson} from "../../../shared/json.ts"
import {isProblem, type ProblemCode} from "../../../shared/problems.ts"
import {type Static, Type} from "../../../shared/type.ts"
import type {ConfigText} from "../../config/load.ts"
import {hashOf} from "../../runtime/build-record.ts"
import {
  makePrivateFolder,
  readFileIfExists,
  removeFolder,
  sha256Of,
  syncFile,
  syncFolder,
  writeFileAtomic,
  writeNewFile,
} from "../../runtime/files.ts"
import {lockfiles} from "../../runtime/packages/lockfile.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {listTree} from "../files/files.ts"
import {readStored} from "../files/stored-json.ts"

/** `.svc/last-good/current.json`: the last generation that stayed ready for a minute, and what it needs. */
const LastGoodRecord = Type.Object({
  generation: Type.Integer({minimum: 1}),
  /** Milliseconds since 1970. */
  committedAt: Type.Integer(),
  /** The folder with its configuration and plugins, beside this file. */
  folder: Type.String({pattern: "^[0-9a-f-]+$"}),
  configSha256: Type.String(),
  /** The version of svc. */
  version: Type.String(),
  /** SHA-256 of the lockfile; empty without one. */
  lockfile: Type.String(),
  /** The schema of svc and of every plugin, in the form of `describeSchema`. */
  schema: Type.String(),
})
type LastGoodRecord = Static<typeof LastGoodRecord>

/** A generation that a Host can start again unchanged. */
export interface LastGood extends Omit<LastGoodRecord, "folder" | "configSha256"> {
  readonly config: ConfigText
  /** The folder with the `<name>.js` of each plugin of the project. */
  readonly plugins: string
}

export interface LastGoodContent extends Omit<LastGoodRecord, "folder" | "configSha256"> {
  readonly config: Pick<ConfigText, "text">
  /** The absolute paths of the loaded modules. */
  readonly modules: readonly {readonly name: string; readonly module: string}[]
}

type Paths = Pick<ProjectPaths, "lastGood">

const currentOf = ({lastGood}: Paths): string => join(lastGood, "current.json")

/** Keeps a generation instead of the previous one; a kill leaves one of the two whole. Throws `state_unwritable`. */
export const keepLastGood = async (paths: Paths, content: LastGoodContent): Promise<void> => {
  const {config, modules, ...about} = content
  const folder = randomUUID()
  const place = join(paths.lastGood, folder)
  const plugins = join(place, "plugins")
  await makePrivateFolder(plugins)
  await writeNewFile(join(place, "svc.config.yml"), config.text)
  for (const {name, module} of modules) {
    const target = join(plugins, `${name}.js`)
    await copyFile(module, target)
    await syncFile(target)
  }
  for (const each of [plugins, place, paths.lastGood]) await syncFolder(each)
  const record: LastGoodRecord = {...about, folder, configSha256: sha256Of(config.text)}
  await writeFileAtomic(currentOf(paths), toJson(record))
  await removeOthers(paths, folder)
}

const removeOthers = async ({lastGood}: Paths, folder: string): Promise<void> => {
  for (const entry of await readdir(lastGood, {withFileTypes: true}))
    if (entry.isDirectory() && entry.name !== folder) await removeFolder(join(lastGood, entry.name))
}

/** Resolves to the kept generation; undefined if there is none or it is damaged. */
export const readLastGood = async (paths: Paths): Promise<LastGood | undefined> => {
  const record = await readStored(currentOf(paths), LastGoodRecord)
  if (record === undefined) return undefined
  const {folder, configSha256, ...about} = record
  const place = join(paths.lastGood, folder)
  const text = await readFileIfExists(join(place, "svc.config.yml"))
  if (text === undefined || sha256Of(text) !== configSha256) return undefined
  const config = {file: `last good generation ${about.generation}`, text, sha256: configSha256}
  return {...about, config, plugins: join(place, "plugins")}
}

/** `.svc/last-good/failed-starts.json`: how many starts of the present project have failed in a row. */
const FailedStarts = Type.Object({
  count: Type.Integer({minimum: 1}),
  /** The hash of the project's files; changed files have not failed yet. */
  files: Type.String(),
  /** The reason of the newest failure, without secrets. */
  why: Type.String(),
})
type FailedStarts = Static<typeof FailedStarts>

/** How many failed starts in a row make the Host run the last good generation. */
const failuresBefore = 2

/** Failures that say nothing about the project: it is locked, stopped, missing or half restored. */
const notCounted: readonly ProblemCode[] = ["locked", "stopping", "project_missing", "restore_unfinished"]

/** Returns whether a failed start is the fault of the project's code or configuration. A temporary failure is not. */
export const speaksAgainst = (error: unknown, mayPass: (error: unknown) => boolean): boolean =>
  !mayPass(error) && !notCounted.some(code => isProblem(error, code))

const fileOf = ({lastGood}: Paths): string => join(lastGood, "failed-starts.json")

/** Resolves to undefined if the newest start has not failed, or if the file is damaged. */
export const readFailedStarts = (paths: Paths): Promise<FailedStarts | undefined> =>
  readStored(fileOf(paths), FailedStarts)

/** Counts a failed start. Throws `state_unwritable`. */
export const recordFailedStart = async (paths: ProjectPaths, why: string): Promise<void> => {
  const [before, files] = [await readFailedStarts(paths), await hashFiles(paths)]
  const count = before?.files === files ? before.count + 1 : 1
  await makePrivateFolder(paths.lastGood)
  await writeFileAtomic(fileOf(paths), toJson({count, files, why}))
}

/** Resets the count after a successful start, or when an operator requests another attempt. */
export const clearFailedStarts = (paths: Paths): Promise<void> => rm(fileOf(paths), {force: true})

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
