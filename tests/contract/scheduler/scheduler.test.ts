import {join} from "node:path"
import {Value} from "typebox/value"
import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {settlingRestoredJobs} from "../../../server/scheduler/run-rows.ts"
import {Calculator} from "../../../server/scheduler/times/calculator.ts"
import {localClock} from "../../../server/scheduler/times/local-clock.ts"
import type {Firing, Job} from "../../../shared/api/scheduled/jobs.ts"
import {eventTypes, isEventType} from "../../../shared/events/events.ts"
import {retentionOf} from "../../support/capacity/retention.ts"
import {engines, localDatabase, memoryFolder, open, until} from "../../support/database/databases.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"
import {jobOf, runsIn, type SchedulerParts, schedulerOn} from "../../support/scheduler/jobs.ts"

const localBase = async () => open(await localDatabase())

const started = async (
  jobs: readonly Job[],
  from: string,
  {longestWait, ...more}: Partial<SchedulerParts> & {database?: Database; longestWait?: number} = {},
) => {
  const database = more.database ?? (await localBase())
  const clock = new HandClock(from, longestWait)
  const parts = schedulerOn(database, {clock, ...more})
  await parts.scheduler.start(jobs)
  await parts.settle()
  return {database, clock, ...parts, passTo: (to: string) => clock.passTo(to, parts.settle)}
}

/** For tests in which nobody sets the clock back. */
const aDay = 86_400_000

/** Jobs at a quarter of an hour that a clock change in 2028 skips or repeats. */
const nights = {
  "new-york": {timezone: "America/New_York", schedule: {cron: "15 2 * * *"}},
  london: {timezone: "Europe/London", schedule: {cron: "15 1 * * *"}},
  "lord-howe": {timezone: "Australia/Lord_Howe", schedule: {cron: "45 1 * * *"}},
  casablanca: {timezone: "Africa/Casablanca", schedule: {cron: "30 2 * * *"}},
}

test("a leap year of nights in four timezones fires each night once, through every clock change", async () => {
  const jobs = Object.entries(nights).map(([id, when]) => jobOf(id, when))
  const leap = jobOf("leap", {timezone: "Europe/London", schedule: {cron: "0 9 29 2 *"}})
  // The time printed below does not include the disk.
  const database = await open({dialect: "sqlite", file: join(memoryFolder(), "data.sqlite")})
  const [begun, worked] = [performance.now(), process.cpuUsage()]
  const {fired, passTo} = await started([...jobs, leap], "2028-01-01T12:00:00Z", {database, longestWait: aDay})
  await passTo("2029-01-01T12:00:00Z")
  const seconds = (performance.now() - begun) / 1000
  const {user, system} = process.cpuUsage(worked)
  const work = `${((user + system) / 1e6).toFixed(2)} s of them work`
  process.stdout.write(`a year: ${fired.length} durable runs in ${seconds.toFixed(2)} s, ${work}\n`)
  for (const {id, timezone} of jobs) {
    const times = fired.filter(text => text.startsWith(id)).map(text => Date.parse(`${text.split(" ")[1]}Z`))
    const {show} = localClock(timezone)
    expect({id, days: new Set(times.map(at => show(at).slice(0, 10))).size}).toEqual({id, days: 366})
    expect(times).toHaveLength(366)
  }
  expect(fired.filter(text => text.startsWith("leap"))).toEqual(["leap 2028-02-29T09:00"])
  expect((await runsIn(database)).filter(run => !run.endsWith("succeeded"))).toEqual([])
})

describe.each(engines)("on $name", ({make}) => {
  test("a Host that was stopped for a day obeys each policy", async () => {
    const location = await make()
    const jobs = (["skip", "once", "all"] as const).map(missed =>
      jobOf(missed, {missed, schedule: {cron: "0 */6 * * *"}}),
    )
    const first = await started(jobs, "2026-05-01T01:00:00Z", {database: await open(location)})
    await first.passTo("2026-05-01T07:00:00Z")
    await first.scheduler.drain()
    await first.database.close()
    expect([...first.fired].sort()).toEqual(["all 2026-05-01T06:00", "once 2026-05-01T06:00", "skip 2026-05-01T06:00"])

    const second = await started(jobs, "2026-05-02T07:00:00Z", {database: await open(location)})
    expect((await runsIn(second.database)).slice(3).sort()).toEqual([
      "all 2026-05-01T12:00 catch_up succeeded",
      "all 2026-05-01T18:00 catch_up succeeded",
      "all 2026-05-02T00:00 catch_up succeeded",
      "all 2026-05-02T06:00 catch_up succeeded",
      "once 2026-05-02T06:00 catch_up succeeded",
      "skip 2026-05-02T06:00 skipped missed",
    ])
    expect(second.fired.filter(text => text.startsWith("all"))).toEqual(
      ["01T12", "01T18", "02T00", "02T06"].map(time => `all 2026-05-${time}:00`),
    )
    const caughtUp = second.fired.length
    await second.passTo("2026-05-02T12:00:00Z")
    expect(second.fired.slice(caughtUp)).toHaveLength(3)
  })
})

