import {existsSync, readFileSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {migrations} from "../../../server/database/migrations/migrations.ts"
import {inspectFile} from "../../../server/database/upkeep/maintenance.ts"
import {open} from "../../support/database/databases.ts"
import {bunOr, launchHost, makeProject, onBun, type Project, startHost, until} from "../../support/host/host.ts"
import {needStrace, startOnSlowDisk} from "../../support/machine/strace.ts"

const newest = migrations.at(-1)?.version ?? 0

/** The tables of these migrations, without SQLite's own. */
const tablesOf = (versions: number): string[] =>
  migrations
    .slice(0, versions)
    .flatMap(({statements}) => statements)
    .flatMap(sql => /^CREATE TABLE (\w+)/.exec(sql)?.[1] ?? [])
    .sort()

/** Returns the schema version of a closed database. Expects that each migration is complete or absent. */
const versionOf = async (file: string): Promise<number> => {
  if (!existsSync(file)) return 0
  const {findings, schema} = await inspectFile(file)
  expect(findings).toEqual([])
  // With these migrations as the known ones, opening applies none.
  const database = await open({dialect: "sqlite", file}, {known: migrations.slice(0, schema)})
  expect(database.applied).toEqual([])
  const own = "svc_group', 'svc_migrations', 'sqlite_sequence"
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('${own}') ORDER BY name`
  expect((await database.read(sql)).map(({name}) => name)).toEqual(tablesOf(schema))
  await database.close()
  return schema
}

const holderOf = (project: Project): number | undefined => {
  const file = project.path(".svc/holder.json")
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as {pid: number}).pid : undefined
}

/** Starts a Host for the first time, its fsyncs slow; sends a signal `delay` ms after its database file appears. */
const endedStart = async (command: readonly string[], signal: NodeJS.Signals, delay: number, slowness: number) => {
  const project = makeProject()
  const host = startOnSlowDisk([...command, "runtime", "start"], slowness, project.folder)
  const pid = await until("the Host to take its lock", () => holderOf(project))
  await until("the database file", () => existsSync(project.path(".svc/data.sqlite-wal")))
  await sleep(delay)
  process.kill(pid, signal)
  const {code, stderr} = await host.finished
  return {project, code, stderr, version: await versionOf(project.path(".svc/data.sqlite"))}
}

/** Like `endedStart`, but signals during the migrations. If a busy machine is too late, repeats on a slower disk. */
const interruptedStart = async (command: readonly string[], signal: NodeJS.Signals, delay: number) => {
  for (let slowness = 60; ; slowness *= 4) {
    const ended = await endedStart(command, signal, delay, slowness)
    if (ended.version < newest || slowness > 1000) return ended
  }
}

describe.each(bunOr("node22"))("on $name", runtime => {
  test("SIGTERM during the migrations ends the start cleanly, and the next start completes them", async context => {
    needStrace(context)
    const {project, code, stderr, version} = await interruptedStart(runtime.command, "SIGTERM", 150)
    expect({code, stderr, holder: holderOf(project)}).toEqual({code: 0, stderr: "", holder: undefined})
    expect(version).toBeLessThan(newest)
    const next = await startHost({runtime, project})
    expect((await next.fetch("/pub/ready")).status).toBe(200)
    expect((await next.stop()).code).toBe(0)
    expect(await versionOf(project.path(".svc/data.sqlite"))).toBe(newest)
  })
})

test("a kill during the migrations leaves each one complete or absent, and the next start completes them", async context => {
  needStrace(context)
  const versions: number[] = []
  for (const delay of [60, 160, 260, 360]) {
    const how = Math.min(newest, ...versions) < newest ? endedStart : interruptedStart
    const {project, version} = await how(onBun.command, "SIGKILL", delay, 60)
    versions.push(version)
    expect((await (await startHost({own: true, project})).stop()).code).toBe(0)
    expect(await versionOf(project.path(".svc/data.sqlite"))).toBe(newest)
  }
  expect(Math.min(...versions)).toBeLessThan(newest)
})

test("SIGTERM at any moment of a first start leaves a project that the next start opens", async () => {
  for (let round = 0; round < 6; round++) {
    const {project, process: first} = launchHost({runtime: onBun})
    await sleep(80 + round * 40)
    first.child.kill("SIGTERM")
    const {code, signal, stderr} = await first.finished
    // Before the Host handles its signals, the signal itself ends the process.
    if (signal !== "SIGTERM") expect({code, stderr}).toEqual({code: 0, stderr: ""})
    await versionOf(project.path(".svc/data.sqlite"))
    expect((await (await startHost({own: true, project})).stop()).code).toBe(0)
  }
})
