import {join} from "node:path"
import {expect, test} from "vitest"
import {exit} from "../../../shared/exit.ts"
import {makeFolder, startHrana} from "../../support/database/databases.ts"
import {readinessOf} from "../../support/host/generation.ts"
import {type HostOptions, launchHost, startHost, type TestHost, until, untilPrinted} from "../../support/host/host.ts"
import {runtimes, type TestRuntime} from "../../support/host/runtimes.ts"
import {layCable} from "../../support/machine/cable.ts"
import {echoPlugin, handledAll, post} from "../../support/messages/inbox-ledger.ts"
import {parseMetrics} from "../../support/metrics/metrics.ts"

/** A remote database with connections that can hang, and options for a Host that waits that long for an answer. */
const behindCable = async (runtime: TestRuntime, timeout = "2s") => {
  const server = await startHrana({file: join(makeFolder(), "remote.sqlite")})
  const cable = await layCable(Number(new URL(server.url).port))
  const options: HostOptions = {
    runtime,
    args: ["--no-watch"],
    config: `http: {port: 0}
database: {dialect: libsql, url: "http://127.0.0.1:${cable.port}", timeout: ${timeout}}
plugins: {sandbox: {}, echo: {}}
`,
    plugins: {echo: echoPlugin},
  }
  return {server, cable, options}
}

/** Runs the work on all runtimes at once, because it mostly waits. */
const onEach = (work: (runtime: TestRuntime) => Promise<void>) => Promise.all(runtimes.map(work))

const databaseOf = async (host: TestHost) => {
  const {components} = await readinessOf(host)
  return components.find(({kind}) => kind === "database")
}

const untilUnreachable = async (host: TestHost) => {
  const isSaid = async () => (await databaseOf(host))?.reason === "database_unreachable"
  await until("the report to name the silent database", isSaid)
  expect((await host.fetch("/pub/ready")).status).toBe(503)
  expect((await host.fetch("/pub/health")).status).toBe(200)
}

const metricsOf = async (host: TestHost) => parseMetrics(await (await host.fetch("/api/metrics")).text())

test("a Host replaces database connections that hang, is not ready while none answers, and works again, on each runtime", async () => {
  await onEach(async runtime => {
    const {server, cable, options} = await behindCable(runtime)
    const host = await startHost(options)
    expect((await post(host, "before")).status).toBe(202)
    await handledAll(host)
    cable.stall()
    expect((await post(host, "during")).status).toBe(202)
    await handledAll(host)
    await untilPrinted(host.process, "did not answer: timed out after 2 s")
    await untilPrinted(host.process, /\bremote database answers\b/)
    expect((await metricsOf(host)).value("svc_database_unanswered_total")).toBeGreaterThan(0)
    cable.mute()
    await until("an event to be accepted", async () => (await post(host, "without answer")).status === 202)
    await handledAll(host)
    cable.stall("later")
    await untilUnreachable(host)
    cable.stall()
    await until("the Host to be ready again", async () => (await host.fetch("/pub/ready")).status === 200)
    expect((await post(host, "after")).status).toBe(202)
    await handledAll(host)
    expect((await host.stop()).code).toBe(exit.ok)
    const stored =
      "SELECT event_id AS id, (SELECT count(*) FROM outbox o WHERE o.inbox_seq = i.seq) AS answers FROM inbox i"
    const ids = ["before", "during", "without answer", "after"]
    expect(server.sql(`${stored} ORDER BY seq`)).toEqual(ids.map(id => ({id, answers: 1})))
  })
})

test("a Host that cannot renew its lease reports it, acknowledges nothing and exits with 75, on each runtime", async () => {
  await onEach(async runtime => {
    const {server, cable, options} = await behindCable(runtime, "10s")
    const host = await startHost(options)
    cable.stall("later")
    const began = performance.now()
    const [early, late] = [metricsOf(host), post(host, "late")]
    await untilUnreachable(host)
    expect((await early).value("svc_collect_failures_total", {part: "messages"})).toBeGreaterThan(0)
    const metrics = await metricsOf(host)
    expect(metrics.value("svc_database_failing")).toBe(1)
    expect(metrics.value("svc_probe_success", {probe: "ready"})).toBe(0)
    expect(metrics.value("svc_database_unanswered_total")).toBeGreaterThan(0)
    expect((await late).status).toBe(503)
    const {code, stdout} = await host.process.finished
    expect(code).toBe(exit.runtimeRestart)
    expect(performance.now() - began).toBeGreaterThan(10_000)
    expect(stdout).toMatch(/\blease\b.* 15 s\b.*\bcode=database_unanswered\b/)
    expect(stdout).not.toContain("lease_lost")
    expect(server.sql("SELECT event_id FROM inbox")).toEqual([])
  })
})

test("SIGTERM stops a Host with a hanging database, at runtime and at startup, on each runtime", async () => {
  await onEach(async runtime => {
    const {cable, options} = await behindCable(runtime)
    const host = await startHost(options)
    cable.stall("later")
    const unanswered = post(host, "late").catch(() => {})
    const {code, stdout} = await host.stop()
    expect({code, late: / stop within \d/.test(stdout)}).toEqual({code: exit.ok, late: false})
    await unanswered
    const before = cable.silent
    const next = launchHost({...options, project: host.project})
    await until("the start to query the database", () => cable.silent > before)
    next.process.child.kill("SIGTERM")
    expect((await next.process.finished).code).toBe(exit.ok)
  })
})
