import {writeSync} from "node:fs"
import {openUnmigrated} from "../../../server/database/database.ts"

/**
 * Stores batches of rows, several at a time: `write-acknowledged.ts <file> <batches>`. Prints the number of each
 * acknowledged batch. Halfway it truncates the log, after which SQLite itself syncs for a few commits.
 */
const [file = "", batches = "0"] = process.argv.slice(2)
const rowsOfBatch = 8
const writers = 3

const database = await openUnmigrated(
  {dialect: "sqlite", file},
  {runtimeId: "writer", signal: new AbortController().signal, onLeaseLost: () => {}},
)
let next = 0

const write = async (): Promise<void> => {
  while (next < Number(batches)) {
    const batch = next++
    const text = String.fromCharCode(97 + (batch % 26)).repeat(3500)
    const sql = "INSERT INTO notes (writer, n) VALUES (?, ?)"
    const rows = Array.from({length: rowsOfBatch}, () => ({sql, args: [text, batch]}))
    // A batch whose sync failed is not acknowledged, and is not stored again.
    const isStored = await database
      .write(rows)
      .then(() => true)
      .catch(() => false)
    if (isStored) writeSync(1, `${batch}\n`)
    if (batch === Math.floor(Number(batches) / 2)) await database.truncateLog().catch(() => {})
  }
}

await Promise.all(Array.from({length: writers}, write))
// A loss of power: nothing is closed.
process.kill(process.pid, "SIGKILL")
