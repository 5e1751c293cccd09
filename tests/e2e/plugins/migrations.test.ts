import {existsSync, readdirSync, rmSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {readCrossedByPlugins} from "../../../server/database/migrations/irreversible.ts"
import {withDatabase} from "../../../server/database/without-host.ts"
import type {CheckpointDetail, CheckpointView} from "../../../shared/api/checkpoint.ts"
import type {MigrationReport} from "../../../shared/api/database.ts"
import {makeFolder, startHrana} from "../../support/database/databases.ts"
import {readHistoryOf} from "../../support/events/reader.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {reload, statusOf} from "../../support/host/generation.ts"
import {bunOr, launchHost, onBun, posting, startHost, type TestHost, type TestRuntime} from "../../support/host/host.ts"
import {type Running, until, untilPrinted} from "../../support/host/process.ts"
import {makeProject, type Project, plainConfig} from "../../support/host/project.ts"
import {needStrace, startToBeKilled} from "../../support/machine/strace.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const first = `{name: "first", up: table => ["CREATE TABLE " + table("all") + " (text TEXT, stars INTEGER)"]}`
const reason = "the stars are dropped"
const noStars = `{name: "no-stars", irreversible: "${reason}", up: table => ["ALTER TABLE " + table("all") + " DROP COLUMN stars"]}`
const added = `{name: "added", undo: "drop the column", up: table => ["ALTER TABLE " + table("all") + " ADD COLUMN added TEXT"]}`
const silent = `{name: "silent", up: table => ["ALTER TABLE " + table("all") + " ADD COLUMN silent TEXT"]}`
const broken = `{name: "broken", irreversible: "all is gone", up: table => ["DELETE FROM " + table("all"), "CREATE NONSENSE"]}`

const why = `migration no-stars of plugin notes cannot be undone: ${reason}`

/** A plugin that stores each text and answers with all of them. */
const notes = (...migrations: readonly string[]) =>
  pluginWith(`
    const {database} = plugin
    const all = database.table("all")
    database.migrate([${migrations.join(", ")}])
    plugin.command(plugin.name + " <text:text>", async ({args}) => {
      await database.write([{sql: "INSERT INTO " + all + " (text) VALUES (?)", args: [args.text]}])
      return JSON.stringify(await database.read("SELECT * FROM " + all))
    })`)

const config = `${plainConfig}  notes: {}\n`

const put = (project: Project, ...migrations: readonly string[]) =>
  project.write("plugins/notes.ts", notes(...migrations))

/** Starts a Host with the plugin's first version. The plugin has stored one note. */
const start = async (runtime?: TestRuntime): Promise<TestHost> => {
  const host = await startHost({
    // Node 22 checks a checkpoint in a child, which reads no TypeScript.
    own: runtime?.name === "node22",
    config,
    plugins: {notes: notes(first)},
    args: ["--no-watch"],
    ...(runtime === undefined ? {} : {runtime}),
  })
  expect(await host.say("/notes one")).toEqual(['[{"text":"one","stars":null}]'])
  return host
}

const refusedReload = async (host: TestHost): Promise<{code: string; detail: string; hint: string}> => {
  const response = await host.fetch("/api/system/reload", posting())
  expect(response.ok).toBe(false)
  return response.json()
}

const checkpointsOf = async (project: Project, runtime?: TestRuntime): Promise<readonly CheckpointView[]> =>
  (await printedJson<{items: CheckpointView[]}>(project, "checkpoint list", runtime)).items

const told = async (host: TestHost) =>
  (await readHistoryOf(host)).filter(({type}) => type === "plugin.migrated").map(({data}) => data)

const refusedStart = async (project: Project, runtime?: TestRuntime, env = {}): Promise<string> => {
  const {code, stderr} = await launchHost({project, env, ...(runtime === undefined ? {} : {runtime})}).process.finished
  expect(code).toBe(1)
  return stderr
}

describe.each(bunOr("node22"))("an irreversible plugin migration on $name", runtime => {
  test("waits for a verified checkpoint, and the older plugin is refused until that is restored", async () => {
    const host = await start(runtime)
    const {project} = host
    expect(existsSync(project.path(".svc/checkpoints"))).toBe(false)
    put(project, first, noStars)
    expect(await reload(host)).toEqual({committed: true, generation: 2})
    const [checkpoint, ...others] = await checkpointsOf(project, runtime)
    const id = checkpoint?.id ?? ""
    expect({others, checkpoint}).toMatchObject({others: [], checkpoint: {state: "verified", reason: "migration"}})
    await untilPrinted(host.process, `${why}; `)
    expect(await told(host)).toEqual([
      {plugin: "notes", migrations: ["first"], checkpoint: null},
      {plugin: "notes", migrations: ["no-stars"], checkpoint: id},
    ])
    expect(await host.say("/notes two")).toEqual(['[{"text":"one"},{"text":"two"}]'])

    put(project, first)
    const refused = await refusedReload(host)
    expect(refused).toMatchObject({code: "plugin_newer", hint: expect.stringContaining(`restore ${id} --data-only`)})
    expect(refused.detail).toMatch(/\bmigration no-stars of plugin notes, .* 20\S+; /)
    expect(refused.detail).toContain(`${why}; checkpoint ${id} `)
    expect((await statusOf(host)).generation.number).toBe(2)
    expect(await host.say("/notes three")).toEqual(['[{"text":"one"},{"text":"two"},{"text":"three"}]'])
    await host.stop()
    expect(await refusedStart(project, runtime)).toContain("the database has migration no-stars of plugin notes")

    const plan = await printed(project, `checkpoint restore ${id} --data-only --dry-run`, runtime)
    expect(plan).toMatch(/not undone +migration no-stars of plugin notes: the stars are dropped; /)
    await printed(project, `checkpoint restore ${id} --data-only`, runtime)
    const again = await startHost({project, runtime})
    expect(await again.say("/notes four")).toEqual(['[{"text":"one","stars":null},{"text":"four","stars":null}]'])
  })
})

test("if the checkpoint fails, a reload commits nothing, a start is refused, and the data stays", async () => {
  const secret = "a-token-of-the-partner"
  const env = {HTTP_TOKEN: secret}
  const host = await startHost({
    config: config.replace("port: 0", "port: 0\n  token: ${HTTP_TOKEN}"),
    plugins: {notes: notes(first)},
    args: ["--no-watch"],
    env,
  })
  const {project} = host
  await host.say("/notes one")
  project.write("package.json", JSON.stringify({name: "scratch-bot", type: "module", description: secret}))
  put(project, first, noStars)
  const refused = await refusedReload(host)
  expect(refused.code).toBe("migration_refused")
  expect(refused.detail).toContain(`${why}; could not `)
  expect((await statusOf(host)).generation.number).toBe(1)
  expect(await host.say("/notes two")).toEqual(['[{"text":"one","stars":null},{"text":"two","stars":null}]'])
  await host.stop()
  expect(await refusedStart(project, undefined, env)).toContain(why)
  expect(await checkpointsOf(project)).toEqual([])

  project.write("package.json", JSON.stringify({name: "scratch-bot", type: "module"}))
  const again = await startHost({project, env})
  expect(await again.say("/notes three")).toEqual(['[{"text":"one"},{"text":"two"},{"text":"three"}]'])
  expect(await checkpointsOf(project)).toMatchObject([{state: "verified", reason: "migration"}])
})

test("a migration needs no checkpoint on new tables, and an undeclared one on old tables does", async () => {
  const host = await startHost({config, plugins: {notes: notes(first, noStars)}, args: ["--no-watch"]})
  const {project} = host
  expect(await told(host)).toEqual([{plugin: "notes", migrations: ["first", "no-stars"], checkpoint: null}])
  project.write("plugins/other.ts", notes(first))
  project.write("svc.config.yml", `${config}  other: {}\n`)
  await reload(host)
  put(project, first, noStars, added)
  await reload(host)
  expect(await checkpointsOf(project)).toEqual([])
  put(project, first, noStars, added, silent)
  await reload(host)
  const [checkpoint] = await checkpointsOf(project)
  expect((await told(host)).slice(1)).toEqual([
    {plugin: "other", migrations: ["first"], checkpoint: null},
    {plugin: "notes", migrations: ["added"], checkpoint: null},
    {plugin: "notes", migrations: ["silent"], checkpoint: checkpoint?.id},
  ])
  await untilPrinted(host.process, /\bmigration silent of plugin notes cannot be undone: /)
})

test("a generation's migrations apply together or not at all, and a failure leaves no checkpoint", async () => {
  const host = await start()
  const {project} = host
  project.write("plugins/later.ts", notes(first, broken))
  project.write("svc.config.yml", `${config}  later: {}\n`)
  put(project, first, added)
  expect((await refusedReload(host)).detail).toContain("migration broken of plugin later failed: ")
  expect(await checkpointsOf(project)).toEqual([])
  // Neither plugin's migrations were applied, so the previous code still fits.
  put(project, first)
  project.write("svc.config.yml", config)
  await reload(host)
  expect(await host.say("/notes two")).toEqual(['[{"text":"one","stars":null},{"text":"two","stars":null}]'])
})

test("a kill at any fsync leaves the old tables, or the new ones with a verified checkpoint", async context => {
  needStrace(context)
  const host = await start()
  const {project} = host
  await host.stop()
  put(project, first, noStars)
  const applied: string[] = []
  for (let number = 4; applied.length === 0; number += 4) {
    expect(number).toBeLessThan(60)
    rmSync(project.path(".svc/host.json"), {force: true})
    const killed = startToBeKilled([...onBun.command, "runtime", "start"], "fsync,fdatasync", number, project.folder)
    await endOfIt(project, killed)
    applied.push(...(await restorePointsOf(project)))
  }
  const verified = (await checkpointsOf(project)).filter(({state}) => state === "verified").map(({id}) => id)
  expect(verified).toEqual(expect.arrayContaining(applied))
  expect(await (await startHost({own: true, project})).say("/notes two")).toEqual(['[{"text":"one"},{"text":"two"}]'])
})

/** If its fsyncs ran on more threads than usual, none of them killed the Host. Then this kills it once it serves. */
const endOfIt = async (project: Project, {finished}: Running): Promise<void> => {
  let isOver = false
  const over = finished.then(() => {
    isOver = true
  })
  await until("the Host to be killed or to serve", () => isOver || existsSync(project.path(".svc/host.json")), 120_000)
  if (!isOver) killIfThere(JSON.parse(project.read(".svc/holder.json")).pid)
  await over
}

/** Kills the process. It may have died at its fsync in the meantime. */
const killIfThere = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

/** The restore points of the applied irreversible migrations. Without one, expects the old column. */
const restorePointsOf = (project: Project): Promise<readonly string[]> =>
  withDatabase({dialect: "sqlite", file: project.path(".svc/data.sqlite")}, async database => {
    const crossed = await readCrossedByPlugins(database, 0)
    const columns = await database.read("SELECT name FROM pragma_table_info('p_notes_all')")
    expect(columns.map(({name}) => name)).toEqual(crossed.length === 0 ? ["text", "stars"] : ["text"])
    return crossed.map(({restorePoint}) => restorePoint ?? "none")
  })

test("a one-shot start on a checkpoint tries the migration, and a dry run says that it cannot", async () => {
  const host = await start()
  const {project} = host
  await host.stop()
  await printed(project, "checkpoint create")
  put(project, first, noStars)
  const once = await runCommand(project, "runtime start --once --mode test --from-checkpoint newest")
  expect(JSON.parse(once.stdout)).toMatchObject({ok: true, committed: true})
  expect(readdirSync(project.path(".svc/checkpoints")).filter(name => !name.includes("."))).toHaveLength(1)
  const report = await printedJson<MigrationReport>(project, "database migrate --dry-run")
  expect(report.plugins).toEqual([{plugin: "notes", migrations: ["first"]}])
  const text = await printed(project, "database migrate --dry-run")
  expect(text).toMatch(/plugins +notes has first; /)
  expect(text).toContain("svc runtime start --once --mode test --from-checkpoint newest")
})

test("on a remote database, the migration waits for a backup that an operator names", async () => {
  const server = await startHrana({file: join(makeFolder(), "remote.sqlite")})
  const env = {DATABASE_URL: server.url}
  const project = makeProject({
    config: `${config}database: {dialect: libsql, url: '\${DATABASE_URL}'}\n`,
    plugins: {notes: notes(first)},
    files: {".env": `DATABASE_URL=${server.url}\n`},
  })
  const host = await startHost({project, env, args: ["--no-watch"]})
  await host.say("/notes one")
  put(project, first, noStars)
  expect(await refusedReload(host)).toMatchObject({
    code: "migration_refused",
    hint: expect.stringContaining("svc checkpoint create --external-restore-point <id>"),
  })
  expect((await statusOf(host)).checkpointFailure).toBeNull()
  await host.stop()
  expect(await refusedStart(project)).toContain(why)
  const {id} = await printedJson<CheckpointDetail>(project, "checkpoint create --external-restore-point backup-7")
  const again = await startHost({project, env})
  expect((await told(again)).at(-1)).toEqual({plugin: "notes", migrations: ["no-stars"], checkpoint: id})
  expect(await again.say("/notes two")).toEqual(['[{"text":"one"},{"text":"two"}]'])
})
