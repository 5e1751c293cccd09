import {createHmac} from "node:crypto"
import {mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {pathToFileURL} from "node:url"
import {createClient} from "@libsql/client/sqlite3"
import {Webhook} from "standardwebhooks"

/**
 * What the durable path cannot do without: checks signatures and stores the messages, in groups of so many, each in one
 * durable statement. Prints messages per second and per CPU-second. Arguments: group, seconds.
 */
const [group = "100", seconds = "1"] = process.argv.slice(2)
const secret = Buffer.from("a secret of thirty-two bytes, yes").toString("base64")
const folder = mkdtempSync(join(tmpdir(), "svc-bench-"))
process.on("exit", () => rmSync(folder, {recursive: true, force: true}))

const signed = (n: number) => {
  const id = `msg_${n}`
  const body = JSON.stringify({text: id, channel: `c${n % 1000}`, user: "till"})
  const timestamp = String(Math.floor(Date.now() / 1000))
  const digest = createHmac("sha256", Buffer.from(secret, "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64")
  return {body, headers: {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${digest}`}}
}

const client = createClient({url: pathToFileURL(join(folder, "bulk.sqlite")).href, concurrency: 1})
await client.execute("PRAGMA journal_mode = WAL")
await client.execute("PRAGMA synchronous = FULL")
await client.execute(
  "CREATE TABLE inbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, event TEXT NOT NULL)",
)
const webhook = new Webhook(secret)

let stored = 0
const cpuMilliseconds = () => {
  const {user, system} = process.cpuUsage()
  return (user + system) / 1000
}

const storeGroup = async () => {
  const deliveries = Array.from({length: Number(group)}, (_, n) => signed(stored + n))
  const begun = {time: performance.now(), cpu: cpuMilliseconds()}
  const rows = deliveries.map(({body, headers}) => {
    webhook.verify(body, headers, {jsonParse: false})
    return [headers["webhook-id"], body]
  })
  await client.execute({
    sql: "INSERT INTO inbox (id, event) SELECT value ->> 0, value ->> 1 FROM json_each(?)",
    args: [JSON.stringify(rows)],
  })
  stored += rows.length
  return {time: performance.now() - begun.time, cpu: cpuMilliseconds() - begun.cpu}
}

const storeFor = async (duration: number) => {
  const before = stored
  let time = 0
  let cpu = 0
  while (time < duration) {
    const spent = await storeGroup()
    time += spent.time
    cpu += spent.cpu
  }
  return {rate: ((stored - before) / time) * 1000, perCpuSecond: ((stored - before) / cpu) * 1000}
}

await storeFor(300)
process.stdout.write(`${JSON.stringify(await storeFor(Number(seconds) * 1000))}\n`)
process.exit(0)
