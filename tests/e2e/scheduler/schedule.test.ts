import {rmSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {JobView, RunView} from "../../../shared/api/scheduled/jobs.ts"
import {clientAt} from "../../support/host/client.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {bunOr, expectProblem, launchHost, pluginWith, startHost, type TestHost} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {makeProject, type Project} from "../../support/host/project.ts"

const twoRuntimes = bunOr("node22")
const file = "data/schedule-jobs.json"
const config = "http: {port: 0}\nplugins: {sandbox: {}, team: {}}\n"

/** Sends `say`, notes the run, waits while a file `hold` exists, and fails if `say` is "fail". */
const team = pluginWith(`
    plugin.database.migrate([{name: "one", up: table => ["CREATE TABLE " + table("digests") + " (run TEXT)"]}])
    plugin.job("digest", {data: Type.Object({say: Type.String()})}, async run => {
      await run.send({endpoint: "sandbox", channel: "team"}, run.data.say)
      await run.database.write([{sql: "INSERT INTO " + run.database.table("digests") + " VALUES (?)", args: [run.runId]}])
      note(run.job + " " + run.trigger)
      while (existsSync(join(plugin.project, "hold")) && !run.signal.aborted) await sleep(10)
      if (run.data.say === "fail") throw new Error("it was told to fail")
    })
    plugin.command("digests", async ({session}) => {
      const [row] = await session.database.read("SELECT count(*) AS n FROM " + session.database.table("digests"))
      return String(row.n)
    })`)

const digest = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  schedule: {cron: "0 0 1 1 *"},
  timezone: "Europe/London",
  target: {plugin: "team", job: "digest", data: {say: id}},
  ...more,
})

/** A job that is due every second, so that a test need not wait. */
const often = {schedule: {cron: "* * * * * *"}}

const fileOf = (jobs: readonly unknown[], authority?: string) =>
  JSON.stringify({version: 1, ...(authority === undefined ? {} : {authority}), jobs}, undefined, 2)

const projectWith = (jobs: readonly unknown[]) => makeProject({config, plugins: {team}, files: {[file]: fileOf(jobs)}})

const authorityIn = (project: Project): unknown => JSON.parse(project.read(file)).authority

const jobsOf = (host: TestHost) => host.get("/api/jobs")

const runsOf = async (host: TestHost, job?: string, state?: string) =>
  (await host.get("/api/runs", {job, state})).items.filter(run => run.kind === "job")

const untilRun = (host: TestHost, job: string): Promise<RunView> =>
  until(`a run of ${job}`, async () => (await runsOf(host, job, "succeeded"))[0])

const run = async (host: TestHost, id: string) => (await host.post("/api/jobs/:id/run", {id})).id

const ended = (host: TestHost, runId: string): Promise<RunView> =>
  until("the run to end", async () => {
    const view = await host.get("/api/runs/:id", {id: runId})
    return view.kind === "job" && view.endedAt !== null && view
  })

const saidIn = async (host: TestHost, channel: string): Promise<readonly string[]> => {
  const {items} = await host.get("/api/outbox", {limit: 100})
  return items.filter(item => item.channel === channel).map(({text}) => text)
}

describe.each(twoRuntimes)("on $name", runtime => {
  test("jobs from a handwritten file send messages and run a plugin's job with its sends and writes", async () => {
    const message = {target: {endpoint: "sandbox", channel: "room", text: "tick"}, ...often}
    const host = await startHost({runtime, project: projectWith([digest("message", message), digest("plugin", often)])})
    const {authority} = await host.get("/api/system/status")
    expect(authorityIn(host.project)).toBe(authority)
    const done = await untilRun(host, "plugin")
    expect(done).toMatchObject({trigger: "schedule", reason: null, runtimeId: host.runtimeId})
    await untilRun(host, "message")
    expect(await saidIn(host, "room")).toContain("tick")
    expect(await saidIn(host, "team")).toContain("plugin")
    const due = (await runsOf(host)).map(({job, scheduledFor}) => `${job} ${scheduledFor}`)
    expect(new Set(due).size).toBe(due.length)
    expect(due.every(text => text.endsWith(".000Z"))).toBe(true)
    expect(Number((await host.say("/digests"))[0])).toBeGreaterThan(0)
  })

  test("a run that a kill interrupts is failed, is not repeated, and has sent nothing", async () => {
    const project = projectWith([digest("slow")])
    project.write("hold", "")
    const host = await startHost({own: true, runtime, project})
    const runId = await run(host, "slow")
    await until("the run to begin", () => project.read("notes.log").includes("slow manual"))
    await host.stop("SIGKILL")
    rmSync(project.path("hold"))
    const second = await startHost({own: true, runtime, project})
    expect(await ended(second, runId)).toMatchObject({
      state: "failed",
      reason: "host_restarted",
      runtimeId: host.runtimeId,
    })
    await untilPrinted(second.process, /\binterrupted\b/)
    const again = await run(second, "slow")
    expect(await ended(second, again)).toMatchObject({state: "succeeded", runtimeId: second.runtimeId})
    expect(project.read("notes.log").trim().split("\n")).toEqual(["slow manual", "slow manual"])
    expect(await saidIn(second, "team")).toEqual(["slow"])
    expect(await second.say("/digests")).toEqual(["1"])
  })
})

