import {readdirSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {Component, ReadinessReport} from "../../../shared/api/readiness.ts"
import {damagePage, damageTables} from "../../support/database/damage.ts"
import {truncations} from "../../support/database/displace.ts"
import {readinessOf} from "../../support/host/generation.ts"
import {expectProblem, makeProject, runProcess, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {runtimes, type TestRuntime} from "../../support/host/runtimes.ts"
import {echoPlugin, post, readLedger} from "../../support/messages/inbox-ledger.ts"

const config = `http: {port: 0}
database: {dialect: sqlite, filename: data/bot.sqlite}
alerts:
  every: 1s
  grace: 0s
  targets: {team: {endpoint: sandbox, channel: team}}
  items: {database_failing: {for: 0s}}
plugins: {sandbox: {}, echo: {}}
`

/**
 * While the disk is slow, another connection reads than the one that rescues what it has read. On a busy machine the
 * disk may become slow at the last event, and an empty log has nothing to lose.
 */
const env = {SVC_SLOW_DISK_FROM: "Infinity"}

const startFirst = async (runtime: TestRuntime) => {
  const project = makeProject({config, plugins: {echo: echoPlugin}})
  const host = await startHost({own: true, runtime, project, args: ["--no-watch"], env})
  for (let n = 0; n < 20; n++) expect((await post(host, `event ${n}`)).status).toBe(202)
  return {host, project, file: project.path("data/bot.sqlite")}
}

/** Starts a second Host on the project of a stopped one, so that the database file has everything. */
const startAgain = async (runtime: TestRuntime, ...damaged: readonly string[]) => {
  const {host, project, file} = await startFirst(runtime)
  await host.stop()
  await damageTables(file, ...damaged)
  return {host: await startHost({own: true, runtime, project, args: ["--no-watch"], env}), project, file}
}

const databaseIn = ({components}: ReadinessReport): Component | undefined =>
  components.find(({kind}) => kind === "database")

const untilNamed = (host: TestHost, ...tables: readonly string[]) =>
  until(
    `readiness to name ${tables}`,
    async () => {
      const {reason, message = ""} = databaseIn(await readinessOf(host)) ?? {}
      return reason === "database_damaged" && tables.every(table => message.includes(table))
    },
    60_000,
  )

describe.each(runtimes)("a Host on $name", runtime => {
  test("tells a damaged page by readiness, metric, alert and doctor, and admits events unless it is theirs", async () => {
    const {host, project, file} = await startAgain(runtime)
    await damageTables(file, "job_runs")
    await untilNamed(host, "job_runs")
    expect((await fetch(`${host.url}/pub/ready`)).status).toBe(503)
    expect(await (await host.fetch("/api/metrics")).text()).toMatch(/^svc_database_damaged 1$/m)
    await until("the alert", async () =>
      (await host.get("/api/alerts")).items.some(({code}) => code === "database_failing"),
    )
    const {remediation} = databaseIn(await readinessOf(host)) ?? {}
    expect(`${remediation?.command} ${remediation?.text}`).toMatch(
      /checkpoint create.*database rescue.*checkpoint restore/,
    )
    expect((await readinessOf(host)).ingress.state).toBe("open")
    expect((await post(host, "admitted")).status).toBe(202)

    await damageTables(file, "inbox_keys")
    const doctor = await svc(runtime, project, ["doctor"])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/^ERROR +database: .*inbox_keys.*job_runs/m)
    expect((await readinessOf(host)).ingress).toMatchObject({state: "paused", reasons: ["database"]})
    await expectProblem(await post(host, "refused"), 503, "ingress_paused")
  })

  test("tells pages that were damaged before its start when one is used, and the others too", async () => {
    const {host} = await startAgain(runtime, "metric_history", "workroom_told")
    await expectProblem(await host.fetch("/api/metrics/history?range=hour"), 503, "database_corrupt")
    expect(databaseIn(await readinessOf(host))?.reason).toBe("database_damaged")
    await untilNamed(host, "metric_history", "workroom_told")
  })

  test("tells pages that were damaged before its start and that nobody uses, a while after the start", async () => {
    const {host} = await startAgain(runtime, "job_run_totals")
    expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
    await untilNamed(host, "job_run_totals")
  })

  test("rescues what it still reads of a damaged file, and then stores nothing more", async () => {
    const {host, project, file} = await startAgain(runtime)
    // The Host has read this page, so its own connection still has it.
    await host.get("/api/database")
    await damageTables(file, "file_totals")
    await untilNamed(host, "file_totals")
    const told = await svc(runtime, project, ["database", "rescue"])
    expect(told).toMatchObject({code: 0, stderr: ""})
    expect((await post(host, "late")).status).toBe(503)
    const commands = told.stdout.split("\n").flatMap(line => (line.startsWith("  ") ? [line.trim()] : []))
    expect((await host.stop()).code).toBe(0)
    expect(readdirSync(project.path("data")).filter(name => name.startsWith("rescued-"))).toHaveLength(1)
    for (const command of commands.slice(1, -1))
      expect(await runProcess(["/bin/sh", "-c", command], {cwd: project.folder})).toMatchObject({code: 0, stderr: ""})
    const next = await startHost({own: true, runtime, project, args: ["--no-watch"]})
    expect(await next.post("/api/database/check")).toEqual({damaged: [], unchecked: []})
    await next.stop()
    expect((await readLedger(project.path("data/bot.sqlite"))).size).toBe(20)
  })
})

/** One way for each runtime in turn. `SVC_TEST_EACH_RUNTIME=1` runs each way on each runtime. */
const overwriting = {name: "the header is overwritten", displace: (file: string) => damagePage(file, 1)}
const cases = [...truncations, overwriting].flatMap((truncation, index) =>
  runtimes
    .filter((_, nth) => process.env.SVC_TEST_EACH_RUNTIME === "1" || nth === index % runtimes.length)
    .map(runtime => ({runtime, truncation, name: truncation.name, on: runtime.name})),
)

test.each(cases)("when $name under a Host on $on, it acknowledges nothing more and rescues the rest", async given => {
  const {host, project, file} = await startFirst(given.runtime)
  await until("the echoes to be sent", async () => (await countSent(host)) === 20)
  given.truncation.displace(file)
  // Only a look at the content can tell that a file of the same size and place was overwritten.
  if (given.truncation !== overwriting) expect((await post(host, "late")).status).toBe(503)
  await until("the reason", async () => databaseIn(await readinessOf(host))?.reason === "database_replaced")
  expect((await fetch(`${host.url}/pub/ready`)).status).toBe(503)
  expect((await post(host, "later")).status).toBe(503)
  expect((await svc(given.runtime, project, ["doctor"])).stdout).toMatch(/^ERROR +database: .*(truncated|overwritten)/m)
  expect(await svc(given.runtime, project, ["database", "rescue", "--to", "rescued.sqlite"])).toMatchObject({code: 0})
  await host.stop()
  expect((await readLedger(project.path("rescued.sqlite"))).size).toBe(20)
})

/** After the last one, the Host writes nothing. */
const countSent = async (host: TestHost): Promise<number> => {
  const {items} = await host.get("/api/outbox", {state: "sent", limit: 50})
  return items.length
}
