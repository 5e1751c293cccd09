import {mkdirSync, rmSync} from "node:fs"
import {hostname} from "node:os"
import {describe, expect, test} from "vitest"
import {acquireLock} from "../../../server/runtime/lock.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {problems} from "../../../shared/problems.ts"
import {posting} from "../../support/host/client.ts"
import {readinessOf} from "../../support/host/generation.ts"
import {expectProblem, launchHost, startHost, svc, type TestHost, until, untilPrinted} from "../../support/host/host.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {bunAnd, bunOr, onBun, type TestRuntime} from "../../support/host/runtimes.ts"
import {fillDisk, mountDisk, needMounts} from "../../support/machine/disk.ts"
import {freePort} from "../../support/machine/ports.ts"
import {accept, echoPlugin, handledAll, post, readLedger} from "../../support/messages/inbox-ledger.ts"

const config = `http: {port: 0}
ingress: {minimumFree: 0}
database: {dialect: sqlite, filename: data/bot.sqlite}
plugins: {sandbox: {}, echo: {}}
`

const databaseOf = async (host: TestHost) => {
  const report = await readinessOf(host)
  return report.components.find(({kind}) => kind === "database")
}

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a full disk refuses events, loses none that was acknowledged, and accepts again with space", async context => {
    needMounts(context)
    const project = makeProject({config, plugins: {echo: echoPlugin}})
    const disk = mountDisk(project.path("data"), "2m")
    const host = await startHost({runtime, project})
    const acknowledged: string[] = []
    const refused: string[] = []
    const say = async (id: string, size: number) => {
      const response = await post(host, id, id.padEnd(size, "."), `channel ${id.length}${id.at(-1)}`)
      if (response.status === 202) return acknowledged.push(id)
      const problem = await expectProblem(response, 503, "database_full")
      expect(problem.detail).toMatch(/\bSQLITE_FULL\b|\bdisk is full\b/)
      expect(problem.hint).toContain(problems.database_full.hint)
      expect(JSON.stringify(problem)).not.toMatch(/\\n\s+at /)
      return refused.push(id)
    }

    for (let n = 0; refused.length === 0 && n < 200; n++) await say(`fill ${n}`, 30_000)
    expect(refused).toHaveLength(1)
    await Promise.all(Array.from({length: 30}, (_, n) => say(`burst ${n}`, 30_000)))
    expect(refused.length).toBeGreaterThan(5)

    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
    expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
    // A handler's small write may still fit. In that case the database's newest change is stored.
    const told = await until("the report to mention the full disk", async () => {
      await say(`large ${acknowledged.length + refused.length}`, 90_000)
      const component = await databaseOf(host)
      return component?.remediation !== undefined && component
    })
    expect(told).toMatchObject({
      check: "initialized",
      ready: true,
      message: expect.stringMatching(/: .*\bdisk is full\b/),
      remediation: {text: expect.stringContaining("Free space")},
    })

    disk.resize("32m")
    await accept(host, refused)
    expect(await databaseOf(host)).toMatchObject({ready: true})
    expect((await databaseOf(host))?.remediation).toBeUndefined()
    expect((await host.stop()).code).toBe(0)

    const ledger = await readLedger(project.path("data/bot.sqlite"))
    expect([...ledger.keys()].sort()).toEqual([...acknowledged, ...refused].sort())
    for (const entry of ledger.values()) expect(entry).toMatchObject({copies: 1, states: "handled", answers: 1})
  })
})

/** Starts a Host on a full disk. It answers its probes at this port and waits for space. */
const launchOnFull = async (project: Project, port: number, runtime: TestRuntime) => {
  const {process: running} = launchHost({runtime, project})
  await untilPrinted(running, /\bdisk is full \([^\n]*\): /)
  expect(running.output()).toContain(" .svc/verifications, ")
  const probe = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  await until("the port to be open", () =>
    probe("/pub/health")
      .then(() => true)
      .catch(() => false),
  )
  expect((await probe("/pub/health")).status).toBe(200)
  expect((await probe("/pub/ready")).status).toBe(503)
  expect((await expectProblem(await probe("/api/inbox"), 503, "starting")).detail).toMatch(/\bfree space\b/)
  const serves = () => until("the Host to be ready", async () => (await probe("/pub/ready")).status === 200)
  const end = async () => {
    running.child.kill("SIGTERM")
    const {code, stderr} = await running.finished
    expect({code, stderr}).toEqual({code: 0, stderr: ""})
  }
  return {running, serves, end}
}

const configAt = (port: number) => config.replace("port: 0", `port: ${port}`)