test("a manual edit is applied, and an invalid one is refused with its position", async () => {
  const project = projectWith([digest("ticking", often)])
  const host = await startHost({project})
  const whole = project.read(file)
  project.write(file, whole.replace('"Europe/London"', '"Europe/Londn"'))
  const refused = await until("the refusal", async () => {
    const {file: state} = await jobsOf(host)
    // A file is empty for a moment while it is being written.
    return state.refused?.issues?.[0]?.includes("is empty") ? undefined : (state.refused ?? undefined)
  })
  expect(refused.issues).toEqual([
    expect.stringMatching(/^data\/schedule-jobs\.json:\d+:\d+ jobs\[0\]\.timezone: .*did you mean "Europe\/London"\?/),
  ])
  await untilPrinted(host.process, /\bcurrent jobs\b/)
  expect(await printed(project, "schedule list")).toMatch(/\bdata\/schedule-jobs\.json\b.*\bnot in effect\b/)
  const {stderr} = await runCommand(project, "schedule pause ticking")
  expect(stderr).toContain("jobs[0].timezone")
  expect(project.read(file)).toContain("Europe/Londn")
  const [before] = await runsOf(host)
  await until("the jobs to keep running", async () => (await runsOf(host))[0]?.runId !== before?.runId)

  project.write(file, "")
  await until("the next refusal", async () => (await jobsOf(host)).file.refused?.issues?.[0]?.includes("is empty"))
  rmSync(project.path(file))
  await until("the refusal of a missing file", async () =>
    (await jobsOf(host)).file.refused?.detail.includes("is missing"),
  )
  expect((await jobsOf(host)).items).toHaveLength(1)

  project.write(file, whole.replace('"ticking"', '"other"'))
  await until("the edit", async () => (await jobsOf(host)).items[0]?.id === "other")
  expect((await jobsOf(host)).file.refused).toBeNull()
  await untilRun(host, "other")
})

describe("a start refuses, without changing it,", () => {
  const startedWith = async () => {
    const host = await startHost({project: projectWith([digest("one")])})
    await host.stop()
    return host
  }
  const refusal = async (project: Project): Promise<string> => {
    const {code, stderr} = await launchHost({project}).process.finished
    expect(code).toBe(1)
    expect(stderr).toContain("hint: ")
    return stderr
  }

  test("a damaged job file", async () => {
    const {project} = await startedWith()
    const damaged = project.read(file).slice(0, -20)
    project.write(file, damaged)
    expect(await refusal(project)).toMatch(/data\/schedule-jobs\.json:\d+:\d+ expected/)
    expect(project.read(file)).toBe(damaged)
  })

  test("a missing job file, with the content to put there for no jobs", async () => {
    const {project} = await startedWith()
    rmSync(project.path(file))
    const text = await refusal(project)
    expect(text).toContain("data/schedule-jobs.json is missing")
    project.write(file, /put (\{.*\}) there/.exec(text)?.[1] ?? "")
    expect((await jobsOf(await startHost({project}))).items).toEqual([])
  })

  test("a job file without an authority if the previous one named it", async () => {
    const {project} = await startedWith()
    const own = String(authorityIn(project))
    project.write(file, fileOf([digest("one")]))
    const text = await refusal(project)
    expect(text).toContain("names no authority")
    project.write(file, fileOf([digest("one")], /"authority": "(.*?)"/.exec(text)?.[1]))
    await startHost({project})
    expect(authorityIn(project)).toBe(own)
  })
})

