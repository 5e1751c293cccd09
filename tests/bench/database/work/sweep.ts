import {setTimeout as sleep} from "node:timers/promises"
import {openDatabase} from "../../../../server/database/database.ts"
import {sweepPart} from "../../../../server/database/retention/retention.ts"
import {inboxPart} from "../../../../server/inbox/upkeep/retention.ts"
import {cpuMilliseconds} from "../../measure/rate.ts"
import {percentile} from "../../measure/statistics.ts"

/**
 * Runs the inbox's retention on the database of a stopped project, with a writer beside it: first without retention,
 * then with it. Prints events per second, processor milliseconds per thousand events, and the writer's p99 of both
 * phases in milliseconds. Arguments: file, seconds.
 */
const [file = "", seconds = "10"] = process.argv.slice(2)
const stop = new AbortController()
const database = await openDatabase(
  {dialect: "sqlite", file},
  {runtimeId: "bench", signal: new AbortController().signal, onLeaseLost: () => {}},
)
await database.write([{sql: "CREATE TABLE IF NOT EXISTS writer (text TEXT)"}])

/** The p99 of small writes every few milliseconds. */
const writeFor = async (milliseconds: number): Promise<number> => {
  const times: number[] = []
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(5)) {
    const begun = performance.now()
    await database.write([{sql: "INSERT INTO writer VALUES (?)", args: ["x".repeat(200)]}])
    times.push(performance.now() - begun)
  }
  return percentile(times, 0.99)
}

/** Deletes all handled events; events that wait for a person stay. */
const limits = {age: undefined, rows: 0, undelivered: undefined, spareAfter: Number.MAX_SAFE_INTEGER}

/** Resolves to the number of events deleted until it was stopped, or until none were left. */
const sweep = async (): Promise<number> => {
  let dropped = 0
  const progress = (rows: number) => {
    dropped = rows
  }
  await sweepPart(database, inboxPart, limits, {now: Date.now(), signal: stop.signal, progress}).catch(error => {
    if (!stop.signal.aborted) throw error
  })
  return dropped
}

await writeFor(500)
const calmCpu = cpuMilliseconds()
const calm = await writeFor((Number(seconds) * 1000) / 2)
const writing = (cpuMilliseconds() - calmCpu) * 2
const [cpu, begun] = [cpuMilliseconds(), performance.now()]
const sweeping = sweep()
const busy = await writeFor(Number(seconds) * 1000)
stop.abort()
const dropped = await sweeping
const rate = (dropped / (performance.now() - begun)) * 1000
// Excludes the writer's own processor time.
const cost = ((cpuMilliseconds() - cpu - writing) * 1000) / dropped
await database.close()
process.stdout.write(`${JSON.stringify({rate, cost, calm, busy})}\n`)
process.exit(0)
