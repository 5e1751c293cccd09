import {mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {pathToFileURL} from "node:url"
import {createClient} from "@libsql/client/sqlite3"
import {openDatabase} from "../../../../server/database/database.ts"
import {EventLog} from "../../../../server/events/log.ts"
import {log} from "../../../support/host/silence.ts"

/**
 * Appends events durably in groups: with the event log, and with the bare driver, which uses one statement per group on
 * a table with the same columns. Prints events per second of each. Arguments: group, seconds.
 */
const [group = "100", seconds = "1"] = process.argv.slice(2)
const size = Number(group)
const folder = mkdtempSync(join(tmpdir(), "svc-bench-"))
process.on("exit", () => rmSync(folder, {recursive: true, force: true}))

const data = {number: 1, reason: "requested", plugins: ["greeter"]}

const rateOf = async (append: () => Promise<unknown>): Promise<number> => {
  for (let time = 0; time < 50; time++) await append()
  const begun = performance.now()
  let groups = 0
  while (performance.now() - begun < Number(seconds) * 1000) {
    await append()
    groups++
  }
  return (groups * size) / ((performance.now() - begun) / 1000)
}

const own = async (): Promise<number> => {
  const database = await openDatabase(
    {dialect: "sqlite", file: join(folder, "own.sqlite")},
    {runtimeId: "bench", signal: new AbortController().signal, onLeaseLost: () => {}},
  )
  const events = new EventLog(database, log)
  await events.start()
  const rate = await rateOf(async () => {
    for (let n = 0; n < size; n++) events.raise("generation.committed", data)
    await events.settled()
  })
  await database.close()
  return rate
}

const bare = async (): Promise<number> => {
  const client = createClient({url: pathToFileURL(join(folder, "bare.sqlite")).href, concurrency: 1})
  await client.execute("PRAGMA journal_mode = WAL")
  await client.execute("PRAGMA synchronous = FULL")
  await client.execute(
    `CREATE TABLE events (offset INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, at INTEGER NOT NULL,
      context INTEGER, endpoint TEXT, run_id TEXT, data TEXT NOT NULL)`,
  )
  return rateOf(() => {
    const rows = Array.from({length: size}, () => ["generation.committed", Date.now(), JSON.stringify(data)])
    return client.execute({
      sql: `INSERT INTO events (type, at, context, data)
        SELECT value ->> 0, value ->> 1, 1, value ->> 2 FROM json_each(?)`,
      args: [JSON.stringify(rows)],
    })
  })
}

process.stdout.write(`${JSON.stringify({own: await own(), bare: await bare()})}\n`)
process.exit(0)
