import {v7 as uuid} from "uuid"
import {formatJobFile, parseJobFile} from "../../../../server/scheduler/job-file/job-file.ts"
import {Scheduler} from "../../../../server/scheduler/scheduler.ts"
import type {Job} from "../../../../shared/api/scheduled/jobs.ts"
import {log} from "../../../support/host/silence.ts"
import {openScratch} from "../../measure/scratch.ts"

/**
 * Measures ten thousand jobs on a real database in a separate process. Prints one JSON value in milliseconds and
 * megabytes: reading and checking the file, computing all due times, finding and claiming one due job by a clock that
 * the script advances, and the additional resident memory.
 */
const count = 10_000

/** 1,440 patterns in four timezones; one job has a due time that no other has. */
const zones = ["America/New_York", "Europe/London", "Australia/Lord_Howe", "UTC"]
const jobs = Array.from(
  {length: count},
  (_, index): Job => ({
    id: `job-${index}`,
    schedule: {cron: index === 0 ? "59 * * * * *" : `${index % 60} ${Math.floor(index / 60) % 24} 1 1 *`},
    timezone: zones[index % zones.length] ?? "UTC",
    target: {endpoint: "line", channel: "c", text: "t"},
  }),
)

const timed = async <T>(work: () => T | Promise<T>): Promise<{ms: number; value: T}> => {
  const begun = performance.now()
  const value = await work()
  return {ms: performance.now() - begun, value}
}

const collect = () => {
  if (typeof globalThis.gc === "function") globalThis.gc()
  return process.memoryUsage().rss / 1024 ** 2
}

const {database} = await openScratch()
let now = Date.parse("2026-05-01T12:00:00Z")
let wake = () => {}
let fired: () => void = () => {}
const target = {
  problem: () => undefined,
  fire: async () => {
    fired()
    return {statements: []}
  },
}
const scheduler = new Scheduler({
  database,
  log,
  runtimeId: uuid(),
  isPaused: () => false,
  scrub: text => text,
  targetOf: () => target,
  clock: {
    now: () => now,
    elapsed: () => now,
    togetherFor: 50,
    longestWait: 2 ** 31 - 1,
    wait: (_, call) => {
      wake = call
      return () => {}
    },
  },
})
const text = formatJobFile("a", jobs)
const before = collect()
const read = await timed(() => parseJobFile("schedule-jobs.json", text))
const start = await timed(() => scheduler.start(read.value.jobs))
await scheduler.settled()
const memory = collect() - before
const due: number[] = []
for (let round = 0; round < 200; round++) {
  now = scheduler.nextOf("job-0") ?? 0
  const begun = performance.now()
  const firing = new Promise<void>(resolve => {
    fired = resolve
  })
  wake()
  await firing
  due.push(performance.now() - begun)
  await scheduler.settled()
}
await scheduler.drain()
await database.close()
process.stdout.write(JSON.stringify({read: [read.ms], start: [start.ms], memory: [memory], due}))
