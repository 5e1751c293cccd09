import {rmSync} from "node:fs"
import {expect, test} from "vitest"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import {expectProblem, startHost, type TestHost} from "../../support/host/host.ts"
import {until} from "../../support/host/process.ts"
import {makeProject} from "../../support/host/project.ts"
import {bunOr} from "../../support/host/runtimes.ts"
import {fillDisk, mountDisk, needMounts} from "../../support/machine/disk.ts"
import {echoPlugin, handledAll, post, readLedger} from "../../support/messages/inbox-ledger.ts"

const config = `http:
  port: 0
ingress:
  minimumFree: 0
database:
  dialect: sqlite
  filename: data/bot.sqlite
plugins:
  sandbox: {}
  echo: {}
`

const databaseOf = async (host: TestHost) => {
  const report = (await (await host.fetch("/api/system/readiness")).json()) as ReadinessReport
  return report.components.find(({kind}) => kind === "database")
}

test.for(bunOr("node24"))(
  "on $name, a full disk refuses events, loses none that was acknowledged, and the Host goes on once there is space",
  async (runtime, context) => {
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
      expect(problem.detail).toContain("database or disk is full")
      expect(problem.hint).toContain("Free space on the disk of the database")
      expect(JSON.stringify(problem)).not.toMatch(/\\n\s+at /)
      return refused.push(id)
    }

    for (let n = 0; refused.length === 0 && n < 200; n++) await say(`fill ${n}`, 30_000)
    expect(refused).toHaveLength(1)
    await Promise.all(Array.from({length: 30}, (_, n) => say(`burst ${n}`, 30_000)))
    expect(refused.length).toBeGreaterThan(5)

    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
    expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
    // A small change of a handler may still have found its place, and then the newest one is stored.
    const told = await until("the report to tell of it", async () => {
      await say(`large ${acknowledged.length + refused.length}`, 90_000)
      const component = await databaseOf(host)
      return component?.message !== "The database is initialized." && component
    })
    expect(told).toMatchObject({
      check: "initialized",
      ready: true,
      message: expect.stringMatching(/the newest change was not stored: .*database or disk is full/),
      remediation: {text: expect.stringContaining("Free space")},
    })

    disk.resize("32m")
    for (const id of refused) expect((await post(host, id)).status).toBe(202)
    await handledAll(host)
    expect(await databaseOf(host)).toMatchObject({ready: true, message: "The database is initialized."})
    expect((await host.stop()).code).toBe(0)

    const ledger = await readLedger(project.path("data/bot.sqlite"))
    expect([...ledger.keys()].sort()).toEqual([...acknowledged, ...refused].sort())
    for (const entry of ledger.values()) expect(entry).toMatchObject({copies: 1, states: "handled", answers: 1})
  },
)

test("a disk that is full at the first start is refused, and the start succeeds once there is space", async context => {
  needMounts(context)
  const project = makeProject({config, plugins: {echo: echoPlugin}})
  const disk = mountDisk(project.path("data"), "64k")
  const failed = await startHost({project}).catch(error => String(error))
  expect(failed).toMatch(/database or disk is full[^\n]*\n {2}hint: Free space on the disk of the database/)
  expect(failed).not.toMatch(/svc:[\s\S]*\n\s+at .*server/)
  disk.resize("8m")
  const host = await startHost({project})
  expect((await post(host, "first")).status).toBe(202)
})

test("a Host whose disk is full when it starts again says so, and loses nothing that was acknowledged", async context => {
  needMounts(context)
  const project = makeProject({config, plugins: {echo: echoPlugin}})
  const disk = mountDisk(project.path("data"), "2m")
  const host = await startHost({project})
  for (const id of ["one", "two", "three"]) expect((await post(host, id)).status).toBe(202)
  await handledAll(host)
  await host.stop("SIGKILL")
  fillDisk(project.path("data"))
  const failed = String(await startHost({project}).catch(error => error))
  expect(failed).toMatch(/svc: [^\n]*(full|disk I\/O error)[^\n]*\n {2}hint: /)
  expect(failed).not.toMatch(/svc:[\s\S]*\n\s+at .*server/)
  disk.resize("8m")
  const next = await startHost({project})
  expect((await next.stop()).code).toBe(0)
  const ledger = await readLedger(project.path("data/bot.sqlite"))
  expect([...ledger.keys()].sort()).toEqual(["one", "three", "two"])
  for (const entry of ledger.values()) expect(entry).toMatchObject({states: "handled", answers: 1})
})

test("a state folder on a full disk is refused, with what to do", async context => {
  needMounts(context)
  const project = makeProject({config, plugins: {echo: echoPlugin}})
  const disk = mountDisk(project.path(".svc"), "64k")
  fillDisk(project.path(".svc"))
  const failed = String(await startHost({project}).catch(error => error))
  expect(failed).toMatch(
    /svc: cannot (write|lock) [^\n]*\.svc\/[^\n]*\n {2}hint: Make \.svc\/ a folder .* on a disk with free space/,
  )
  disk.resize("8m")
  rmSync(project.path(".svc/filling"))
  expect((await (await startHost({project})).fetch("/pub/ready")).status).toBe(200)
})
