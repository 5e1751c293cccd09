import {rename} from "node:fs/promises"
import type {Database} from "../database/database.ts"
import {writeFileAtomic} from "../runtime/files.ts"
import {readAcknowledged} from "./store/acknowledged.ts"
import {Catalog, type CatalogHead, parseCatalog} from "./store/catalog.ts"
import {Chain} from "./store/chain.ts"
import {acknowledge, examineFiles} from "./store/file-open.ts"
import {FileStore} from "./store/file-store.ts"
import {listSegments, readSegments, type StorePaths, storePaths} from "./store/segments.ts"
import {damaged, follow, replay} from "./store/store.ts"
import {TableStore} from "./store/table-store.ts"
import type {Verification} from "./verify.ts"

/** The verification of a store that no Host has open. `torn`: bytes of the Journal's end that the next start cuts. */
export interface StoppedVerification extends Verification {
  readonly torn: number
}

/** Checks a whole file store without changing it; undefined if there is none. Throws `workroom_damaged`. */
export const verifyFiles = async (folder: string): Promise<StoppedVerification | undefined> => {
  const paths = storePaths(folder)
  const examined = await examineFiles(paths, "keep")
  if (examined === undefined) return undefined
  const {catalog, end} = examined
  const store = new FileStore({folder})
  const kept = await store.kept()
  await replay(
    take => store.read(1, catalog.head.seq, take),
    new Catalog(catalog.origin),
    projected => {
      if (projected.head.seq === kept.seq && projected.text() !== kept.text) {
        throw damaged(`${paths.catalog} does not match the Journal at record ${kept.seq}`)
      }
    },
  )
  return {...factsOf("file", catalog), torn: end.bytes.length - end.offset}
}

const factsOf = (store: Verification["store"], {authority, head, count}: Catalog): Verification => ({
  store,
  authority,
  ...head,
  items: count,
})

/**
 * Rebuilds the Catalog and the acknowledged number of a file store from its Journal, and keeps the old Catalog beside
 * the new one. Refuses a Journal that is damaged or ends below the last acknowledged record. `authority` applies only
 * if the store itself does not say under which authority it began. Throws `workroom_damaged`.
 */
export const rebuildFiles = async (folder: string, authority: string): Promise<Verification> => {
  const paths = storePaths(folder)
  const told = await readAcknowledged(paths.acknowledged)
  const {text, seq} = await new FileStore({folder}).kept()
  const head = told === "damaged" ? undefined : told
  const catalog = await project(paths, head?.origin ?? parseCatalog(text)?.origin ?? authority)
  const known = Math.max(head?.seq ?? 0, seq)
  if (catalog.head.seq < known) {
    throw damaged(`the Journal ends with record ${catalog.head.seq}, but record ${known} was acknowledged`)
  }
  if (text !== "" && text !== catalog.text()) await rename(paths.catalog, `${paths.catalog}.replaced`)
  await acknowledge(paths, catalog)
  await writeFileAtomic(paths.catalog, catalog.text())
  return factsOf("file", catalog)
}

/** The Catalog of a Journal whose end may be torn; the next start repairs that. */
const project = async ({journal}: StorePaths, origin: string): Promise<Catalog> => {
  const catalog = new Catalog(origin)
  const chain = new Chain(origin)
  const next = () => chain.head.seq + 1
  const end = await readSegments(await listSegments(journal), next, text => chain.take(text) ?? follow(catalog, text))
  if (end.wrong !== undefined && !end.isLast) {
    throw damaged(`record ${next()} in ${end.segment?.name}, at byte ${end.offset}: ${end.wrong}`)
  }
  return catalog
}

/** The same for the tables, in one batch. Throws `workroom_damaged`. */
export const rebuildTables = async (database: Database): Promise<Verification | undefined> => {
  const [row] = await database.read(
    "SELECT h.origin, h.seq, (SELECT max(seq) FROM workroom_events) AS last FROM workroom_head h",
  )
  if (row === undefined) return undefined
  const {origin, seq}: Pick<CatalogHead, "origin" | "seq"> = {origin: String(row.origin), seq: Number(row.seq)}
  const last = Number(row.last ?? 0)
  if (last < seq) throw damaged(`workroom_events ends at record ${last}, but record ${seq} was acknowledged`)
  const store = new TableStore(database)
  const catalog = await replay(take => store.read(1, last, take), new Catalog(origin))
  await store.replace(catalog)
  return factsOf("database", catalog)
}