test("a due time during a pause of ingress is missed, and an earlier claim waits", async () => {
  let paused = false
  const {clock, scheduler, fired, database, settle, passTo} = await started(
    [jobOf("skip"), jobOf("once", {missed: "once"})],
    "2026-05-01T08:30:00Z",
    {isPaused: () => paused},
  )
  await passTo("2026-05-01T09:00:00Z")
  paused = true
  scheduler.ingressChanged()
  await passTo("2026-05-01T11:20:00Z")
  expect(fired).toHaveLength(2)
  expect(clock.waiting).toBe(0)
  paused = false
  scheduler.ingressChanged()
  await settle()
  await passTo("2026-05-01T11:59:00Z")
  expect((await runsIn(database)).slice(2)).toEqual([
    "skip 2026-05-01T11:00 skipped missed",
    "once 2026-05-01T11:00 catch_up succeeded",
  ])
  await passTo("2026-05-01T12:00:00Z")
  expect(fired.slice(3)).toEqual(["skip 2026-05-01T12:00", "once 2026-05-01T12:00"])
})

test("a clock that is set back fires nothing twice and loses nothing", async () => {
  const {clock, fired, passTo} = await started([jobOf("hourly")], "2026-05-01T08:30:00Z")
  await passTo("2026-05-01T10:00:00Z")
  clock.set("2026-05-01T09:00:00Z")
  await passTo("2026-05-01T10:59:00Z")
  expect(fired).toEqual(["hourly 2026-05-01T09:00", "hourly 2026-05-01T10:00"])
  await passTo("2026-05-01T12:30:00Z")
  expect(fired.slice(2)).toEqual(["hourly 2026-05-01T11:00", "hourly 2026-05-01T12:00"])
})

test("a clock set forward by an hour is noticed within half a minute, and skipped times are missed", async () => {
  const jobs = [jobOf("skip", {schedule: {every: "20m"}}), jobOf("all", {missed: "all", schedule: {every: "20m"}})]
  const {clock, database, passTo} = await started(jobs, "2026-05-01T09:05:00Z")
  clock.set("2026-05-01T10:05:00Z")
  await passTo("2026-05-01T10:05:31Z")
  expect([...(await runsIn(database))].sort()).toEqual([
    "all 2026-05-01T09:20 catch_up succeeded",
    "all 2026-05-01T09:40 catch_up succeeded",
    "all 2026-05-01T10:00 catch_up succeeded",
    "skip 2026-05-01T10:00 skipped missed",
  ])
  clock.set("2026-05-01T09:06:00Z")
  await passTo("2026-05-01T10:40:30Z")
  expect((await runsIn(database)).slice(4)).toEqual(
    ["skip", "all", "skip", "all"].map((id, index) => `${id} 2026-05-01T10:${index < 2 ? "20" : "40"} succeeded`),
  )
})

test("a due time beyond the reach of a timer still comes", async () => {
  const {fired, passTo} = await started([jobOf("once", {schedule: {at: "2026-07-01T09:00"}})], "2026-05-01T00:00:00Z", {
    longestWait: 2 ** 31 - 1,
  })
  await passTo("2026-06-30T00:00:00Z")
  expect(fired).toEqual([])
  await passTo("2027-01-01T00:00:00Z")
  expect(fired).toEqual(["once 2026-07-01T09:00"])
})

test("jitter delays a run without changing its due time", async () => {
  const job = jobOf("late", {jitter: "30m"})
  const {scheduler, fired, clock, passTo} = await started([job], "2026-05-01T08:30:00Z")
  const [coming] = new Calculator().coming(job, 1, clock.now())
  expect(coming?.due).toBe(Date.parse("2026-05-01T09:00:00Z"))
  expect(coming?.at).toBeGreaterThan(coming?.due ?? 0)
  expect(scheduler.nextOf("late")).toBe(coming?.at)
  await passTo(new Date((coming?.at ?? 0) - 1000).toISOString())
  expect(fired).toEqual([])
  await passTo(new Date((coming?.at ?? 0) + 1000).toISOString())
  expect(fired).toEqual(["late 2026-05-01T09:00"])
  expect(clock.now()).toBeLessThan(Date.parse("2026-05-01T09:31:00Z"))
})

