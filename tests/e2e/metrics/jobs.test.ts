import {expect, test} from "vitest"
import {readHistoryOf} from "../../support/events/reader.ts"
import {makeProject, pluginWith, startHost, type TestHost, until} from "../../support/host/host.ts"
import {metricsOf} from "../../support/metrics/metrics.ts"

const secret = "canary-of-a-job-0123456789-abcdefghijklmnopqrstuvwxyz"

/** A job that fails with an error in which the secret crosses the point where the event's text is cut. */
const careless = pluginWith(`
    plugin.job("work", async run => {
      if (run.job === "bad") throw new Error("x".repeat(985) + config.key.reveal())
    })`).replace("setup(plugin)", "config: Type.Object({key: Type.Secret()}),\n  setup(plugin, config)")

const job = (id: string) => ({
  id,
  schedule: {cron: "0 0 1 1 *"},
  timezone: "UTC",
  target: {plugin: "careless", job: "work"},
})

const runsIn = async (host: TestHost) => {
  const page = await metricsOf(host)
  return ["succeeded", "failed", "cancelled", "skipped"].map(outcome => page.value("svc_job_runs_total", {outcome}))
}

test("job runs are counted by outcome across restarts, and their errors are masked before they are cut", async () => {
  const env = {JOB_KEY: secret}
  const project = makeProject({
    config: "http: {port: 0}\nplugins:\n  sandbox: {}\n  careless: {config: {key: '${JOB_KEY}'}}\n",
    plugins: {careless},
    files: {"data/schedule-jobs.json": JSON.stringify({version: 1, jobs: [job("good"), job("bad")]})},
  })
  const host = await startHost({own: true, project, env})
  expect(await runsIn(host)).toEqual([0, 0, 0, 0])
  for (const id of ["good", "bad"]) await host.post("/api/jobs/:id/run", {id})
  await until("the runs to end", async () => (await runsIn(host)).join() === "1,1,0,0")
  const told = (await readHistoryOf(host)).filter(({type}) => type === "job.failed")
  expect(told.length).toBe(1)
  const shown = JSON.stringify(told) + (await (await host.fetch("/api/runs")).text())
  expect(shown).toContain("xxx[secret]")
  expect(shown).not.toContain(secret.slice(0, 8))
  await host.stop("SIGKILL")
  expect(await runsIn(await startHost({project, env}))).toEqual([1, 1, 0, 0])
})