test("while ingress is paused no job fires, and runs that came due count as missed", async () => {
  const host = await startHost({
    project: projectWith([digest("ticking", often), digest("caught", {...often, missed: "once"})]),
  })
  await untilRun(host, "ticking")
  await host.post("/api/ingress/pause")
  // A run that was claimed while ingress was being paused stays queued until ingress is open. It counts as open.
  await until("the running jobs to end", async () => (await runsOf(host, undefined, "running")).length === 0)
  await expectProblem(await host.fetch("/api/jobs/ticking/run", {method: "POST"}), 503, "ingress_paused")
  const paused = await runsOf(host)
  await new Promise(resolve => setTimeout(resolve, 2200))
  expect(await runsOf(host)).toEqual(paused)
  await host.post("/api/ingress/resume")
  await until("the missed run to be recorded", async () =>
    (await runsOf(host, "ticking", "skipped")).some(({reason}) => reason === "missed"),
  )
  await until("the catch-up run of the other job", async () =>
    (await runsOf(host, "caught")).some(({trigger}) => trigger === "catch_up"),
  )
})

test("a failed or cancelled run sends nothing, and a failed one shows its error", async () => {
  const project = projectWith([
    digest("bad", {target: {plugin: "team", job: "digest", data: {say: "fail"}}}),
    digest("unfit", {target: {plugin: "team", job: "digest", data: {}}}),
    digest("nobody", {target: {plugin: "nobody", job: "digest"}}),
    digest("slow"),
  ])
  const host = await startHost({project})
  const error = expect.stringMatching(/^it was told to fail \(plugins\/team\.ts:16:\d+\)$/)
  expect(await ended(host, await run(host, "bad"))).toMatchObject({state: "failed", error})
  expect(await ended(host, await run(host, "unfit"))).toMatchObject({state: "failed", reason: "request_invalid"})
  expect(await ended(host, await run(host, "nobody"))).toMatchObject({state: "failed", reason: "job_unknown"})
  expect((await jobsOf(host)).items.find(({id}) => id === "nobody")?.problem).toContain("no plugin nobody")
  project.write("hold", "")
  const slow = await run(host, "slow")
  await until("the run to begin", () => project.read("notes.log").includes("slow"))
  await expectProblem(await host.fetch("/api/jobs/slow/run", {method: "POST"}), 409, "conflict")
  expect(await printed(project, `schedule cancel ${slow}`)).toContain("is cancelled")
  rmSync(project.path("hold"))
  await until("the job to end", async () => (await host.get("/api/jobs/:id", {id: "slow"})).openRuns === 0)
  expect(await host.get("/api/runs/:id", {id: slow})).toMatchObject({state: "cancelled", reason: "requested"})
  expect(await saidIn(host, "team")).toEqual([])
  await expectProblem(await host.fetch(`/api/runs/${slow}/cancel`, {method: "POST"}), 409, "run_state")
})

test.each(twoRuntimes)("svc schedule edits, shows and runs jobs, Host stopped or running, on $name", async runtime => {
  const project = makeProject({config, plugins: {team}})
  const add = ["schedule", "add", "standup", "--cron", "0 9 * * MON-FRI", "--timezone", "Europe/London"]
  const message = ["--endpoint", "sandbox", "--channel", "#team", "--text", "Stand-up"]
  expect(await printed(project, [...add, ...message], runtime)).toMatch(
    /id +standup\n.*schedule +cron 0 9 \* \* MON-FRI/s,
  )
  expect((await runCommand(project, [...add, ...message], runtime)).stderr).toContain("job standup")
  expect(authorityIn(project)).toBeUndefined()

  const host = await startHost({runtime, project})
  expect(authorityIn(project)).toBe((await host.get("/api/system/status")).authority)
  expect(await printed(project, "schedule next standup --count 2", runtime)).toMatch(
    /^Europe\/London +here \(.*\) +fires at\n.* 09:00 \+0[01]:00 /,
  )
  const wrong = ["schedule", "add", "bad", "--every", "1h", "--timezone", "UTC", "--plugin", "team", "--job", "nope"]
  expect((await runCommand(project, wrong, runtime)).stderr).toContain("no plugin team declares a job nope")
  const past = ["schedule", "add", "old", "--at", "2020-01-01T00:00", "--timezone", "UTC", ...message]
  expect((await runCommand(project, past, runtime)).stderr).toMatch(/ 2020-01-01T00:00 /)
  await printed(project, "schedule edit standup --jitter 5m --missed once", runtime)
  await printed(project, "schedule edit standup --clear jitter", runtime)
  await printed(project, "schedule pause standup", runtime)
  const {items} = await printedJson<{items: JobView[]}>(project, "schedule list", runtime)
  expect(items).toMatchObject([{id: "standup", enabled: false, missed: "once", nextAt: null}])
  expect(items[0]).not.toHaveProperty("jitter")
  await printed(project, "schedule resume standup", runtime)
  const {id: runId} = await printedJson<{id: string}>(project, "schedule run standup", runtime)
  expect(await ended(host, runId)).toMatchObject({state: "succeeded", trigger: "manual"})
  expect(await printed(project, "schedule runs standup", runtime)).toContain(`${runId}  standup`)
  expect(await printed(project, "schedule run standup", runtime)).toMatch(/\bstandup\b/)
  await host.stop()

  expect(await printed(project, "schedule list", runtime)).toMatch(/\bno Host\b/)
  expect(problemsIn((await runCommand(project, "schedule run standup", runtime)).stderr)).toEqual(["host_unreachable"])
  expect(await printed(project, "schedule remove standup", runtime)).toContain("removed standup")
  expect((await jobsOf(await startHost({runtime, project}))).items).toEqual([])
})