describe("while a run is open,", () => {
  const slow = async (overlap: "skip" | "queue") => {
    const gate = Promise.withResolvers<void>()
    const jobs = [jobOf("slow", {overlap, schedule: {every: "1m"}})]
    const parts = await started(jobs, "2026-05-01T09:00:30Z", {fire: () => gate.promise.then(() => undefined)})
    // Running jobs do not end while time passes, so only the claims are awaited.
    const passTo = (to: string) => parts.clock.passTo(to, parts.claim)
    return {...parts, gate, passTo}
  }

  test("overlap: skip skips due times, with that reason", async () => {
    const {gate, fired, database, settle, passTo} = await slow("skip")
    await passTo("2026-05-01T09:03:00Z")
    await until("the run to start", () => fired.length === 1)
    gate.resolve()
    await settle()
    expect(await runsIn(database)).toEqual([
      "slow 2026-05-01T09:01 succeeded",
      "slow 2026-05-01T09:02 skipped overlap",
      "slow 2026-05-01T09:03 skipped overlap",
    ])
  })

  test("overlap: queue runs due times one after the other, ten at most", async () => {
    const {gate, settle, fired, database, passTo} = await slow("queue")
    await passTo("2026-05-01T09:13:00Z")
    await until("the run to start", () => fired.length === 1)
    gate.resolve()
    await settle()
    expect(fired).toHaveLength(11)
    expect([...fired].sort()).toEqual(fired)
    expect((await runsIn(database)).slice(11)).toEqual([
      "slow 2026-05-01T09:12 skipped queue_full",
      "slow 2026-05-01T09:13 skipped queue_full",
    ])
  })

  test("a cancellation stores none of its results", async () => {
    const gate = Promise.withResolvers<void>()
    const statement = {sql: "INSERT INTO svc_meta (key, value) VALUES ('left', 'behind')", args: []}
    let signal: AbortSignal | undefined
    const parts = await started([jobOf("slow")], "2026-05-01T08:59:00Z", {
      fire: (firing: Firing) => {
        signal = firing.signal
        return gate.promise.then(() => ({statements: [statement]}))
      },
    })
    await parts.clock.passTo("2026-05-01T09:00:00Z", parts.claim)
    await until("the run to start", () => signal !== undefined)
    const [row] = await parts.database.read("SELECT run_id FROM job_runs")
    await parts.scheduler.runner.cancel(String(row?.run_id))
    expect(signal?.aborted).toBe(true)
    gate.resolve()
    await parts.settle()
    expect(await runsIn(parts.database)).toEqual(["slow 2026-05-01T09:00 cancelled requested"])
    expect(await parts.database.read("SELECT 1 FROM svc_meta WHERE key = 'left'")).toEqual([])
    await expect(parts.scheduler.runner.cancel(String(row?.run_id))).rejects.toMatchObject({code: "run_state"})
    await expect(parts.scheduler.runner.cancel("none")).rejects.toMatchObject({code: "run_unknown"})
  })
})

test("a target that throws or sends invalid statements fails its run without a retry", async () => {
  const {fired, database, passTo} = await started([jobOf("bad"), jobOf("refused")], "2026-05-01T08:30:00Z", {
    fire: ({job}) => {
      if (job === "bad") throw new Error("no")
      return {statements: [{sql: "INSERT INTO nowhere VALUES (1)"}]}
    },
  })
  await passTo("2026-05-01T09:30:00Z")
  expect(fired).toHaveLength(2)
  expect([...(await runsIn(database))].sort()).toEqual([
    "bad 2026-05-01T09:00 failed error",
    "refused 2026-05-01T09:00 failed database_refused",
  ])
})

test("the event log reports each change of a run, in the batch of the change", async () => {
  const jobs = [jobOf("good"), jobOf("bad"), jobOf("skipped", {schedule: {every: "20m"}})]
  const {clock, database, settle, passTo} = await started(jobs, "2026-05-01T08:59:00Z", {
    fire: ({job}) => {
      if (job === "bad") throw new Error("no")
      return undefined
    },
  })
  await passTo("2026-05-01T09:00:00Z")
  clock.set("2026-05-01T09:30:00Z")
  await clock.passTo("2026-05-01T09:30:31Z", settle)
  const rows = await database.read(
    `SELECT e.type, e.data, r.job, r.scheduled_for FROM events e JOIN job_runs r USING (run_id) WHERE e.type LIKE 'job.%' ORDER BY e.offset`,
  )
  const told = rows.map(({type, data, job, scheduled_for}) => {
    const value: unknown = JSON.parse(String(data))
    const known = String(type)
    expect(isEventType(known) && [...Value.Errors(eventTypes[known].data, value)]).toEqual([])
    expect(value).toMatchObject({job, scheduledFor: new Date(Number(scheduled_for)).toISOString()})
    return `${job} ${type}`
  })
  expect([...told].sort()).toEqual([
    "bad job.failed",
    "bad job.started",
    "good job.started",
    "good job.succeeded",
    "skipped job.skipped",
    "skipped job.started",
    "skipped job.succeeded",
  ])
})

