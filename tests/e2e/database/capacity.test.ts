import {mkdirSync, readdirSync} from "node:fs"
import {statfs} from "node:fs/promises"
import {setTimeout as sleep} from "node:timers/promises"
import {createClient} from "@libsql/client/sqlite3"
import {describe, expect, test} from "vitest"
import type {Compacted, DatabaseInfo} from "../../../shared/api/database.ts"
import {problems} from "../../../shared/problems.ts"
import {aDay, countOf, storeEvents} from "../../support/capacity/retention.ts"
import {killAt, killDuring, killNumbers} from "../../support/checkpoint/restore-kill-loop.ts"
import {changeDatabase, open} from "../../support/database/databases.ts"
import {posting} from "../../support/host/client.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {bunOr, Chance, expectProblem, onBun, startHost, startProcess, svc, until} from "../../support/host/host.ts"
import {makeProject, type Project, plainConfig} from "../../support/host/project.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"
import {needStrace} from "../../support/machine/strace.ts"
import {echoPlugin, handledAll, post, readLedger} from "../../support/messages/inbox-ledger.ts"

const file = (project: Project) => project.path(".svc/data.sqlite")

/** A stopped project with `count` events that are 100 days old. */
const oldProject = async (count: number): Promise<Project> => {
  const host = await startHost({config: plainConfig})
  await host.stop()
  const database = await open({dialect: "sqlite", file: file(host.project)})
  await storeEvents(database, {count, from: Date.now() - 100 * aDay, apart: 1000, size: 2000})
  await database.close()
  return host.project
}

describe.each(bunOr("node22"))("on $name", runtime => {
  test("svc database compact on a running Host deletes old rows and shrinks the file", async () => {
    const project = await oldProject(2000)
    project.write("svc.config.yml", `${plainConfig}retention: {handled: {least: 100}}\n`)
    const host = await startHost({runtime, project})
    await host.say("hello")
    const planned = await printedJson<Compacted>(project, "database compact --dry-run", runtime)
    expect(planned).toMatchObject({dryRun: true, dropped: 0})
    const done = await printedJson<Compacted>(project, "database compact", runtime)
    expect(done.dropped).toBe(1901 + 2000)
    expect(done.after).toBeLessThan(done.before / 4)
    const info = await printedJson<DatabaseInfo>(project, "database info --tables", runtime)
    expect(info.storage).toMatchObject({file: done.after, unused: 0, givesBack: true})
    expect(info.tables?.find(({name}) => name === "inbox")).toMatchObject({rows: 100})
    expect(info.retention).toContainEqual(expect.objectContaining({part: "handled", age: "30d", dropped: 1901}))
    const metrics = await (await host.fetch("/api/metrics")).text()
    expect(metrics).toContain('svc_retention_dropped_total{part="handled"} 1901')
    expect(await host.say("still there")).toEqual(expect.any(Array))
  })
})

test("a compaction refuses a second one, reports progress, and outlives the command that started it", async () => {
  const project = await oldProject(3000)
  project.write("svc.config.yml", `${plainConfig}retention: {handled: {least: 100}}\n`)
  const host = await startHost({own: true, project})
  const task = async () => (await host.get("/api/database/compaction")).task
  expect(await task()).toBeNull()
  const begin = () => host.fetch("/api/database/compact", posting())
  const [first, second] = await Promise.all([begin(), begin()])
  expect([first, second].map(({status}) => status).sort()).toEqual([202, 409])
  await expectProblem(first.status === 409 ? first : second, 409, "compact_busy")
  const begun = await task()
  const follower = startProcess([...onBun.command, "database", "compact", "--follow", "--project", project.folder])
  const heard = new Map<string, number>()
  const ended = await until("the compaction to end", async () => {
    const now = await task()
    if (now?.state !== "running") return now ?? undefined
    heard.set(now.step, now.done)
    if (now.done > 1000) follower.child.kill("SIGINT")
    return undefined
  })
  expect(ended).toMatchObject({id: begun?.id, state: "done", problem: null, result: {dropped: 2900 + 3000}})
  expect(heard.get("deleting old rows")).toBeGreaterThan(0)
  expect(await printedJson<Compacted>(project, "database compact --follow")).toEqual(ended.result)
})

test("info and compact also work without a Host, and report the same", async () => {
  const project = await oldProject(500)
  await changeDatabase(file(project), "DELETE FROM inbox")
  expect((await printedJson<DatabaseInfo>(project, "database info")).storage?.unused).toBeGreaterThan(500_000)
  expect(await printed(project, "database compact --dry-run")).toMatch(/^would compact: .* → .* or less\n$/)
  const done = await printedJson<Compacted>(project, "database compact")
  expect(done.after).toBeLessThan(done.before)
  expect((await printedJson<DatabaseInfo>(project, "database info")).storage).toMatchObject({unused: 0})
  expect(readdirSync(project.path(".svc")).filter(name => name.includes("compact"))).toEqual([])
  expect((await startHost({project})).url).toContain("http")
})