test.each(twoRuntimes)("the calendar and jobs' last runs are served on $name, also to a demo token", async runtime => {
  const zoned = "http: {port: 0, demoToken: '${DEMO_TOKEN}'}\nplugins: {sandbox: {}, team: {}}\n"
  const jobs = [
    digest("nightly", {schedule: {cron: "30 1 * * *"}}),
    digest("off", {schedule: {cron: "0 * * * *"}, enabled: false}),
    digest("yearly"),
  ]
  const project = makeProject({config: zoned, plugins: {team}, files: {[file]: fileOf(jobs)}})
  const demoToken = "demo-token-of-the-calendar"
  const host = await startHost({runtime, project, env: {DEMO_TOKEN: demoToken}})
  const span = {from: "2045-03-25T00:00:00Z", days: 2, timezone: "Europe/Berlin"}
  const calendar = await host.get("/api/calendar", span)
  expect(calendar).toMatchObject({timezone: "Europe/Berlin", complete: true})
  expect(calendar.days.map(({date, changes, jobs: coming}) => [date, changes.length, coming.length])).toEqual([
    ["2045-03-25", 0, 1],
    ["2045-03-26", 2, 1],
  ])
  expect(calendar.days[1]?.jobs[0]).toMatchObject({job: "nightly", times: [{local: "2045-03-26 02:00 +01:00"}]})
  const soon = await host.get("/api/calendar")
  expect(soon.days).toHaveLength(7)
  expect(soon.days.flatMap(day => day.jobs.map(({job}) => job))).toContain("nightly")
  for (const wrong of ["timezone=Nowhere/Land", "from=yesterday", "days=32"])
    await expectProblem(await host.fetch(`/api/calendar?${wrong}`), 400, "request_invalid")

  // This uses the yearly job, because the nightly one fires if the test runs at its time.
  expect(await host.get("/api/jobs/:id", {id: "yearly"})).toMatchObject({lastRun: null})
  const runId = await run(host, "yearly")
  const {endedAt} = await ended(host, runId)
  const lastRun = {runId, state: "succeeded", reason: null, endedAt}
  expect(await host.get("/api/jobs/:id", {id: "yearly"})).toMatchObject({lastRun})
  const others = (await jobsOf(host)).items.filter(({id}) => id !== "nightly")
  expect(others.map(each => each.lastRun)).toEqual([null, lastRun])
  expect(await host.post("/api/jobs/:id/pause", {id: "yearly"})).toMatchObject({enabled: false, lastRun})
  expect(await host.post("/api/jobs/:id/pause", {id: "nightly"})).toMatchObject({enabled: false})
  const demo = await clientAt(host.url, demoToken).get("/api/calendar", span)
  expect(demo.days[1]?.jobs).toEqual([])
})

test("a job with a work item as its target adds one item at each run", async () => {
  const item = {title: "Water the plants", labels: ["office"], assignee: "user:ann"}
  const host = await startHost({project: projectWith([digest("plants", {target: {item}})])})
  expect(await ended(host, await run(host, "plants"))).toMatchObject({state: "succeeded"})
  expect(await host.get("/api/workroom/items")).toMatchObject({items: [{...item, state: "open", createdBy: "host"}]})
})
