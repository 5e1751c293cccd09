import {closeSync, openSync, writeSync} from "node:fs"
import {pathToFileURL} from "node:url"
import {createClient} from "@libsql/client/sqlite3"

/** A leaf page of a table or of one of its indexes. */
export interface Leaf {
  readonly table: string
  readonly page: number
}

const pageSize = 4096

/** Returns the leaves in a database file. A Host in another process may have it open. */
export const leavesOf = async (file: string): Promise<readonly Leaf[]> => {
  const client = createClient({url: pathToFileURL(file).href})
  const {rows} = await client.execute(`SELECT s.tbl_name AS "table", d.pageno AS page FROM dbstat d
    JOIN sqlite_schema s ON s.name = d.name WHERE d.pagetype = 'leaf' ORDER BY d.pageno`)
  client.close()
  return rows.map(({table, page}) => ({table: String(table), page: Number(page)}))
}

/**
 * Overwrites the header of a page, as a failing disk or another program may. Only for a file that this process has not
 * opened: closing the descriptor would drop SQLite's locks on it.
 */
export const damagePage = (file: string, page: number): void => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, Buffer.alloc(8, 0xff), 0, 8, (page - 1) * pageSize)
  closeSync(descriptor)
}

/** Damages the first leaf of each of these tables in a file that another process may have open. */
export const damageTables = async (file: string, ...tables: readonly string[]): Promise<void> => {
  damageAt(file, await leavesOf(file), tables)
}

export const damageAt = (file: string, leaves: readonly Leaf[], tables: readonly string[]): void => {
  for (const table of tables) {
    const leaf = leaves.find(each => each.table === table)
    if (leaf === undefined) throw new Error(`${table} has no leaf`)
    damagePage(file, leaf.page)
  }
}
