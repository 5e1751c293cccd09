import {setImmediate as turn} from "node:timers/promises"
import type {Item} from "../../../shared/api/workroom.ts"
import {fromJson} from "../../../shared/json.ts"
import {assertThat, type Database} from "../../database/database.ts"
import type {Row, Statement} from "../../database/engine.ts"
import {jsonRows} from "../../database/json-rows.ts"
import {Catalog, type CatalogHead, catalogText, itemText} from "../catalog.ts"
import {tellingRecords} from "../telling.ts"
import {Chain} from "./chain.ts"
import {damaged, follow, type Group, type Kept, type Opened, otherAuthority, replay, type Store} from "./store.ts"

/** The number of rows per read: a read blocks the event loop. */
const pageSize = 2000

const recordRows = jsonRows(["seq", "item", "record"])
const itemRows = jsonRows(["item", "data"])

/**
 * The store in the tables `workroom_catalog` and `workroom_events`. A group, its Catalog rows and its events are one
 * batch.
 */
export class TableStore implements Store {
  readonly kind = "database"
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async open(authority: string, known?: Catalog): Promise<Opened> {
    const head = (await this.#readHead()) ?? (await this.#begin(authority))
    if (head.authority !== authority) throw otherAuthority("the tables of the workroom have", head.authority, authority)
    const items = known === undefined ? await this.#readItems() : []
    const chain = known === undefined ? new Chain(head.origin) : new Chain(known.authority, known.head)
    let added = 0
    await this.#readRows(chain.head.seq, head.seq, (text, item) => {
      const wrong = chain.take(text) ?? (known === undefined ? undefined : follow(known, text))
      if (wrong !== undefined) throw damaged(`record ${chain.head.seq + 1} in workroom_events: ${wrong}`)
      if (item > added) added = item
    })
    if (chain.head.seq < head.seq) {
      throw damaged(`workroom_events ends at record ${chain.head.seq}, but record ${head.seq} was acknowledged`)
    }
    if (chain.head.hash !== head.hash)
      throw damaged(`record ${head.seq} in workroom_events is not the one that was acknowledged`)
    await this.#requireNothingAbove(head.seq)
    if (known !== undefined) return {catalog: known}
    const wrong = typeof items === "string" ? items : wrongCount(items.length, added)
    if (wrong !== undefined || typeof items === "string") return this.#rebuild(head, wrong ?? "")
    return {catalog: new Catalog(head.origin, {...emptyOf(head), items})}
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
      ...authorityOf(records),
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

  /** The items of the Catalog, or what is wrong with them. */
  async #readItems(): Promise<readonly Item[] | string> {
    const rows = await this.#database.read("SELECT item, data FROM workroom_catalog ORDER BY item")
    const items = rows.map(({data}) => parseItem(String(data)))
    const wrong = items.findIndex((item, index) => Number(rows[index]?.item) !== index + 1 || item?.id !== index + 1)
    if (wrong >= 0) return `item ${wrong + 1} in workroom_catalog is damaged or missing`
    return items.flatMap(item => item ?? [])
  }

  /** Rebuilds the Catalog from a Journal that was checked. */
  async #rebuild({origin, seq}: CatalogHead, wrong: string): Promise<Opened> {
    const catalog = await replay(take => this.read(1, seq, take), new Catalog(origin))
    await this.replace(catalog)
    return {catalog, rebuilt: {wrong, kept: undefined}}
  }

  async #readRows(after: number, upTo: number, take: (text: string, item: number) => void): Promise<void> {
    for (let last = after; last < upTo; ) {
      const rows = await this.#database.read(
        "SELECT seq, item, record FROM workroom_events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
        [last, upTo, pageSize],
      )
      for (const {record, item} of rows) take(String(record), Number(item))
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

const wrongCount = (items: number, added: number): string | undefined =>
  items === added ? undefined : `workroom_catalog has ${items} items, and the Journal ${added}`

const emptyOf = ({authority, seq, hash}: CatalogHead) => ({authority, head: {seq, hash}})

const parseItem = (text: string): Item | undefined => {
  try {
    return fromJson(text) as Item
  } catch {
    return undefined
  }
}

const storeItems = (items: readonly Item[]): Statement => ({
  sql: `INSERT INTO workroom_catalog (item, data) SELECT item, data FROM ${itemRows.source}
    WHERE true ON CONFLICT (item) DO UPDATE SET data = excluded.data`,
  args: [itemRows.encode(items.map(item => ({item: item.id, data: itemText(item)})))],
})

const authorityOf = (records: Group["records"]): Statement[] =>
  records.flatMap(({record: {command}}) =>
    command.is === "authority" ? [{sql: "UPDATE workroom_head SET authority = ?", args: [command.to]}] : [],
  )
