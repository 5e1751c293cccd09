import {open, rename, truncate} from "node:fs/promises"
import {join} from "node:path"
import {omitUndefined} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {makePrivateFolder, readFileIfExists, syncFile, writeFileAtomic} from "../../runtime/files.ts"
import {readAcknowledged, writeAcknowledged} from "./acknowledged.ts"
import {Catalog, type CatalogHead, parseCatalog} from "./catalog.ts"
import {Chain} from "./chain.ts"
import type {Head} from "./record.ts"
import {type JournalEnd, listSegments, readSegments, type Segment, type StorePaths} from "./segments.ts"
import {type Cut, damaged, follow, type Opened, otherAuthority, type Rebuilt, rebuildIt} from "./store.ts"

/** A checked file store, and where its Journal continues. */
export interface OpenedFiles extends Opened {
  /** The last record of the Catalog's file. */
  readonly keptSeq: number
  /** The segment for the next record, and its length; undefined if the next record starts a new segment. */
  readonly active: {readonly segment: Segment; readonly size: number} | undefined
}

/** Whether intact records above the acknowledged number stay, or are removed after a failed write of this process. */
export type Above = "keep" | "take back"

/**
 * Checks a whole file store. Creates a new store if there is none, cuts a torn end, and rebuilds a damaged Catalog from
 * an intact Journal. Throws `workroom_damaged`, `authority_mismatch`, `state_unwritable`.
 */
export const openFiles = async (paths: StorePaths, authority: string, above: Above): Promise<OpenedFiles> => {
  const found = await examineFiles(paths, above, authority, "rebuild")
  if (found === undefined) return begin(paths, authority)
  return settle(paths, found, authority, above)
}

/** Completes what an interrupted process left of a store, under any authority. Undefined if there is no store. */
export const recoverFiles = async (paths: StorePaths): Promise<Catalog | undefined> => {
  const found = await examineFiles(paths, "keep")
  return found === undefined ? undefined : (await settle(paths, found, found.catalog.authority, "keep")).catalog
}

const settle = async (paths: StorePaths, found: Examined, authority: string, above: Above): Promise<OpenedFiles> => {
  const {catalog, end, acknowledged, unsure} = found
  if (catalog.authority !== authority)
    throw otherAuthority("the files of the workroom have", catalog.authority, authority)
  const {segment, offset, bytes} = end
  const cut =
    offset < bytes.length && segment !== undefined ? await cutAt(paths, segment, end, catalog, above) : undefined
  // An earlier process may have seen its write fail: rewrites the bytes that the disk may lack.
  if (segment !== undefined && unsure < offset) await writeAgain(segment, bytes.subarray(unsure, offset), unsure)
  if (catalog.head.seq > acknowledged) await acknowledge(paths, catalog)
  const rebuilt =
    found.wrongCatalog === undefined ? undefined : await replaceCatalog(paths, catalog, found.wrongCatalog)
  return {
    catalog,
    keptSeq: rebuilt === undefined ? found.keptSeq : catalog.head.seq,
    active: segment === undefined ? undefined : {segment, size: offset},
    ...omitUndefined({cut, rebuilt}),
  }
}

const replaceCatalog = async (paths: StorePaths, catalog: Catalog, wrong: string): Promise<Rebuilt> => {
  const kept = `${paths.catalog}.replaced`
  const isKept = await rename(paths.catalog, kept).then(
    () => true,
    () => false,
  )
  await writeFileAtomic(paths.catalog, catalog.text())
  return {wrong, kept: isKept ? kept : undefined}
}

const begin = async (paths: StorePaths, authority: string): Promise<OpenedFiles> => {
  const catalog = new Catalog(authority)
  await makePrivateFolder(paths.journal)
  // The Catalog is written last, so that a killed first start differs from a loss.
  await acknowledge(paths, catalog)
  await writeFileAtomic(paths.catalog, catalog.text())
  return {catalog, keptSeq: 0, active: undefined}
}

export const acknowledge = (paths: StorePaths, {origin, authority, head}: Catalog): Promise<void> =>
  writeAcknowledged(paths.acknowledged, {origin, authority, ...head})

export interface Examined {
  readonly catalog: Catalog
  readonly end: JournalEnd
  readonly acknowledged: number
  readonly keptSeq: number
  /** The offset, in the last segment, of the first record that was not acknowledged. */
  readonly unsure: number
  /** What is wrong with the Catalog's file, if the Journal can replace it. */
  readonly wrongCatalog?: string
}

