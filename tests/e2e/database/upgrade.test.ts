import {hash} from "node:crypto"
import {existsSync, readdirSync, readFileSync, statSync} from "node:fs"
import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {withDatabase} from "../../../server/database/without-host.ts"
import type {CheckpointView} from "../../../shared/api/checkpoint.ts"
import type {MigrationReport} from "../../../shared/api/database.ts"
import {makeCheckpoint} from "../../support/checkpoint/checkpoints.ts"
import {makeFolder, startHrana} from "../../support/database/databases.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {type GitProject, makeGitProject} from "../../support/host/git-project.ts"
import {launchHost, type Project, plainConfig, shared, startHost, until, untilPrinted} from "../../support/host/host.ts"
import {bundled, irreversible, makeNextVersion, newest, reversible} from "../../support/host/next-version.ts"
import {bunOr, onBun, type TestRuntime} from "../../support/host/runtimes.ts"
import {fillDisk, mountDisk, needMounts} from "../../support/machine/disk.ts"
import {needStrace, startOnSlowDisk} from "../../support/machine/strace.ts"
import {textsOf} from "../../support/messages/messages.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const echo = pluginWith(`plugin.on("message-created", session => "got " + session.text)`)

const config = `${plainConfig}  echo: {}\n`

/** A project that this version has run and that has answered one message. `end` says how its Host ended. */
const used = async (runtime: TestRuntime = onBun, end: NodeJS.Signals = "SIGTERM"): Promise<GitProject> => {
  const project = makeGitProject({config, plugins: {echo}, files: {"bun.lock": "locked"}})
  const host = await startHost({own: end !== "SIGTERM", project, runtime})
  expect(await host.say("before")).toEqual(["got before"])
  await host.stop(end)
  return project
}

const fileOf = (project: Project): string => project.path(".svc/data.sqlite")

/** Reads the schema version and the platform ids from a database that no Host has open. */
const stateOf = (project: Project) =>
  withDatabase({dialect: "sqlite", file: fileOf(project)}, async database => {
    const [row] = await database.read(
      "SELECT (SELECT max(version) FROM svc_migrations) AS schema, (SELECT count(*) FROM outbox WHERE platform_ids IS NOT NULL) AS ids",
    )
    return {schema: Number(row?.schema), ids: Number(row?.ids)}
  })

const namesOf = (project: Project): readonly string[] =>
  existsSync(project.path(".svc/checkpoints")) ? readdirSync(project.path(".svc/checkpoints")) : []

const refused = async (project: Project, runtime: TestRuntime): Promise<string> => {
  const {code, stderr} = await launchHost({project, runtime}).process.finished
  expect(code).toBe(1)
  return stderr
}

const why = `migration ${newest + 1} (forget-platform-ids) cannot be undone: the ids that platforms gave to messages are dropped`

const nextOnBun = shared(async () => bundled(await makeNextVersion(onBun)))

