import {existsSync, readdirSync, renameSync, rmSync, statSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {Rescued} from "../../../shared/api/database.ts"
import {type Displacement, displacements} from "../../support/database/displace.ts"
import {readinessOf} from "../../support/host/generation.ts"
import {expectProblem, makeProject, posting, startHost, svc, type TestHost} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"
import {runProcess, until, untilPrinted} from "../../support/host/process.ts"
import {onBun, runtimes, type TestRuntime} from "../../support/host/runtimes.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"
import {echoPlugin, post, readLedger} from "../../support/messages/inbox-ledger.ts"

const database = "database: {dialect: sqlite, filename: data/bot.sqlite}\n"
const config = `http: {port: 0}\n${database}plugins: {sandbox: {}, echo: {}}\n`

/** One way for each runtime in turn. `SVC_TEST_EACH_RUNTIME=1` runs each way on each runtime. */
const cases = displacements.flatMap((displacement, index) =>
  runtimes
    .filter((_, nth) => process.env.SVC_TEST_EACH_RUNTIME === "1" || nth === index % runtimes.length)
    .map(runtime => ({runtime, displacement, name: displacement.name, on: runtime.name})),
)

const startOn = (runtime: TestRuntime) =>
  startHost({runtime, project: makeProject({config, plugins: {echo: echoPlugin}}), args: ["--no-watch"]})

/** Posts side by side until several events are refused, and displaces the file. Resolves to the ids of every 2xx. */
const postThrough = async (host: TestHost, {displace}: Displacement): Promise<readonly string[]> => {
  const acknowledged: string[] = []
  let refused = 0
  let next = 0
  const poster = async (channel: number) => {
    while (refused < 20 && next < 20_000) {
      const id = `event ${next++}`
      const {status} = await post(host, id, id, `channel ${channel}`)
      if (status === 202) acknowledged.push(id)
      else {
        expect(status).toBe(503)
        refused++
      }
    }
  }
  const posters = Promise.all(Array.from({length: 8}, (_, channel) => poster(channel)))
  await until("a hundred events to be acknowledged", () => acknowledged.length >= 100)
  displace(host.project.path("data/bot.sqlite"))
  await posters
  expect(refused).toBeGreaterThanOrEqual(20)
  return acknowledged
}

const expectHeld = async (host: TestHost): Promise<void> => {
  expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
  expect((await fetch(`${host.url}/pub/ready`)).status).toBe(503)
  const report = await readinessOf(host)
  expect(report.components.find(({kind}) => kind === "database")).toMatchObject({
    ready: false,
    required: true,
    reason: "database_replaced",
    remediation: {command: "svc database rescue"},
  })
  expect(report.ingress).toMatchObject({state: "paused", reasons: ["database"]})
  const metrics = await (await host.fetch("/api/metrics")).text()
  expect(metrics).toMatch(/^svc_database_replaced 1$/m)
  expect(metrics).toMatch(/^svc_ingress_paused\{reason="database"\} 1$/m)
  await untilPrinted(host.process, /\b(removed|replaced) while\b/)
}

describe.each(cases)("under load, $name, on $on", ({runtime, displacement}) => {
  test("a rescue holds every acknowledged event, and the printed commands put it in place", async () => {
    const host = await startOn(runtime)
    const {project} = host
    const acknowledged = await postThrough(host, displacement)
    await expectHeld(host)
    await expectProblem(await post(host, "late"), 503, "ingress_paused")
    const refused = await host.fetch("/api/outbox", posting({endpoint: "sandbox", channel: "chat", text: "late"}))
    expect(refused.status).toBe(503)

    const told = await svc(runtime, project, ["database", "rescue"])
    expect(told).toMatchObject({code: 0, stderr: ""})
    const commands = told.stdout.split("\n").flatMap(line => (line.startsWith("  ") ? [line.trim()] : []))
    expect(commands.at(0)).toBe("svc runtime stop")
    expect(commands.at(-1)).toMatch(/^svc runtime start /)
    expect((await host.stop()).code).toBe(0)
    expect(readdirSync(project.path("data")).filter(name => name.startsWith("rescued-"))).toHaveLength(1)
    for (const command of commands.slice(1, -1))
      expect(await runProcess(["/bin/sh", "-c", command], {cwd: project.folder})).toMatchObject({code: 0, stderr: ""})

    const next = await startHost({runtime, project, args: ["--no-watch"]})
    expect((await next.fetch("/pub/ready")).status).toBe(200)
    expect((await post(next, "after")).status).toBe(202)
    await next.stop()
    const ledger = await readLedger(project.path("data/bot.sqlite"))
    for (const id of [...acknowledged, "after"]) expect(ledger.get(id), id).toMatchObject({copies: 1})
  })
})

describe.each(runtimes)("an idle Host on $name after its database was removed", runtime => {
  test("notices it, and on SIGTERM writes the rescue and exits 0", async () => {
    const host = await startOn(runtime)
    const {project} = host
    for (const id of ["one", "two", "three"]) expect((await post(host, id)).status).toBe(202)
    const {id} = await host.post("/api/outbox", {body: {endpoint: "sandbox", channel: "chat", text: "kept"}})
    expect(id).toBeDefined()
    renameSync(project.path("data"), project.path("elsewhere"))
    await until("the Host to be not ready", async () => (await fetch(`${host.url}/pub/ready`)).status === 503)
    await expectHeld(host)
    const {code, stdout} = await host.stop()
    expect(code).toBe(0)
    expect(stdout).toMatch(/rescued \d+ rows/)
    const [name = "", ...others] = readdirSync(project.path("data"))
    expect(others).toEqual([])
    expect(statSync(project.path("data", name)).mode & 0o777).toBe(0o600)
    expect([...(await readLedger(project.path("data", name))).keys()].sort()).toEqual(["one", "three", "two"])
  })
})

test("svc database rescue refuses an unsuitable path, and a database that is still in place", async () => {
  const host = await startOn(onBun)
  const {project} = host
  const rescue = (...args: string[]) => svc(onBun, project, ["database", "rescue", ...args])
  const needless = await rescue()
  expect({code: needless.code, problems: problemsIn(needless.stderr)}).toEqual({
    code: 1,
    problems: ["rescue_not_needed"],
  })
  rmSync(project.path("data/bot.sqlite"))
  await until("the Host to be not ready", async () => (await fetch(`${host.url}/pub/ready`)).status === 503)
  // SQLite would apply the WAL beside it to a new file with the old name.
  for (const end of ["", "-wal"]) {
    const refused = await rescue("--to", `data/bot.sqlite${end}`)
    expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining("cannot rescue into")})
  }
  expect((await rescue("--to", "nowhere/rescued.sqlite")).code).toBe(1)
  const {stdout} = await rescue("--to", "rescued.sqlite", "--json")
  expect(JSON.parse(stdout) as Rescued).toMatchObject({
    path: project.path("rescued.sqlite"),
    database: project.path("data/bot.sqlite"),
  })
  // The rescue is already written, so the Host does not write another one.
  expect((await host.stop()).stdout).not.toContain("before it exits")
  expect(existsSync(project.path("rescued.sqlite"))).toBe(true)
})

test("a Host that cannot write the rescue on shutdown logs clearly that the data is lost", async context => {
  needMounts(context)
  const host = await startOn(onBun)
  const {project} = host
  rmSync(project.path("data/bot.sqlite"))
  for (const folder of ["data", ".svc"]) mountDisk(project.path(folder), "4k")
  const {stdout} = await host.stop()
  expect(stdout).toMatch(/NOT RESCUED: .*\bbot\.sqlite\b/)
})