/** Checks a store without changing it. A damaged Catalog is refused, or rebuilt. Throws `workroom_damaged`. */
export const examineFiles = async (
  paths: StorePaths,
  above: Above,
  authority?: string,
  damagedCatalog: "refuse" | "rebuild" = "refuse",
): Promise<Examined | undefined> => {
  const segments = await listSegments(paths.journal)
  const told = await readAcknowledged(paths.acknowledged)
  const text = await readFileIfExists(paths.catalog)
  if (text === undefined && segments.length === 0 && (told === undefined || (told !== "damaged" && told.seq === 0))) {
    return undefined
  }
  const kept = text === undefined ? undefined : parseCatalog(text)
  const wrongCatalog =
    kept === undefined ? `${paths.catalog} ${text === undefined ? "is missing" : "was changed"}` : undefined
  const mayRebuild = damagedCatalog === "rebuild" && told !== undefined && told !== "damaged"
  if (wrongCatalog !== undefined && !mayRebuild) throw damaged(wrongCatalog, rebuildIt)
  if (told === undefined || told === "damaged") {
    throw damaged(`${paths.acknowledged} ${told === undefined ? "is missing" : "was changed"}`, rebuildIt)
  }
  const catalog = kept ?? new Catalog(told.origin)
  requireOneHistory(paths, catalog, told, authority)
  const keptSeq = catalog.head.seq
  const acknowledged = Math.max(told.seq, keptSeq)
  const heads = [catalog.head, {seq: told.seq, hash: told.hash}]
  const {found, take, next} = walkOn(catalog, acknowledged, heads, above)
  const end = await readSegments(segments, next, take)
  requireWhole(end, next(), acknowledged)
  if (found.wrongHead !== undefined)
    throw damaged(`record ${found.wrongHead} of the Journal is not the one that was acknowledged`)
  const unsure = found.unsure ?? end.offset
  return {catalog, end, acknowledged, keptSeq, unsure, ...(wrongCatalog === undefined ? {} : {wrongCatalog})}
}

/** One of the two may still have the authority from before an adoption; both may not. */
const requireOneHistory = (
  paths: StorePaths,
  catalog: Catalog,
  told: CatalogHead,
  authority: string | undefined,
): void => {
  if (authority !== undefined && catalog.authority !== authority && told.authority !== authority) {
    throw otherAuthority("the files of the workroom have", catalog.authority, authority)
  }
  if (catalog.origin === told.origin) return
  const began = `${paths.catalog} began under the authority ${catalog.origin}, ${paths.acknowledged} under ${told.origin}`
  throw new Problem("authority_mismatch", `${began}: they belong to two histories`)
}

/** Walks through the records of a Journal, and applies those that the Catalog does not have yet. */
const walkOn = (catalog: Catalog, acknowledged: number, heads: readonly Head[], above: Above) => {
  const chain = new Chain(catalog.origin)
  const found: {wrongHead?: number | undefined; unsure?: number | undefined} = {}
  let current: Segment | undefined
  let offset = 0
  const compare = () => {
    const {seq, hash} = chain.head
    for (const head of heads) if (head.seq === seq && head.hash !== hash) found.wrongHead ??= seq
  }
  const take = (text: string, after: number, segment: Segment): string | undefined => {
    if (segment !== current) {
      offset = 0
      found.unsure = undefined
    }
    current = segment
    const isTold = chain.head.seq < acknowledged
    if (!isTold && above === "take back") return "it was not acknowledged"
    const wrong = chain.take(text)
    if (wrong !== undefined) return wrong
    const {seq} = chain.head
    if (seq > catalog.head.seq) {
      const unfit = follow(catalog, text)
      if (unfit !== undefined) throw damaged(`record ${seq} in ${segment.name}: ${unfit}`)
    }
    compare()
    if (!isTold) found.unsure ??= offset
    offset = after
    return undefined
  }
  compare()
  return {found, take, next: () => chain.head.seq + 1}
}

/** Only the end of the last segment, above the acknowledged number, may be torn. */
const requireWhole = ({segment, isLast, offset, wrong}: JournalEnd, next: number, acknowledged: number): void => {
  if (next > acknowledged && (wrong === undefined || isLast)) return
  if (wrong !== undefined && segment !== undefined) {
    const told = next <= acknowledged ? `; it was acknowledged, up to record ${acknowledged}` : ""
    throw damaged(`record ${next} in ${segment.name}, at byte ${offset}: ${wrong}${told}`)
  }
  const where =
    segment === undefined ? "the Journal has no segment" : `the Journal ends with record ${next - 1} in ${segment.name}`
  throw damaged(`${where}, but record ${acknowledged} was acknowledged`)
}

const cutAt = async (
  paths: StorePaths,
  segment: Segment,
  {offset, bytes}: JournalEnd,
  {head}: Catalog,
  above: Above,
): Promise<Cut> => {
  const torn = bytes.subarray(offset)
  const kept = above === "keep" ? join(paths.journal, `torn-${head.seq + 1}-${offset}.bytes`) : undefined
  if (kept !== undefined) await writeFileAtomic(kept, torn)
  try {
    await truncate(segment.path, offset)
    await syncFile(segment.path)
  } catch (cause) {
    throw new Problem("state_unwritable", `cannot cut ${segment.path}`, {cause})
  }
  return {segment: segment.name, record: head.seq + 1, bytes: torn.length, kept}
}

const writeAgain = async (segment: Segment, bytes: Buffer, offset: number): Promise<void> => {
  const file = await open(segment.path, "r+")
  try {
    await file.write(bytes, 0, bytes.length, offset)
    await file.sync()
  } catch (cause) {
    throw new Problem("state_unwritable", `cannot write ${segment.path}`, {cause})
  } finally {
    await file.close()
  }
}
