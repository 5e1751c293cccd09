import {copyFile, open, readFile} from "node:fs/promises"
import {join} from "node:path"
import {hostActor} from "../../shared/api/workroom.ts"
import type {Database} from "../database/database.ts"
import {makePrivateFolder, writeFileAtomic} from "../runtime/files.ts"
import {writeAcknowledged} from "./store/acknowledged.ts"
import {authorityOfTables} from "./store/authority.ts"
import {Catalog, type CatalogHead} from "./store/catalog.ts"
import {examineFiles, recoverFiles} from "./store/file-open.ts"
import {FileStore} from "./store/file-store.ts"
import {endOfFrames} from "./store/frames.ts"
import {chained} from "./store/record.ts"
import {listSegments, storePaths} from "./store/segments.ts"
import {damaged, rebuildIt, replay, type Store, type StoreKind} from "./store/store.ts"
import {TableStore} from "./store/table-store.ts"

/** The workroom at one record, for the marker of a checkpoint. */
export interface WorkroomMark extends CatalogHead {
  readonly store: StoreKind
  /** The Catalog as of that record. In table mode, the database's snapshot contains it. */
  readonly catalog: string
}

/** The content of a store that was checked completely: the chain is intact, and the Catalog matches the Journal. */
export interface StoreFacts extends CatalogHead {
  readonly items: number
}

/**
 * File mode: copies a store, which may be in use, up to a mark. The copy has the whole segments, the part of the last
 * one, the Catalog as of the mark, and the mark as the last acknowledged record. It is durable when this resolves.
 * Throws `workroom_damaged` if the Journal ends before the mark.
 */
export const copyStore = async (folder: string, target: string, mark: WorkroomMark): Promise<void> => {
  const [from, to] = [storePaths(folder), storePaths(target)]
  await makePrivateFolder(to.journal)
  const segments = (await listSegments(from.journal)).filter(({first}) => first <= mark.seq)
  for (const [index, segment] of segments.entries()) {
    const path = join(to.journal, segment.name)
    const next = segments[index + 1]
    if (next !== undefined) await copyFile(segment.path, path)
    else await copyPart(segment.path, path, mark.seq - segment.first + 1)
    const copy = await open(path, "r+")
    await copy.sync().finally(() => copy.close())
  }
  const {origin, authority, seq, hash} = mark
  await writeAcknowledged(to.acknowledged, {origin, authority, seq, hash})
  await writeFileAtomic(to.catalog, mark.catalog)
}

const copyPart = async (from: string, to: string, records: number): Promise<void> => {
  const bytes = await readFile(from)
  const end = endOfFrames(bytes, records)
  if (end === undefined) throw damaged(`${from} ends before the mark of the checkpoint`)
  await writeFileAtomic(to, bytes.subarray(0, end))
}

/**
 * Checks a file store in any folder without changing it; undefined if there is none. The Catalog and the Journal must
 * end at the same record, as in a checkpoint and after a graceful stop. Throws `workroom_damaged`.
 */
export const examineStore = async (folder: string): Promise<StoreFacts | undefined> => {
  const examined = await examineFiles(storePaths(folder), "keep")
  if (examined === undefined) return undefined
  const {catalog, keptSeq, end} = examined
  if (end.wrong !== undefined || keptSeq !== catalog.head.seq) {
    throw damaged(`the Catalog in ${folder} ends at record ${keptSeq}, but the Journal ends at ${catalog.head.seq}`)
  }
  const store = new FileStore({folder})
  const kept = await store.kept()
  const projected = await replay(take => store.read(1, keptSeq, take), new Catalog(catalog.origin))
  if (projected.text() !== kept.text)
    throw damaged(`the Catalog in ${folder} does not match the Journal at record ${keptSeq}`)
  return factsOf(catalog)
}

/** Checks the tables; undefined if the workroom was never used. Throws `workroom_damaged`. */
export const examineTables = async (database: Database): Promise<StoreFacts | undefined> => {
  const authority = await authorityOfTables(database)
  if (authority === undefined) return undefined
  const {catalog, wrong} = await new TableStore(database).examine(authority)
  if (wrong !== undefined) throw damaged(wrong, rebuildIt)
  return factsOf(catalog)
}

const factsOf = ({origin, authority, head, count}: Catalog): StoreFacts => ({origin, authority, ...head, items: count})

/**
 * Moves a store to another authority, as a restore does. A record names the old and the new one, so the chain shows it
 * permanently. Does nothing if the store already has that authority, or if there is no store.
 */
export const adoptStore = async (folder: string, authority: string, at: string): Promise<void> => {
  const catalog = await recoverFiles(storePaths(folder))
  if (catalog === undefined || catalog.authority === authority) return
  const store = new FileStore({folder})
  await adopt(store, (await store.open(catalog.authority)).catalog, authority, at)
}

/** The same for the tables; it is durable with the database. The next start names and mends rows that were changed. */
export const adoptTables = async (database: Database, authority: string, at: string): Promise<void> => {
  const before = await authorityOfTables(database)
  if (before === undefined || before === authority) return
  const store = new TableStore(database)
  await adopt(store, (await store.examine(before)).catalog, authority, at)
}

const adopt = async (store: Store, catalog: Catalog, to: string, at: string): Promise<void> => {
  const {authority: from, head: before} = catalog
  const recorded = chained({at, actor: hostActor, item: 0, command: {is: "authority", from, to}}, before)
  const {seq, hash} = recorded.record
  await store.append({before, after: {seq, hash}, records: [recorded], items: []})
  catalog.apply(recorded.record)
  await store.close(catalog)
}
