import {randomUUID} from "node:crypto"
import {copyFile, readdir} from "node:fs/promises"
import {join} from "node:path"
import {Check} from "typebox/schema"
import {toJson} from "../../../shared/json.ts"
import {type Static, Type} from "../../../shared/type.ts"
import type {ConfigText} from "../../config/load.ts"
import {
  makePrivateFolder,
  readFileIfExists,
  readJsonIfExists,
  removeFolder,
  syncFile,
  syncFolder,
  writeFileAtomic,
  writeNewFile,
} from "../../runtime/files.ts"
import {sha256Of} from "../../runtime/hash.ts"
import type {ProjectPaths} from "../../runtime/project.ts"

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

/**
 * Keeps a generation instead of the previous one. If the process is killed, one of the two is kept completely. Throws
 * `state_unwritable`.
 */
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
  const json = await readJsonIfExists(currentOf(paths))
  if (!Check(LastGoodRecord, json)) return undefined
  // A parser has just proved it.
  const {folder, configSha256, ...about} = json as LastGoodRecord
  const place = join(paths.lastGood, folder)
  const text = await readFileIfExists(join(place, "svc.config.yml"))
  if (text === undefined || sha256Of(text) !== configSha256) return undefined
  const config = {file: `last good generation ${about.generation}`, text, sha256: configSha256}
  return {...about, config, plugins: join(place, "plugins")}
}
