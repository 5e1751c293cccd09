import type {ProjectConfig} from "../../shared/config/config.ts"
import type {Log} from "../../shared/log.ts"
import {Problem} from "../../shared/problems.ts"
import type {PluginDefinition} from "../../shared/sdk/plugin/plugin.ts"
import {type Database, schemaOf} from "../database/database.ts"
import {readMeta, setMeta} from "../database/state/meta.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {workroomPlugin} from "./chat.ts"
import {readAcknowledged} from "./store/acknowledged.ts"
import {FileStore} from "./store/file-store.ts"
import {storePaths} from "./store/segments.ts"
import type {StoreKind} from "./store/store.ts"
import {TableStore} from "./store/table-store.ts"
import {FileTelling} from "./store/telling.ts"
import {Workroom} from "./workroom.ts"

/** The key in `svc_meta` of the store that has the items. */
const storeKey = "workroom_store"

export interface WorkroomSetting {
  readonly config: ProjectConfig
  readonly database: Database
  readonly paths: ProjectPaths
  readonly authority: string
  readonly log: Log
}

/** Throws `workroom_elsewhere` if the items are in the other store, `workroom_damaged`, `authority_mismatch`. */
export const openWorkroom = async (setting: WorkroomSetting): Promise<Workroom> => {
  const recorded = await requireStore(setting)
  const {config, database, authority, log} = setting
  const wanted = config.workroom.store
  const workroom =
    wanted === "file"
      ? await openFiles(setting)
      : await Workroom.open({store: new TableStore(database), authority, log})
  if (recorded !== wanted) {
    await database.write([setMeta(storeKey, wanted)])
  }
  return workroom
}

const openFiles = async ({database, paths, authority, log}: WorkroomSetting): Promise<Workroom> => {
  const store = new FileStore({folder: paths.state, log})
  const telling = new FileTelling(database, store, log)
  const workroom = await Workroom.open({
    store,
    authority,
    log,
    onRecorded: telling.add,
    beforeClose: () => telling.idle(),
  })
  await telling.start(workroom.head.seq)
  return workroom
}

/** Returns the store that the database recorded, under any schema; undefined if no workroom was opened yet. */
export const recordedStore = async (database: Pick<Database, "read" | "state">): Promise<unknown> => {
  if (schemaOf(database) === 0) return undefined
  return readMeta(database, storeKey)
}

/** Requires that the items are in the configured store. Resolves to the recorded store. */
const requireStore = async ({config, database, paths}: WorkroomSetting): Promise<unknown> => {
  const recorded = await recordedStore(database)
  const files = await recordsInFiles(paths)
  const [table] = await database.read("SELECT seq FROM workroom_head")
  const records: Record<StoreKind, number> = {file: files ?? 0, database: Number(table?.seq ?? 0)}
  const wanted = config.workroom.store
  const other = wanted === "file" ? "database" : "file"
  if (records[other] > 0 && recorded === other) {
    throw new Problem(
      "workroom_elsewhere",
      `workroom.store is ${wanted}, but the work items are in the ${other} store (${records[other]} records)`,
    )
  }
  return recorded
}

/** The number of acknowledged records in the files; undefined if the workroom has no files. */
const recordsInFiles = async ({state}: ProjectPaths): Promise<number | undefined> => {
  const told = await readAcknowledged(storePaths(state).acknowledged)
  return told === "damaged" ? 1 : told?.seq
}

/** The built-in plugin `workroom` when no Host runs: it is set up but never called. */
export const closedWorkroomPlugin = async (): Promise<{readonly default: PluginDefinition}> => ({
  default: workroomPlugin(() => {
    throw new Problem("starting", "the workroom is not open")
  }),
})
