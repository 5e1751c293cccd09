import type {Item} from "../../../shared/api/workroom.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Catalog} from "../catalog.ts"
import {Chain} from "./chain.ts"
import type {Head, Recorded} from "./record.ts"
import {parseRecord} from "./record.ts"

/** Records that are stored together, and what they make of the Catalog. */
export interface Group {
  readonly before: Head
  readonly after: Head
  readonly records: readonly Recorded[]
  /** Each item that they change, as they leave it. */
  readonly items: readonly Item[]
}

/** A torn end of the Journal that was cut: nobody had been told that it was recorded. */
export interface Cut {
  readonly segment: string
  /** The number that the first record of it would have had. */
  readonly record: number
  readonly bytes: number
  /** Where its bytes are kept; undefined for what this process itself could not finish. */
  readonly kept: string | undefined
}

/** A Catalog that was damaged or lost, and was made again from a sound Journal. */
export interface Rebuilt {
  /** What was wrong with it. */
  readonly wrong: string
  /** Where the damaged one is kept; undefined where there is nothing to keep. */
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

/** Where Catalog and Journal are. Two implementations, one contract suite. */
export interface Store {
  readonly kind: StoreKind
  /**
   * Checks the whole Journal; resolves to the Catalog as of its last record. A store that is new begins under the
   * authority. A damaged Catalog is rebuilt where the Journal is sound up to the last acknowledged number. With `known`, after
   * an `append` that failed: nothing above it was acknowledged. Throws `workroom_damaged`, `authority_mismatch`.
   */
  open(authority: string, known?: Catalog): Promise<Opened>
  /** Durable when it resolves. When it rejects, nothing more may be appended before the store was opened again. */
  append(group: Group): Promise<void>
  /** Hands over the texts of these records, the last one included. Throws `workroom_damaged` where they are not all there. */
  read(from: number, upTo: number, take: (text: string) => void): Promise<void>
  /** The Catalog after an append, for a store that keeps it apart. */
  keep(catalog: Catalog): void
  /** What it has as Catalog now; a file store's may be behind the Journal. */
  kept(): Promise<Kept>
  close(catalog: Catalog): Promise<void>
}

/**
 * Every record of a Journal, checked and projected anew onto an empty Catalog; `at` sees it after each record. Throws
 * `workroom_damaged`.
 */
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

/** Projects a record that the chain has taken. Says why it cannot. */
export const follow = (catalog: Catalog, text: string): string | undefined => {
  try {
    catalog.apply(parseRecord(text))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export const rebuildIt = "Keep a copy; then, with the Host stopped: svc workroom rebuild."

/** Names what is damaged; `hint` where it can be made again. */
export const damaged = (detail: string, hint?: string): Problem =>
  new Problem("workroom_damaged", detail, hint === undefined ? {} : {hint})

export const otherAuthority = (who: string, theirs: string, ours: string): Problem =>
  new Problem(
    "authority_mismatch",
    `${who} the authority ${theirs}, the database has ${ours}: they belong to two histories`,
  )

export const describeRebuilt = ({wrong, kept}: Rebuilt, {seq}: Head): string =>
  `${wrong}: the Catalog of the workroom was rebuilt from its Journal, up to record ${seq}${kept === undefined ? "" : `; the damaged one is kept in ${kept}`}`

export const describeCut = ({segment, record, bytes, kept}: Cut): string =>
  kept === undefined
    ? `${bytes} bytes from record ${record} on, which were not acknowledged, were taken back from ${segment}`
    : `${bytes} bytes of a torn record ${record}, which was not acknowledged, were cut from ${segment}; they are kept in ${kept}`
