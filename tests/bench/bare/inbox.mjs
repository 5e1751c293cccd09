/**
 * The work of the durable path's yardsticks: check the signature of each message, and store a group with one insert.
 */
import {mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {pathToFileURL} from "node:url"
import {createClient} from "@libsql/client/sqlite3"
import {Webhook} from "standardwebhooks"

/** Uses the reference library as documented. */
const isSigned = (webhook, {id, timestamp, signature, body}) => {
  try {
    webhook.verify(
      body,
      {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature},
      {jsonParse: false},
    )
    return true
  } catch {
    return false
  }
}

export const openInbox = async secret => {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"))
  process.on("exit", () => rmSync(folder, {recursive: true, force: true}))
  process.on("SIGTERM", () => process.exit(0))
  const webhook = new Webhook(secret)
  const client = createClient({url: pathToFileURL(join(folder, "inbox.sqlite")).href, concurrency: 1})
  await client.execute("PRAGMA journal_mode = WAL")
  await client.execute("PRAGMA synchronous = FULL")
  await client.execute(
    "CREATE TABLE inbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, event TEXT NOT NULL)",
  )
  let group = []
  const store = async () => {
    const stored = group
    group = []
    await client.execute({
      sql: "INSERT INTO inbox (id, event) SELECT value ->> 0, value ->> 1 FROM json_each(?)",
      args: [JSON.stringify(stored.map(({row}) => row))],
    })
    for (const {answer} of stored) answer(202)
  }
  return (message, answer) => {
    if (!isSigned(webhook, message)) return answer(401)
    // Messages of one turn of the event loop share a commit.
    if (group.push({row: [message.id, message.body], answer}) === 1) setImmediate(() => void store())
  }
}
