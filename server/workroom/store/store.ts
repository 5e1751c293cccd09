import type {Item, JournalRecord} from "../../../shared/api/workroom.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Catalog} from "./catalog.ts"
import {Chain} from "./chain.ts"
import {type Head, parseRecord, type Recorded, sealOf} from "./record.ts"

/** Records that are stored together, and the items that they change. */
export interface Group {
  readonly before: Head
  readonly after: Head
  readonly records: readonly Recorded[]
  /** Each changed item, in its new state. */
  readonly items: readonly Item[]
}

/** A torn end of the Journal that was cut. None of its records had been acknowledged. */
export interface Cut {
  readonly segment: string
  /** The number that its first record would have had. */
  readonly record: number
  readonly bytes: number
  /** The file with the cut bytes; undefined for an unfinished write of this process. */
  readonly kept: string | undefined
}

/** A damaged or lost Catalog that was rebuilt from an intact Journal. */
export interface Rebuilt {
  /** What was wrong with it. */
  readonly wrong: string
  /** The path of the damaged Catalog; undefined if there is nothing to keep. */
  readonly kept: string | undefined
}

export interface Opened {
  readonly catalog: Catalog
  readonly cut?: Cut
  readonly rebuilt?: Rebuilt
}

/** A stored Catalog, as of a record. */
export interface Kept {
  readonly seq: number
  readonly text: string
}

export type StoreKind = "database" | "file"

/** Stores the Catalog and the Journal. Two implementations share one contract suite. */
export interface Store {
  readonly kind: StoreKind
  /**
   * Checks the whole Journal; resolves to the Catalog as of its last record. A new store begins under `authority`. A
   * damaged Catalog is rebuilt if the Journal is intact up to the last acknowledged record. Pass `known` after a failed
   * `append`: nothing above it was acknowledged. Throws `workroom_damaged`, `authority_mismatch`.
   */
  open(authority: string, known?: Catalog): Promise<Opened>
  /** Durable when it resolves. If it rejects, the store must be reopened before the next append. */
  append(group: Group): Promise<void>
  /** Passes the texts of records, from `from` to `upTo`, to `take`. Throws `workroom_damaged` if one is missing. */
  read(from: number, upTo: number, take: (text: string) => void): Promise<void>
  /** The Catalog after an append, for a store that writes it separately. */
  keep(catalog: Catalog): void
  /** The stored Catalog; that of a file store may be behind the Journal. */
  kept(): Promise<Kept>
  close(catalog: Catalog): Promise<void>
}

/** Projects a Journal's checked records onto an empty Catalog; `at` sees it after each. Throws `workroom_damaged`. */
export const replay = async (
  read: (take: (text: string) => void) => Promise<void>,
  empty: Catalog,
  at: (catalog: Catalog) => void = () => {},
): Promise<Catalog> => {
  const chain = new Chain(empty.origin)
  at(empty)
  await read(text => {
    const wrong = chain.take(text) ?? follow(empty, text)
    if (wrong !== undefined) throw damaged(`record ${chain.head.seq + 1} of the Journal: ${wrong}`)
    at(empty)
  })
  return empty
}

/** Projects a record that the chain has accepted. Returns why it cannot. */
export const follow = (catalog: Catalog, text: string): string | undefined => {
  try {
    catalog.apply(parseRecord(text))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Parses a record of an open store, which may have been changed since the start. Throws `workroom_damaged`. */
export const parseKept = (text: string): JournalRecord => {
  if (sealOf(text) !== undefined) return parseRecord(text)
  throw damaged("a record of the Journal was changed: its hash does not match", "svc workroom verify names it.")
}

export const rebuildIt = "Keep a copy; then, with the Host stopped: svc workroom verify --rebuild."

/** Reports damage. Pass `hint` if the damaged part can be rebuilt. */
export const damaged = (detail: string, hint?: string): Problem =>
  new Problem("workroom_damaged", detail, hint === undefined ? {} : {hint})

export const otherAuthority = (who: string, theirs: string, ours: string): Problem =>
  new Problem("authority_mismatch", `${who} the authority ${theirs}, the database has ${ours}: these are two histories`)

export const describeRebuilt = ({wrong, kept}: Rebuilt, {seq}: Head): string =>
  `${wrong}: the Catalog of the workroom was rebuilt from its Journal, up to record ${seq}${kept === undefined ? "" : `; the damaged one is kept in ${kept}`}`

export const describeCut = ({segment, record, bytes, kept}: Cut): string =>
  kept === undefined
    ? `removed ${bytes} unacknowledged bytes, from record ${record} on, from ${segment}`
    : `cut ${bytes} bytes of the torn and unacknowledged record ${record} from ${segment}; they are kept in ${kept}`
