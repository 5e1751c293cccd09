import {pathToFileURL} from "node:url"
import {createClient} from "@libsql/client/sqlite3"

/** A foreign process that is changing a database: `hold-database.ts <file>`. Prints `held`; ends when killed. */
const client = createClient({url: pathToFileURL(process.argv[2] ?? "").href, concurrency: 1, timeout: 5000})
const transaction = await client.transaction("write")
process.stdout.write("held\n")
// The timer keeps the process alive, and the closure keeps the transaction: a collected one would release its lock.
setInterval(() => transaction.closed, 60_000)