describe.each(bunOr("node24"))("on $name", runtime => {
  const nextVersion = runtime === onBun ? nextOnBun : shared(() => makeNextVersion(runtime))

  test("an irreversible migration starts only after a verified checkpoint, which can restore the project", async () => {
    const project = await used(runtime)
    const before = await stateOf(project)
    expect(before).toEqual({schema: newest, ids: 1})
    const next = nextVersion()
    const host = await startHost({project, runtime: next})
    const [checkpoint] = (await printedJson<{items: CheckpointView[]}>(project, "checkpoint list", next)).items
    const id = checkpoint?.id ?? ""
    expect(checkpoint).toMatchObject({state: "verified", schema: newest, reason: "migration"})
    await untilPrinted(host.process, `${why}; creating `)
    await untilPrinted(host.process, `checkpoint ${id} of schema ${newest}`)
    const told = await host.get("/api/events/history", {limit: 200})
    expect(told.items.filter(({type}) => /^database\.migrated|^checkpoint/.test(type))).toMatchObject([
      {type: "checkpoint.created", data: {checkpoint: id, reason: "migration"}},
      {type: "checkpoint.verified", data: {checkpoint: id}},
      {type: "database.migrated", data: {from: newest, to: newest + 2, checkpoint: id}},
    ])
    expect((await host.get("/api/system/status")).database.schema).toBe(newest + 2)
    expect(await host.say("after")).toEqual(["got after"])
    await host.stop()
    expect(await stateOf(project)).toEqual({schema: newest + 2, ids: 1})

    const text = await refused(project, runtime)
    expect(text).toContain(`${why}; checkpoint ${id} `)
    expect(text).toContain(`svc checkpoint restore ${id} --data-only`)
    const plan = await printed(project, `checkpoint restore ${id} --data-only --dry-run`, runtime)
    expect(plan).toContain(`schema         ${newest}, now ${newest + 2}`)
    expect(plan).toMatch(new RegExp(`not undone +migration ${newest + 1} .*later data is lost`))
    await printed(project, `checkpoint restore ${id} --data-only`, runtime)
    expect(await stateOf(project)).toEqual(before)
    const again = await startHost({project, runtime})
    expect(await textsOf(again)).toEqual(["before"])
    expect(await again.say("again")).toEqual(["got again"])
  })

  test("a dry run reports every migration and changes no byte, beside a running or after a killed Host", async () => {
    const project = await used(runtime, "SIGKILL")
    const next = nextVersion()
    const files = () => ["", "-wal"].map(end => hash("sha256", readFileSync(`${fileOf(project)}${end}`)))
    expect(statSync(`${fileOf(project)}-wal`).size).toBeGreaterThan(0)
    const before = files()
    const line = "database migrate --dry-run"
    const stopped = await printedJson<MigrationReport>(project, line, next)
    expect(stopped).toMatchObject({dryRun: true, from: newest, to: newest + 2, checkpoint: null, findings: []})
    expect(stopped.migrations.map(({seconds: _, ...rest}) => rest)).toEqual([
      {version: newest + 1, name: irreversible.name, undo: null, irreversible: expect.stringContaining("dropped")},
      {version: newest + 2, name: reversible.name, undo: "drop more", irreversible: null},
    ])
    expect(stopped.size?.after).toBeGreaterThan(4096)
    expect(files()).toEqual(before)
    expect(readdirSync(project.path(".svc/tmp")).filter(name => name.startsWith("migrate"))).toEqual([])
    expect(existsSync(project.path(".svc/checkpoints"))).toBe(false)
    const host = await startHost({own: true, project, runtime})
    const beside = await printedJson<MigrationReport>(project, line, next)
    expect(beside).toMatchObject({from: newest, to: newest + 2, findings: []})
    expect(await host.say("meanwhile")).toEqual(["got meanwhile"])
    await host.stop()
    expect(await stateOf(project)).toEqual({schema: newest, ids: 2})
    expect(await printed(project, line, next)).toMatch(/CANNOT BE UNDONE: the ids/)
    expect(await printed(project, line, runtime)).toBe(`schema ${newest}: nothing to migrate\n`)
  })

  test("svc database migrate makes the checkpoint and migrates a stopped project", async () => {
    const project = await used(runtime)
    const next = nextVersion()
    const done = await printedJson<MigrationReport>(project, "database migrate", next)
    expect(done).toMatchObject({dryRun: false, from: newest, to: newest + 2, findings: []})
    const [checkpoint] = (await printedJson<{items: CheckpointView[]}>(project, "checkpoint list", next)).items
    expect(checkpoint).toMatchObject({id: done.checkpoint, state: "verified", schema: newest})
    expect(await stateOf(project)).toEqual({schema: newest + 2, ids: 0})
    expect(await textsOf(await startHost({project, runtime: next}))).toEqual(["before"])
    expect((await runCommand(project, "database migrate", next)).stderr).toContain("a Host holds this project")
  })
})

test("if the checkpoint fails, the migration does not start and the Host says why", async context => {
  needMounts(context)
  const project = await used()
  const next = nextOnBun()
  const disk = mountDisk(project.path(".svc/checkpoints"), "1m")
  fillDisk(project.path(".svc/checkpoints"))
  const text = await refused(project, next)
  expect(text).toContain(`${why}; could not `)
  expect(text).toMatch(/ up to \d+ MiB\b/)
  expect(text).toContain("hint: Free space")
  expect(await stateOf(project)).toEqual({schema: newest, ids: 1})
  expect((await runCommand(project, "database migrate", next)).stderr).toMatch(/; could not .*: .*\d [KMG]iB/)
  disk.resize("64m")
  expect(await textsOf(await startHost({project, runtime: next}))).toEqual(["before"])
})

