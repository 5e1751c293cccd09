import {copyFileSync, rmSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {makeFolder, startHrana} from "../../support/database/databases.ts"
import {launchHost, makeProject, type Project, startHost, svc, until} from "../../support/host/host.ts"
import {runtimes, type TestRuntime} from "../../support/host/runtimes.ts"
import {faultRun} from "../../support/machine/fault-run.ts"
import {freePort} from "../../support/machine/ports.ts"
import {accept, echoPlugin, post} from "../../support/messages/inbox-ledger.ts"

const {rounds} = faultRun("older-copies")

/** How long the rounds may take, in milliseconds. */
const patience = 180_000 + rounds * 30_000

const configOf = (database: string) => `http: {port: 0}\n${database}plugins: {sandbox: {}, echo: {}}\n`

/** Expects a start that is refused, and the same words from the doctor; then a start without the missing events. */
const expectRefusedThenAccepted = async (
  runtime: TestRuntime,
  project: Project,
  after: string,
  more: readonly string[] = [],
) => {
  const options = {runtime, project, args: ["--no-watch"]}
  const {code, stderr} = await launchHost(options).process.finished
  expect({code, isNamed: /newest event \d+; .* event \d+ at 20/.test(stderr)}).toEqual({code: 1, isNamed: true})
  expect((await svc(runtime, project, ["doctor"])).stdout).toContain("svc database accept-older")
  const accepted = await svc(runtime, project, ["database", "accept-older", "--json", ...more])
  expect(JSON.parse(accepted.stdout)).toMatchObject({
    missing: expect.stringMatching(/ event \d+ at /),
    held: {inbox: 0},
  })
  const host = await startHost(options)
  await accept(host, [after])
  expect((await host.stop()).code).toBe(0)
  expect((await svc(runtime, project, ["database", "accept-older"])).code).toBe(1)
}

describe.each(runtimes)("on $name", {timeout: patience}, runtime => {
  test("an older copy of a database file is refused until someone accepts it", async () => {
    const project = makeProject({config: configOf(""), plugins: {echo: echoPlugin}})
    const options = {own: true, runtime, project, args: ["--no-watch"]}
    const file = project.path(".svc/data.sqlite")
    for (let round = 0; round < rounds; round++) {
      const first = await startHost(options)
      await accept(first, [`one ${round}`, `two ${round}`])
      await first.stop()
      copyFileSync(file, `${file}.copy`)
      const second = await startHost(options)
      await accept(second, [`three ${round}`])
      await second.stop("SIGKILL")
      for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, {force: true})
      copyFileSync(`${file}.copy`, file)
      await expectRefusedThenAccepted(runtime, project, `after ${round}`)
    }
  })

  test("a remote database with older data is refused until someone accepts it", async () => {
    const place = {file: join(makeFolder(), "remote.sqlite"), port: await freePort()}
    const database = `database: {dialect: libsql, url: "http://127.0.0.1:${place.port}"}\n`
    const server = await startHrana(place)
    const options = {own: true, runtime, args: ["--no-watch"]}
    const host = await startHost({...options, config: configOf(database), plugins: {echo: echoPlugin}})
    await accept(host, ["one"])
    server.sql(`VACUUM INTO '${place.file}.copy'`)
    await accept(host, ["two"])
    await server.close()
    for (const end of ["-wal", "-shm"]) rmSync(`${place.file}${end}`, {force: true})
    copyFileSync(`${place.file}.copy`, place.file)
    const older = await startHrana(place)
    await until("a refusal", async () => (await post(host, "three")).status === 503)
    const ended = await host.process.finished
    expect({code: ended.code, isNamed: ended.stdout.includes("older data")}).toEqual({code: 75, isNamed: true})
    // The Host that ended has not released its lease.
    older.sql("UPDATE svc_lease SET until = 0")
    await expectRefusedThenAccepted(runtime, host.project, "after", ["--external-restore-point", "the copy"])
  })
})
