import {setImmediate as turn} from "node:timers/promises"
import type {Item} from "../../../shared/api/workroom.ts"
import {assertThat, type Database, type Row, type Statement} from "../../database/database.ts"
import {jsonRows} from "../../database/engine/json-rows.ts"
import {Catalog, type CatalogHead, catalogText, itemText} from "./catalog.ts"
import {Chain} from "./chain.ts"
import {canonical} from "./record.ts"
import {damaged, follow, type Group, type Kept, type Opened, otherAuthority, type Store} from "./store.ts"
import {tellingRecords} from "./telling.ts"

/** The number of rows per read: a read blocks the event loop. */
const pageSize = 2000

const recordRows = jsonRows(["seq", "item", "record"])
const itemRows = jsonRows(["item", "data"])

/** The store in the tables `workroom_catalog` and `workroom_events`: a group, its rows and its events are one batch. */
export class TableStore implements Store {
  readonly kind = "database"
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async open(authority: string, known?: Catalog): Promise<Opened> {
    const {catalog, wrong} = await this.examine(authority, known)
    if (wrong === undefined) return {catalog}
    await this.replace(catalog)
    return {catalog, rebuilt: {wrong, kept: undefined}}
  }

  /**
   * Projects the Journal, and compares the result with the rows of the Catalog: `wrong` says which of them differ. Begins
   * a store if there is none, but repairs nothing. Rows are not compared after a failed `append`.
   */
  async examine(authority: string, known?: Catalog): Promise<{readonly catalog: Catalog; readonly wrong?: string}> {
    const head = (await this.#readHead()) ?? (await this.#begin(authority))
    if (head.authority !== authority) throw otherAuthority("the tables of the workroom have", head.authority, authority)
    const catalog = known ?? new Catalog(head.origin)
    const chain = new Chain(catalog.authority, catalog.head)
    await this.#readRows(chain.head.seq, head.seq, text => {
      const wrong = chain.take(text) ?? follow(catalog, text)
      if (wrong !== undefined) throw damaged(`record ${chain.head.seq + 1} in workroom_events: ${wrong}`)
    })
    if (chain.head.seq < head.seq) {
      throw damaged(`workroom_events ends at record ${chain.head.seq}, but record ${head.seq} was acknowledged`)
    }
    if (chain.head.hash !== head.hash)
      throw damaged(`record ${head.seq} in workroom_events is not the one that was acknowledged`)
    if (catalog.authority !== authority) throw otherAuthority("workroom_events has", catalog.authority, authority)
    await this.#requireNothingAbove(head.seq)
    const differing = known === undefined ? await this.#differing(catalog) : []
    return differing.length === 0 ? {catalog} : {catalog, wrong: differsAt(differing)}
  }

  async append({before, after, records, items}: Group): Promise<void> {
    await this.#database.write([
      assertThat("EXISTS (SELECT 1 FROM workroom_head WHERE seq = ? AND hash = ?)", [before.seq, before.hash]),
      {
        sql: `INSERT INTO workroom_events (seq, item, record) SELECT seq, item, record FROM ${recordRows.source}`,
        args: [recordRows.encode(records.map(({record: {seq, item}, text}) => ({seq, item, record: text})))],
      },
      storeItems(items),
      {sql: "UPDATE workroom_head SET seq = ?, hash = ?", args: [after.seq, after.hash]},
      ...records.flatMap(({record: {command}}) =>
        command.is === "authority" ? [{sql: "UPDATE workroom_head SET authority = ?", args: [command.to]}] : [],
      ),
      ...tellingRecords(records.map(({record}) => record)),
    ])
  }

  async read(from: number, upTo: number, take: (text: string) => void): Promise<void> {
    let next = from
    await this.#readRows(from - 1, upTo, text => {
      take(text)
      next++
    })
    if (next <= upTo) throw damaged(`record ${next} in workroom_events is missing`)
  }

  keep(): void {}

  /** The rows as the text of their Catalog. */
  async kept(): Promise<Kept> {
    const rows = await this.#database.read(
      `SELECT h.origin, h.authority, h.seq, h.hash, c.data FROM workroom_head h LEFT JOIN workroom_catalog c ON true
        ORDER BY c.item`,
    )
    const [first] = rows
    if (first === undefined) return {seq: 0, text: ""}
    const items = rows.flatMap(({data}) => (data === null ? [] : [String(data)]))
    return {seq: Number(first.seq), text: catalogText(headOf(first), items)}
  }

  async replace(catalog: Catalog): Promise<void> {
    const {seq, hash} = catalog.head
    await this.#database.write([
      {sql: "DELETE FROM workroom_catalog"},
      {sql: "DELETE FROM workroom_head"},
      storeItems(catalog.items),
      {
        sql: "INSERT INTO workroom_head (id, origin, authority, seq, hash) VALUES (1, ?, ?, ?, ?)",
        args: [catalog.origin, catalog.authority, seq, hash],
      },
    ])
  }

  async close(): Promise<void> {}

  async #begin(authority: string): Promise<CatalogHead> {
    const catalog = new Catalog(authority)
    await this.#requireNothingAbove(0)
    await this.replace(catalog)
    return {origin: authority, authority, ...catalog.head}
  }

  async #readHead(): Promise<CatalogHead | undefined> {
    const [row] = await this.#database.read("SELECT origin, authority, seq, hash FROM workroom_head")
    return row === undefined ? undefined : headOf(row)
  }

  /** The numbers of the rows that were changed, are missing, or belong to no item. */
  async #differing({items}: Catalog): Promise<readonly number[]> {
    const others = await this.#database.read("SELECT item FROM workroom_catalog WHERE item < 1 OR item > ?", [
      items.length,
    ])
    const differing = others.map(({item}) => Number(item))
    for (let from = 0; from < items.length; from += pageSize) {
      const page = items.slice(from, from + pageSize)
      const rows = await this.#database.read("SELECT item, data FROM workroom_catalog WHERE item > ? AND item <= ?", [
        from,
        from + page.length,
      ])
      const texts = new Map(rows.map(({item, data}) => [item, data]))
      for (const item of page) if (texts.get(item.id) !== canonical(item)) differing.push(item.id)
      await turn()
    }
    return differing
  }

  async #readRows(after: number, upTo: number, take: (text: string) => void): Promise<void> {
    for (let last = after; last < upTo; ) {
      const rows = await this.#database.read(
        "SELECT seq, record FROM workroom_events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
        [last, upTo, pageSize],
      )
      for (const {record} of rows) take(String(record))
      if (rows.length === 0) return
      last = Number(rows.at(-1)?.seq)
      await turn()
    }
  }

  async #requireNothingAbove(seq: number): Promise<void> {
    const [row] = await this.#database.read("SELECT min(seq) AS seq FROM workroom_events WHERE seq > ?", [seq])
    if (row !== undefined && row.seq !== null) {
      throw damaged(`workroom_events has record ${row.seq}, but the last that was acknowledged is ${seq}`)
    }
  }
}

const headOf = ({origin, authority, seq, hash}: Row): CatalogHead => ({
  origin: String(origin),
  authority: String(authority),
  seq: Number(seq),
  hash: String(hash),
})

/** The most rows that a message names. */
const mostNamed = 10

const differsAt = (rows: readonly number[]): string => {
  const more = rows.length > mostNamed ? ` and ${rows.length - mostNamed} more` : ""
  return `workroom_catalog differs from the Journal at item ${rows.slice(0, mostNamed).join(", ")}${more}`
}

const storeItems = (items: readonly Item[]): Statement => ({
  sql: `INSERT INTO workroom_catalog (item, data) SELECT item, data FROM ${itemRows.source}
    WHERE true ON CONFLICT (item) DO UPDATE SET data = excluded.data`,
  args: [itemRows.encode(items.map(item => ({item: item.id, data: itemText(item)})))],
})
