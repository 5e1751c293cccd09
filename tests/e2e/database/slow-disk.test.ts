import {rmSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {exit} from "../../../shared/exit.ts"
import {expectProblem, startHost, type TestHost, untilPrinted} from "../../support/host/host.ts"
import {bunAnd, bunOr, type TestRuntime} from "../../support/host/runtimes.ts"
import {failSyncs, needStrace, slowSyncs, syncing} from "../../support/machine/strace.ts"
import {echoPlugin, handledAll, post, readLedger} from "../../support/messages/inbox-ledger.ts"

const config = "http: {port: 0}\nplugins:\n  sandbox: {}\n  echo: {}\n"

const first = Array.from({length: 8}, (_, n) => `first ${n}`)

/** Starts a Host that has learned from its first commits that the disk is slow. */
const start = async (runtime: TestRuntime): Promise<TestHost> => {
  const args = ["--no-watch"]
  const host = await startHost({own: true, runtime, config, plugins: {echo: echoPlugin}, args, env: syncing.inPool})
  for (const id of first) expect((await post(host, id)).status).toBe(202)
  await handledAll(host)
  return host
}

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a Host answers during a slow sync, shows only durable data, and acknowledges nothing early", async context => {
    needStrace(context)
    const host = await start(runtime)
    const strace = await slowSyncs(context, host.process.pid, 2000)
    let isAcknowledged = false
    const posted = post(host, "slow").then(response => {
      isAcknowledged = true
      return response.status
    })
    for (let round = 0; round < 10; round++) {
      expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
      expect((await host.fetch("/api/system/status")).status).toBe(200)
      const {items} = await host.get("/api/inbox")
      expect(items).toHaveLength(first.length)
    }
    expect(isAcknowledged).toBe(false)
    expect(await posted).toBe(202)
    expect((await host.get("/api/inbox")).items).toHaveLength(first.length + 1)
    strace.child.kill("SIGINT")
    await strace.finished
    await handledAll(host)
    await host.stop("SIGKILL")
    const ledger = await readLedger(host.project.path(".svc/data.sqlite"))
    expect([...ledger.keys()].sort()).toEqual([...first, "slow"])
    for (const entry of ledger.values()) expect(entry).toMatchObject({copies: 1, states: "handled", answers: 1})
  })
})

describe.each(bunOr("node22"))("on $name", runtime => {
  test("a write whose sync fails on a slow disk is repeated, and acknowledged only after that", async context => {
    needStrace(context)
    const host = await start(runtime)
    const strace = await failSyncs(context, host.process.pid)
    await expectProblem(await post(host, "failed 1"), 503, "database_outcome_unknown")
    for (const id of ["failed 2", "failed 3"]) await expectProblem(await post(host, id), 503, "database_failed")
    expect((await host.fetch("/api/inbox")).status).toBe(200)
    strace.child.kill("SIGINT")
    await strace.finished

    const later = ["failed 1", "failed 2", "failed 3", "later"]
    for (const id of later) expect((await post(host, id)).status).toBe(202)
    await handledAll(host)
    await host.stop("SIGKILL")
    const ledger = await readLedger(host.project.path(".svc/data.sqlite"))
    expect([...ledger.keys()].sort()).toEqual([...later, ...first].sort())
    for (const entry of ledger.values()) expect(entry).toMatchObject({copies: 1, states: "handled", answers: 1})
  })
})

/** Each way to stop a Host gracefully, with its exit code. */
const endings: readonly (readonly [number, (host: TestHost) => unknown])[] = [
  [exit.ok, host => host.process.child.kill("SIGTERM")],
  [exit.consoleRestart, host => host.post("/api/system/restart", {body: {confirm: true, force: true}}).catch(() => {})],
  [exit.runtimeRestart, host => rmSync(host.project.path(".svc/host.lock"))],
]

test("a hanging disk is reported, and each way to stop keeps its exit code on Bun and Node", async context => {
  needStrace(context)
  const endOnHungDisk = async (runtime: TestRuntime, end: (host: TestHost) => unknown) => {
    const host = await start(runtime)
    await slowSyncs(context, host.process.pid, 6000)
    const posted = post(host, "hung").catch(() => {})
    await untilPrinted(host.process, /\bsync for 5 s\b/)
    expect(JSON.stringify(await host.get("/api/system/readiness"))).toMatch(/\bsync for \d+ s\b/)
    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
    void end(host)
    const {code} = await host.process.finished
    await posted
    return code
  }
  const all = bunAnd("node24").flatMap(runtime => endings.map(([code, end]) => ({runtime, code, end})))
  expect(await Promise.all(all.map(({runtime, end}) => endOnHungDisk(runtime, end)))).toEqual(all.map(({code}) => code))
})