describe.each(bunAnd("node22"))("a disk that is full at startup, on $name", runtime => {
  test("keeps the first start waiting with its port open until there is space", async context => {
    needMounts(context)
    const port = await freePort()
    const project = makeProject({config: configAt(port), plugins: {echo: echoPlugin}})
    const disk = mountDisk(project.path("data"), "64k")
    const {running, serves, end} = await launchOnFull(project, port, runtime)
    expect(running.output()).toMatch(/\bSQLITE_FULL\b|\bdisk is full\b/)
    disk.resize("8m")
    await serves()
    await end()
  })

  test("keeps a later start waiting, and loses no acknowledged event", async context => {
    needMounts(context)
    const port = await freePort()
    const project = makeProject({config: configAt(port), plugins: {echo: echoPlugin}})
    const disk = mountDisk(project.path("data"), "2m")
    const host = await startHost({own: true, project, runtime})
    await accept(host, ["one", "two", "three"])
    await host.stop("SIGKILL")
    fillDisk(project.path("data"))
    const {serves, end} = await launchOnFull(project, port, runtime)
    disk.resize("8m")
    await serves()
    await end()
    const ledger = await readLedger(project.path("data/bot.sqlite"))
    expect([...ledger.keys()].sort()).toEqual(["one", "three", "two"])
    for (const entry of ledger.values()) expect(entry).toMatchObject({states: "handled", answers: 1})
  })

  test("keeps a start waiting if .svc/ has no space, counts it once, and does not delay a stop", async context => {
    needMounts(context)
    const port = await freePort()
    const project = makeProject({config: configAt(port), plugins: {echo: echoPlugin}})
    const disk = mountDisk(project.path(".svc"), "64k")
    fillDisk(project.path(".svc"))
    await (await launchOnFull(project, port, runtime)).end()
    const {serves, end} = await launchOnFull(project, port, runtime)
    disk.resize("8m")
    rmSync(project.path(".svc/filling"))
    await serves()
    expect(JSON.parse(project.read(".svc/starts.json")).starts).toHaveLength(1)
    await end()
  })
})

test("svc checkpoint prune frees a full disk while a Host waits for space, and the Host starts", async context => {
  needMounts(context)
  const port = await freePort()
  const project = makeProject({config: configAt(port), plugins: {echo: echoPlugin}})
  mountDisk(project.path(".svc"), "64m")
  const host = await startHost({own: true, project})
  for (let n = 0; n < 2; n++) expect((await svc(onBun, project, ["checkpoint", "create"])).code).toBe(0)
  await host.stop("SIGKILL")
  fillDisk(project.path(".svc"))
  const {serves, end} = await launchOnFull(project, port, onBun)
  const pruned = await svc(onBun, project, ["checkpoint", "prune", "--keep", "1"])
  expect(pruned).toMatchObject({code: 0, stderr: "", stdout: expect.stringContaining("deleted ")})
  await serves()
  await end()
})

test.each([
  ["checkpoint", "prune", "--keep", "1"],
  ["schedule", "list"],
])("svc %s %s waits for the end of an attempt to start", async (...command) => {
  const project = makeProject({config})
  mkdirSync(project.path(".svc"))
  const lock = await acquireLock(projectPaths(project.folder), {
    ...{kind: "host", hostname: hostname(), pid: process.pid, runtimeId: "waits for space"},
    ...{command: "svc runtime start", since: new Date().toISOString()},
  })
  const ran = svc(onBun, project, command)
  await new Promise(resolve => setTimeout(resolve, 1500))
  await lock.release()
  expect(await ran).toMatchObject({code: 0, stderr: ""})
})

describe.each(bunAnd("node22"))("on $name", runtime => {
  test("the Host keeps serving and storing while .svc/ is full, though reloads may fail", async context => {
    needMounts(context)
    const project = makeProject({config, plugins: {echo: echoPlugin}})
    mountDisk(project.path(".svc"), "16m")
    const host = await startHost({project, runtime, args: ["--no-watch"]})
    fillDisk(project.path(".svc"))
    for (let round = 0; round < 3; round++) {
      project.write("plugins/echo.ts", `${echoPlugin}\n// round ${round}\n`)
      const reload = await host.fetch("/api/system/reload", posting())
      expect([200, 422, 500, 503]).toContain(reload.status)
      expect((await host.fetch("/pub/health")).status).toBe(200)
      expect((await host.fetch("/pub/ready")).status).toBe(200)
      expect((await post(host, `full ${round}`)).status).toBe(202)
    }
    await handledAll(host)
    rmSync(project.path(".svc/filling"))
    project.write("plugins/echo.ts", `${echoPlugin}\n// after\n`)
    await host.post("/api/system/reload")
    expect((await post(host, "after")).status).toBe(202)
    await handledAll(host)
    const {code, stderr} = await host.stop()
    expect({code, stderr}).toEqual({code: 0, stderr: ""})
  })
})
