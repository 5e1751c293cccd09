import {existsSync} from "node:fs"
import {expect, test} from "vitest"
import type {CheckpointView} from "../../../shared/api/checkpoint.ts"
import {changeDatabase} from "../../support/database/databases.ts"
import {printed, printedJson} from "../../support/host/command-line.ts"
import {makeCheckpoint, plainConfig, startHost, type TestHost, until} from "../../support/host/host.ts"
import {metricsOf} from "../../support/metrics/metrics.ts"

const every = (time: string, keep = 2) => `${plainConfig}checkpoints:\n  every: ${time}\n  keep: ${keep}\n`

const listOf = async (host: TestHost) => (await host.get("/api/checkpoints")).items

const scheduledOf = async (host: TestHost) => (await listOf(host)).filter(({reason}) => reason === "schedule")

const hour = 3_600_000

test("the Host makes a checkpoint in each interval, keeps `keep` of them, and keeps all manual ones", async () => {
  const first = await startHost({config: plainConfig})
  await makeCheckpoint(first.project)
  await first.stop()
  first.project.write("svc.config.yml", every("1s", 1))
  const host = await startHost({project: first.project})
  const seen = new Set<string>()
  const count = async () => {
    for (const {id} of await scheduledOf(host)) seen.add(id)
    return seen.size >= 3
  }
  await until("three checkpoints", count, 120_000)
  await host.stop()
  const {items} = await printedJson<{items: CheckpointView[]}>(host.project, "checkpoint list")
  const scheduled = items.filter(({reason}) => reason === "schedule")
  expect(items.filter(({reason}) => reason === "operator").map(({state}) => state)).toEqual(["verified"])
  expect(scheduled.filter(({state}) => state === "verified").length).toBeGreaterThan(0)
  // One more may be under way, and one more is left if the Host stopped before it pruned.
  expect(scheduled.length).toBeLessThanOrEqual(3)
  const gone = [...seen].filter(id => !items.some(item => item.id === id))
  expect(gone).not.toEqual([])
  for (const id of gone) expect(existsSync(host.project.path(".svc/checkpoints", id))).toBe(false)
})

test("a checkpoint missed while the Host was stopped is made once at the next start", async () => {
  const config = every("24h")
  const host = await startHost({config})
  expect(await listOf(host)).toEqual([])
  await host.stop()
  await changeDatabase(
    host.project.path(".svc/data.sqlite"),
    `UPDATE svc_runs SET started_at = started_at - ${100 * hour}`,
  )
  const again = await startHost({project: host.project})
  await until("the missed checkpoint", async () => (await scheduledOf(again)).some(({state}) => state === "verified"))
  const made = await scheduledOf(again)
  await again.stop()
  const last = await startHost({project: host.project})
  await last.say("hello")
  expect(await scheduledOf(last)).toEqual(made)
  expect(made).toHaveLength(1)
})

test("a failed checkpoint shows in readiness, status and metrics until one succeeds, and older ones stay", async () => {
  const token = "a-long-token-of-the-test"
  const host = await startHost({
    config: every("1s", 1).replace("port: 0", "port: 0\n  token: ${HTTP_TOKEN}"),
    files: {".env": `HTTP_TOKEN=${token}\n`},
    env: {HTTP_TOKEN: token},
  })
  const failureOf = async (path: "/api/system/status" | "/api/system/readiness") =>
    (await host.get(path)).checkpointFailure
  await until("a verified checkpoint", async () => (await scheduledOf(host)).some(({state}) => state === "verified"))
  expect(await failureOf("/api/system/status")).toBeNull()
  host.project.write("bun.lock", `"x": "https://:${token}@registry.example"`)
  // A checkpoint that was already under way may fail as well, because the file appeared.
  const failure = await until("the failure", async () => {
    const found = await failureOf("/api/system/readiness")
    return found?.code === "checkpoint_secret" ? found : undefined
  })
  expect(failure.detail).toMatch(/\bbun\.lock\b.*\bHTTP_TOKEN\b/)
  expect(await failureOf("/api/system/status")).toMatchObject({code: "checkpoint_secret"})
  expect(await printed(host.project, "runtime status")).toMatch(/\bbun\.lock\b.*\bHTTP_TOKEN\b/)
  expect((await metricsOf(host)).value("svc_checkpoints_total", {outcome: "failed"})).toBeGreaterThan(0)
  const [spared] = await scheduledOf(host)
  expect(spared).toMatchObject({state: "verified"})
  const {checkpoint, ready} = await host.get("/api/system/readiness")
  expect([checkpoint?.id, ready]).toEqual([spared?.id, true])
  host.project.write("bun.lock", "clean")
  await until("the next checkpoint to succeed", async () => (await failureOf("/api/system/readiness")) === null)
  await until("the newer checkpoint", async () => (await scheduledOf(host))[0]?.id !== spared?.id)
  expect((await metricsOf(host)).value("svc_checkpoints_total", {outcome: "verified"})).toBeGreaterThan(1)
})
