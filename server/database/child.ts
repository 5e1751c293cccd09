import {chmodSync, closeSync, fsyncSync, openSync, renameSync} from "node:fs"
import {dirname} from "node:path"
import {pathToFileURL} from "node:url"
import {createClient} from "@libsql/client/sqlite3"

/**
 * A process of its own for long work on the database file, so that the Host's event loop and its writer go on:
 * `snapshot <database> <partial> <target>` copies it, under the first name until the copy is whole; `check <database>`
 * runs quick_check. Prints one JSON value.
 */
const [task, database = "", partial = "", target = ""] = process.argv.slice(2)

const open = async () => {
  const client = createClient({url: pathToFileURL(database).href, concurrency: 1, timeout: 2000})
  await client.execute("PRAGMA wal_autocheckpoint=0")
  await client.execute("PRAGMA synchronous=OFF")
  return client
}

const sync = (path: string) => {
  const file = openSync(path, "r")
  fsyncSync(file)
  closeSync(file)
}

const snapshot = async () => {
  const client = await open()
  await client.execute({sql: "VACUUM INTO ?", args: [partial]})
  client.close()
  chmodSync(partial, 0o600)
  sync(partial)
  renameSync(partial, target)
  sync(dirname(target))
  return {ok: true}
}

const check = async () => {
  const client = await open()
  const {rows} = await client.execute("PRAGMA quick_check(10)")
  const findings = rows.map(row => String(row.quick_check)).filter(text => text !== "ok")
  const versions = await client.execute("SELECT max(version) AS version FROM svc_migrations").catch(() => undefined)
  client.close()
  return {ok: findings.length === 0, findings, schema: Number(versions?.rows[0]?.version ?? 0)}
}

try {
  process.stdout.write(JSON.stringify(task === "snapshot" ? await snapshot() : await check()))
} catch (error) {
  process.stdout.write(JSON.stringify({ok: false, findings: [error instanceof Error ? error.message : String(error)]}))
}