test("a job that is new, changed or enabled again fires nothing that was due before", async () => {
  const hourly = jobOf("hourly", {missed: "all"})
  const {scheduler, clock, fired, settle, passTo} = await started([hourly], "2026-05-01T08:30:00Z")
  await passTo("2026-05-01T09:00:00Z")
  await scheduler.apply([{...hourly, enabled: false}])
  await passTo("2026-05-01T11:30:00Z")
  await scheduler.apply([hourly, jobOf("new", {missed: "all"})])
  await settle()
  expect(fired).toEqual(["hourly 2026-05-01T09:00"])
  await passTo("2026-05-01T12:00:00Z")
  expect(fired.slice(1)).toEqual(["hourly 2026-05-01T12:00", "new 2026-05-01T12:00"])
  await scheduler.apply([jobOf("hourly", {missed: "all", schedule: {cron: "30 * * * *"}})])
  await passTo("2026-05-01T13:10:00Z")
  expect(fired.slice(3)).toEqual(["hourly 2026-05-01T12:30"])
  // A change elsewhere in the job does not touch its due times.
  await scheduler.apply([jobOf("hourly", {missed: "skip", label: "other", schedule: {cron: "30 * * * *"}})])
  await clock.passTo("2026-05-01T13:30:00Z", settle)
  expect(fired.slice(4)).toEqual(["hourly 2026-05-01T13:30"])
})

test("queued runs of a removed or disabled job are cancelled", async () => {
  let paused = false
  const jobs = [jobOf("kept"), jobOf("removed"), jobOf("off")]
  const database = await localBase()
  const {scheduler, settle} = await started(jobs, "2026-05-01T08:30:00Z", {database, isPaused: () => paused})
  paused = true
  for (const {id} of jobs) await scheduler.runNow(id)
  await database.write([{sql: "UPDATE job_runs SET cause = 'schedule', scheduled_for = scheduled_for + seq"}])
  await scheduler.drain()
  paused = false
  const again = await started([jobOf("kept"), jobOf("off", {enabled: false})], "2026-05-01T08:40:00Z", {database})
  await settle()
  expect(again.fired.map(text => text.split(" ")[0])).toEqual(["kept"])
  expect((await runsIn(database)).map(text => text.replace(/ \S+/, ""))).toEqual([
    "kept succeeded",
    "removed cancelled job_removed",
    "off cancelled job_paused",
  ])
})

test("a restored project fires no past due time, and its open runs have failed", async () => {
  const jobs = [jobOf("all", {missed: "all"})]
  const first = await started(jobs, "2026-05-01T08:30:00Z", {fire: () => new Promise(() => {})})
  await first.clock.passTo("2026-05-01T09:00:00Z", first.claim)
  await until("the run to start", () => first.fired.length === 1)
  await first.database.write(settlingRestoredJobs(Date.parse("2026-05-03T10:30:00Z")))
  const second = await started(jobs, "2026-05-03T10:30:05Z", {database: first.database})
  expect(second.fired).toEqual([])
  expect(await runsIn(first.database)).toEqual(["all 2026-05-01T09:00 failed restored"])
  await second.passTo("2026-05-03T11:00:00Z")
  expect(second.fired).toEqual(["all 2026-05-03T11:00"])
})

test("runs older than 90 days are deleted, and a job's last considered time stays", async () => {
  const {database, fired, passTo} = await started(
    [jobOf("daily", {schedule: {cron: "0 9 * * *"}})],
    "2026-01-01T00:00:00Z",
    {longestWait: aDay},
  )
  await passTo("2026-07-01T00:00:00Z")
  // The rows are created now, under the test's clock.
  await database.write([{sql: "UPDATE job_runs SET created_at = scheduled_for, ended_at = scheduled_for"}])
  await retentionOf(database).sweep(Date.parse("2026-07-01T00:00:00Z"))
  const kept = await runsIn(database)
  expect(kept).toHaveLength(90)
  expect(kept.at(-1)).toBe("daily 2026-06-30T09:00 succeeded")
  await passTo("2026-07-03T00:00:00Z")
  expect(fired).toHaveLength(183)
})
