import {Catalog, type CatalogHead} from "./store/catalog.ts"
import {damaged, rebuildIt, replay, type Store, type StoreKind} from "./store/store.ts"

export interface Verification extends Omit<CatalogHead, "origin"> {
  readonly store: StoreKind
  readonly items: number
}

/** Compares the Journal's projection with the Catalogs, in memory and stored, by bytes. Throws `workroom_damaged`. */
export const verifyStore = async (store: Store, catalog: Catalog): Promise<Verification> => {
  const {origin, authority, head, count} = catalog
  const text = catalog.text()
  const kept = await store.kept()
  const upTo = Math.max(head.seq, kept.seq)
  await replay(
    take => store.read(1, upTo, take),
    new Catalog(origin),
    projected => {
      if (projected.head.seq === head.seq) requireEqual(projected.text(), text, "in memory", head.seq)
      if (projected.head.seq === kept.seq) requireEqual(projected.text(), kept.text, "stored", kept.seq)
    },
  )
  return {store: store.kind, authority, ...head, items: count}
}

const requireEqual = (projected: string, other: string, where: string, seq: number): void => {
  if (projected === other) return
  throw damaged(`the Catalog ${where} does not match the Journal at record ${seq}`, rebuildIt)
}