test("a kill at any moment of the migration leaves it complete or absent, and the next start completes it", async context => {
  needStrace(context)
  const next = nextOnBun()
  const schemas: number[] = []
  const verifiedAnd = async (project: Project, milliseconds: number) => {
    await until("a verified checkpoint", () => namesOf(project).some(name => name.endsWith(".verified.json")))
    await sleep(milliseconds)
  }
  const moments: readonly ((project: Project) => Promise<unknown>)[] = [
    project => until("a checkpoint under way", () => namesOf(project).length > 0),
    project => verifiedAnd(project, 0),
    project => verifiedAnd(project, 120),
  ]
  const killAt = async (moment: (project: Project) => Promise<unknown>) => {
    const project = await used()
    const start = startOnSlowDisk([...next.command, "runtime", "start"], 40, project.folder)
    await moment(project)
    process.kill(Number(JSON.parse(project.read(".svc/holder.json")).pid), "SIGKILL")
    await start.finished
    const {schema, ids} = await stateOf(project)
    expect(ids).toBe(schema === newest ? 1 : 0)
    schemas.push(schema)
    const host = await startHost({own: true, project, runtime: next})
    expect(await textsOf(host)).toEqual(["before"])
    await host.stop()
    const {items} = await printedJson<{items: CheckpointView[]}>(project, "checkpoint list", next)
    expect(items).toContainEqual(expect.objectContaining({state: "verified", reason: "migration", schema: newest}))
  }
  for (const moment of moments) await killAt(moment)
  // On a machine that stalled, every start may have completed before its kill.
  const [early] = moments
  for (let more = 0; early !== undefined && more < 5 && !schemas.includes(newest); more++) await killAt(early)
  expect(schemas).toContain(newest)
})

test("a rollback across the migration names the irreversible part and restores the checkpoint's data", async () => {
  const project = await used()
  const commit = project.git("rev-parse", "HEAD")
  const {id} = await makeCheckpoint(project)
  const next = nextOnBun()
  project.write("bun.lock", "locked again")
  project.commit("the next version of svc")
  await printed(project, "database migrate", next)
  const plan = await printed(project, `rollback ${id} --dry-run`, next)
  expect(plan).toContain(`schema        ${newest}, now ${newest + 2}`)
  expect(plan).toMatch(
    new RegExp(`not undone +migration \\d+ \\(forget-platform-ids\\).* the data of ${id} replaces all data`),
  )
  await printed(project, `rollback ${id} --without-build`, next)
  expect(project.git("rev-parse", "HEAD")).toBe(commit)
  expect(project.read("bun.lock")).toBe("locked")
  expect(await stateOf(project)).toEqual({schema: newest, ids: 1})
  expect(await textsOf(await startHost({project}))).toEqual(["before"])
})

test("a remote database is migrated only with a named backup", async () => {
  const server = await startHrana({file: join(makeFolder(), "remote.sqlite")})
  const remote = "http: {port: 0}\ndatabase: {dialect: libsql, url: '${DATABASE_URL}'}\nplugins: {sandbox: {}}\n"
  const env = {DATABASE_URL: server.url}
  const first = await startHost({config: remote, env, files: {".env": `DATABASE_URL=${server.url}\n`}})
  const {project} = first
  await first.say("before")
  await first.stop()
  const next = nextOnBun()
  const text = await refused(project, next)
  expect(text).toMatch(/\bdatabase is remote\b/)
  expect(text).toContain("svc database migrate --external-restore-point <id>")
  // A dry run reads the database into a copy, and writes nothing to the database.
  const tried = await printedJson<MigrationReport>(project, "database migrate --dry-run", next)
  expect(tried).toMatchObject({dryRun: true, from: newest, to: newest + 2, findings: []})
  expect(tried.size?.after).toBeGreaterThan(4096)
  expect(server.sql("SELECT max(version) AS schema FROM svc_migrations")).toEqual([{schema: newest}])
  const done = await printedJson<MigrationReport>(project, "database migrate --external-restore-point backup-7", next)
  expect(done).toMatchObject({from: newest, to: newest + 2, size: null})
  const [checkpoint] = (await printedJson<{items: CheckpointView[]}>(project, "checkpoint list", next)).items
  expect(checkpoint).toMatchObject({id: done.checkpoint, reason: "migration"})
  expect(await textsOf(await startHost({project, runtime: next, env}))).toEqual(["before"])
  expect(await printed(project, "database migrate --dry-run", next)).toBe(`schema ${newest + 2}: nothing to migrate\n`)
})
