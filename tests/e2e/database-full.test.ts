import {expect, test} from "vitest"
import type {ReadinessReport} from "../../shared/readiness.ts"
import {mountDisk, needMounts} from "../support/disk.ts"
import {expectProblem, startHost, type TestHost} from "../support/host.ts"
import {echoPlugin, handledAll, post, readLedger} from "../support/inbox-ledger.ts"
import {makeProject} from "../support/project.ts"
import {runtimes} from "../support/runtimes.ts"

const config = `http:
  port: 0
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

test.for(runtimes)(
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
    expect(await databaseOf(host)).toMatchObject({
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
