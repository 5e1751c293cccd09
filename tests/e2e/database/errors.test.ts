import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {problems} from "../../../shared/problems.ts"
import {holdDatabase} from "../../support/database/stranger.ts"
import {bunOr, expectProblem, startHost, untilPrinted} from "../../support/host/host.ts"
import {failSyncs, needStrace, syncing} from "../../support/machine/strace.ts"
import {accept, echoPlugin, handledAll, post, readLedger} from "../../support/messages/inbox-ledger.ts"

const config = "http: {port: 0}\nplugins: {sandbox: {}, echo: {}}\n"
const ids = (name: string, count: number) => Array.from({length: count}, (_, n) => `${name} ${n}`)

describe.each(bunOr("node22"))("on $name", runtime => {
  test("an event with a failed fsync is not acknowledged, and the Host recovers with the disk", async context => {
    needStrace(context)
    const host = await startHost({own: true, runtime, config, plugins: {echo: echoPlugin}, env: syncing.inThread})
    await accept(host, ids("before", 3))

    const strace = await failSyncs(context, host.process.pid)
    for (const id of ids("failed", 3)) {
      const problem = await expectProblem(await post(host, id), 503, "database_outcome_unknown")
      expect(problem.hint).toContain(problems.database_outcome_unknown.hint)
    }
    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
    strace.child.kill("SIGINT")
    await strace.finished

    await accept(host, [...ids("after", 3), ...ids("failed", 3)])
    await host.stop("SIGKILL")
    const ledger = await readLedger(host.project.path(".svc/data.sqlite"))
    expect([...ledger.keys()].sort()).toEqual([...ids("after", 3), ...ids("before", 3), ...ids("failed", 3)])
    for (const entry of ledger.values()) expect(entry).toMatchObject({copies: 1, states: "handled", answers: 1})
  })

  test("a foreign lock refuses events while it is held, and no event acknowledged later is lost", async () => {
    const host = await startHost({own: true, runtime, config, plugins: {echo: echoPlugin}})
    await accept(host, ids("before", 3))
    const file = host.project.path(".svc/data.sqlite")
    const stranger = await holdDatabase(file)

    const problem = await expectProblem(await post(host, "during"), 503, "database_busy")
    expect(problem.detail).toContain("database is locked")
    expect(problem.hint).toContain(problems.database_busy.hint)
    expect((await host.fetch("/api/inbox")).status).toBe(200)
    stranger.child.kill("SIGKILL")
    await stranger.finished

    const later = ["during", ...ids("later", 50)]
    expect((await post(host, "during")).status).toBe(202)
    const answers = await Promise.all(ids("later", 50).map(id => post(host, id)))
    expect(new Set(answers.map(({status}) => status))).toEqual(new Set([202]))
    await handledAll(host)
    await host.stop("SIGKILL")
    const ledger = await readLedger(file)
    expect([...ledger.keys()].sort()).toEqual([...ids("before", 3), ...later].sort())
    for (const entry of ledger.values()) expect(entry).toMatchObject({copies: 1, states: "handled", answers: 1})
  })
})

test("a handler's results are stored once a foreign lock on the database is released", async () => {
  const slow = echoPlugin
    .replace("import", 'import {existsSync} from "node:fs"\nimport')
    .replace(
      "await session.send",
      'while (!existsSync(plugin.project + "/go")) await new Promise(done => setTimeout(done, 20)); await session.send',
    )
  const host = await startHost({own: true, config, plugins: {echo: slow}})
  for (const id of ids("slow", 5)) expect((await post(host, id, id, id)).status).toBe(202)
  const file = host.project.path(".svc/data.sqlite")
  const stranger = await holdDatabase(file)
  host.project.write("go", "")
  await untilPrinted(host.process, /\bfailing; retrying\b/)
  await sleep(300)
  stranger.child.kill("SIGKILL")
  await stranger.finished
  await handledAll(host)
  expect((await host.stop()).code).toBe(0)
  const ledger = await readLedger(file)
  expect(ledger.size).toBe(5)
  for (const entry of ledger.values()) expect(entry).toMatchObject({states: "handled", answers: 1})
})