test("a file that cannot shrink in use must be compacted once while the Host is stopped", async () => {
  const project = makeProject({config: plainConfig})
  mkdirSync(project.path(".svc"))
  const client = createClient({url: `file:${file(project)}`, concurrency: 1})
  await client.execute("CREATE TABLE of_before (id INTEGER)")
  client.close()
  const host = await startHost({project})
  const refused = await runCommand(project, "database compact")
  expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining(problems.compact_unavailable.hint)})
  await host.stop()
  await printed(project, "database compact")
  const again = await startHost({project})
  expect((await again.get("/api/database")).storage).toMatchObject({givesBack: true})
})

const expectWhole = async (project: Project, count: number): Promise<void> => {
  const database = await open({dialect: "sqlite", file: file(project)})
  expect(await countOf(database, "inbox")).toBe(count)
  expect((await database.read("PRAGMA integrity_check"))[0]).toMatchObject({integrity_check: "ok"})
  await database.close()
  await untilNothingIsLeft(project)
}

/** The child process that writes the new file may outlive a killed command. The next opening deletes its file. */
const untilNothingIsLeft = (project: Project): Promise<true> =>
  until("the files of the compaction to be deleted", async () => {
    await (await open({dialect: "sqlite", file: file(project)})).close()
    return !readdirSync(project.path(".svc")).some(name => name.includes("compact"))
  })

test("a compaction killed at any rename or at a random moment loses nothing and leaves no files", async context => {
  needStrace(context)
  const count = 3000
  const project = await oldProject(count)
  for (const number of killNumbers()) {
    const isKilled = await killAt("rename", onBun, project, ["database", "compact"], number)
    await expectWhole(project, count)
    if (!isKilled) break
  }
  const chance = new Chance(7)
  for (const runtime of [...bunOr("node22"), ...bunOr("node22")]) {
    await killDuring(runtime, project, ["database", "compact"], 150 + chance.below(500))
    await expectWhole(project, count)
  }
})

test("a disk that fills pauses ingress before anything fails, reopens it with space, and loses nothing", async context => {
  needMounts(context)
  const config = "http: {port: 0}\ningress: {minimumFree: 10}\nplugins: {sandbox: {}, echo: {}}\n"
  const project = makeProject({config, plugins: {echo: echoPlugin}})
  const disk = mountDisk(project.path(".svc"), "20m")
  const host = await startHost({project})
  const accepted: string[] = []
  let refused: Response | undefined
  for (let n = 0; refused === undefined; n++) {
    const response = await post(host, `event ${n}`, "x".repeat(40_000), `channel ${n % 9}`)
    if (response.status === 202) accepted.push(`event ${n}`)
    else refused = response
    await sleep(30)
  }
  await expectProblem(refused, 503, "ingress_paused")
  await handledAll(host)
  // Moves the WAL into the file now. Otherwise the file would still grow after the measurement.
  await printed(project, "database compact")
  const {blocks, bavail, bsize} = await statfs(project.path(".svc"))
  const taken = (blocks - bavail) * bsize
  const leave = (mebibytes: number) => disk.resize(`${Math.ceil((taken + mebibytes * 1024 ** 2) / 1024)}k`)
  leave(10.5)
  // Longer than the Host's interval between two looks at the disk.
  await sleep(6000)
  expect(await host.get("/api/ingress")).toMatchObject({state: "paused", reasons: ["disk"]})
  leave(14)
  await until("ingress to open", async () => (await host.get("/api/ingress")).state === "open")
  expect((await post(host, "after")).status).toBe(202)
  await handledAll(host)
  await host.stop()
  const ledger = await readLedger(file(project))
  expect([...ledger.keys()].sort()).toEqual([...accepted, "after"].sort())
  for (const entry of ledger.values()) expect(entry).toMatchObject({copies: 1, states: "handled", answers: 1})
})

test("a compaction without enough space is refused before it writes anything", async context => {
  needMounts(context)
  const project = makeProject({config: `${plainConfig}ingress: {minimumFree: 0}\n`})
  const disk = mountDisk(project.path(".svc"), "64m")
  await (await startHost({project})).stop()
  const database = await open({dialect: "sqlite", file: file(project)})
  const now = Date.now()
  for (let part = 0; part < 10; part++)
    await storeEvents(database, {count: 150, from: now + part * 1000, apart: 1, size: 2000})
  await database.close()
  const {blocks, bavail, bsize} = await statfs(project.path(".svc"))
  disk.resize(`${Math.ceil(((blocks - bavail) * bsize) / 1024 + 1024)}k`)
  const {code, stderr} = await svc(onBun, project, ["database", "compact"])
  expect({code, stderr}).toEqual({code: 1, stderr: expect.stringContaining("are free")})
  await expectWhole(project, 1500)
})
