import {mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {type Database, openDatabase} from "../../../../server/database/database.ts"
import {Recorder, type Totals} from "../../../../server/metrics/history/recorder.ts"
import {day, hour, minute} from "../../../../server/metrics/history/spans.ts"
import {readPages} from "../../../../server/project/capacity/growth.ts"
import {secondsBuckets} from "../../../../shared/metrics/meter.ts"
import {log} from "../../../support/host/silence.ts"

/**
 * Stores messages in groups, alternately with a row of the metric history after every few groups and without any; then
 * stores 90 days of history alone. Prints messages per second of processor time, the processor time of a row, and
 * bytes. Arguments: groups, endpoints.
 */
const [groups = "800", endpoints = "5"] = process.argv.slice(2)

/** The messages per group, and the groups between two rows: a Host needs a second for them if it does nothing else. */
const size = 100
const perRow = 40

const folder = mkdtempSync(join(tmpdir(), "svc-bench-"))
process.on("exit", () => rmSync(folder, {recursive: true, force: true}))

const opened = (name: string, isScratch = false): Promise<Database> =>
  openDatabase(
    {dialect: "sqlite", file: join(folder, `${name}.sqlite`)},
    {runtimeId: "bench", signal: new AbortController().signal, onLeaseLost: () => {}, isScratch},
  )

/** A Host whose every minute has messages of all lengths, with all endpoints online. */
const historyOf = (database: Database) => {
  let now = Date.parse("2027-03-01T00:00:00Z")
  let count = 0
  const states = Object.fromEntries(Array.from({length: Number(endpoints)}, (_, n) => [`line~${n}`, {online: 60}]))
  const totals = async (): Promise<Totals> => {
    const counts = [...secondsBuckets, 0].map((_, index) => count * (index + 1))
    const [received, handled, failed, sent, unsent] = [count * 240, count * 240, count, count * 239, count]
    return {received, handled, failed, sent, unsent, bytes: 1e8, memory: 1e8, handlers: counts, commits: counts}
  }
  const take = () => ({ran: 60, delay: 12, endpoints: states, subjects: {}})
  const watch = {start: () => {}, look: () => {}, stop: () => {}, take}
  const recorder = new Recorder({database, log, totals, watch, now: () => now})
  return async (after: number) => {
    now += after
    count++
    await recorder.record()
  }
}

const spent = (): number => {
  const {user, system} = process.cpuUsage()
  return (user + system) / 1e6
}

const event = JSON.stringify({
  type: "message-created",
  channel: {id: "channel", type: 0},
  user: {id: "user", name: "somebody"},
  message: {id: "1", content: "what somebody says to a bot, in a sentence of a usual length"},
})

const store = `INSERT INTO inbox (endpoint, event_id, conversation, type, received_at, event)
  SELECT 'line', value, 'line/channel', 'message-created', ?, ? FROM json_each(?)`

let stored = 0

/** Messages per second of processor time. */
const rateOf = async (database: Database, record?: (after: number) => Promise<void>): Promise<number> => {
  const before = spent()
  for (let group = 1; group <= Number(groups); group++) {
    const ids = Array.from({length: size}, () => String(++stored))
    await database.write([{sql: store, args: [Date.now(), event, JSON.stringify(ids)]}])
    if (group % perRow === 0) await record?.(minute)
  }
  return (Number(groups) * size) / (spent() - before)
}

const busy = await opened("busy")
const record = historyOf(busy)
await rateOf(busy, record)
const begun = spent()
for (let n = 0; n < 5 * perRow; n++) await record(minute)
const rowSeconds = (spent() - begun) / (5 * perRow)
const [usedBefore, storedBefore] = [(await readPages(busy)).used, stored]
const rates = {without: await rateOf(busy), with: await rateOf(busy, record)}
const messageBytes = ((await readPages(busy)).used - usedBefore) / (stored - storedBefore)
await busy.close()

// Only its size counts, so it never waits for the disk.
const old = await opened("old", true)
const before = (await readPages(old)).used
const recordOld = historyOf(old)
const minutesOfDay = day / minute
for (let n = 0; n < minutesOfDay; n++) await recordOld(minute)
const dayBytes = (await readPages(old)).used - before
// Earlier days have only hours: one row each.
for (let n = 0; n < (87 * day) / hour; n++) await recordOld(hour)
for (let n = 0; n < 2 * minutesOfDay; n++) await recordOld(minute)
const wholeBytes = (await readPages(old)).used - before
const [rows] = await old.read("SELECT count(*) AS count FROM metric_history")
await old.close()

process.stdout.write(
  `${JSON.stringify({...rates, messageBytes, rowSeconds, dayBytes, wholeBytes, rows: Number(rows?.count)})}\n`,
)
process.exit(0)
