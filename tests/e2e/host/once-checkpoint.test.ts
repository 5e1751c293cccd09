import {copyFileSync, existsSync, readdirSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {open} from "../../support/database/databases.ts"
import {printed, runCommand} from "../../support/host/command-line.ts"
import {bunOr, makeCheckpoint, pluginWith, startHost, type TestRuntime, until} from "../../support/host/host.ts"
import {makeProject, type Project, plainConfig} from "../../support/host/project.ts"

const first = '{name: "notes", up: table => ["CREATE TABLE " + table("notes") + " (text TEXT NOT NULL)"]}'
const unique =
  '{name: "unique", up: table => ["CREATE UNIQUE INDEX " + table("once") + " ON " + table("notes") + " (text)"]}'

/** Stores each message in a table and answers it. Its job and its endpoint leave a mark in `notes.log`. */
const keeper = (migrations: string) =>
  pluginWith(`
    const table = plugin.database.table("notes")
    plugin.database.migrate([${migrations}])
    plugin.job("mark", async () => note("job"))
    plugin.adapter("wire", {
      history: "none", account: Type.Object({}),
      open: async () => {
        note("open")
        return {send: async message => ({ids: [message.id]})}
      },
    })
    plugin.on("message-created", session => {
      session.database.write([{sql: "INSERT INTO " + table + " (text) VALUES (?)", args: [session.text]}])
      return "noted"
    })`)

const config = `${plainConfig}  keeper: {endpoints: [{id: one}]}\nworkroom: {store: file}\n`

interface Once {
  readonly ok: boolean
  readonly committed: boolean
  readonly code?: string
  readonly detail?: string
  readonly checkpoint?: Record<string, unknown> | null
}

const once = async (project: Project, args: readonly string[], runtime?: TestRuntime) => {
  const ended = await runCommand(project, ["runtime", "start", "--once", "--mode", "test", ...args], runtime)
  expect(ended.stdout).toMatch(/^\{[^\n]*\}\n$/)
  return {code: ended.code, stderr: ended.stderr, result: JSON.parse(ended.stdout) as Once}
}

/** A Host that has received "hello" twice, with a work item, a job and a checkpoint. */
const withCheckpoint = async (runtime?: TestRuntime) => {
  const project = makeProject({config, plugins: {keeper: keeper(first)}})
  const host = await startHost({project, args: ["--no-watch"], ...(runtime === undefined ? {} : {runtime})})
  for (const _ of [1, 2]) expect(await host.say("hello")).toEqual(["noted"])
  await printed(project, ["workroom", "add", "First"], runtime)
  await printed(
    project,
    "schedule add mark --every 1s --timezone UTC --missed all --plugin keeper --job mark".split(" "),
    runtime,
  )
  await until("the job to run", () => project.read("notes.log").includes("job"))
  return {project, host, checkpoint: await makeCheckpoint(project, runtime)}
}

const temporaryFiles = (project: Project) => readdirSync(project.path(".svc/tmp")).sort()

describe.each(bunOr("node22"))("svc runtime start --once --mode test --from-checkpoint on $name", runtime => {
  test("tries migrations on a copy of real data beside the running Host, without sends, jobs or leftovers", async () => {
    const {project, host, checkpoint} = await withCheckpoint(runtime)
    const files = temporaryFiles(project)
    const real = await once(project, ["--from-checkpoint", checkpoint.id], runtime)
    expect({code: real.code, stderr: real.stderr}).toEqual({code: 0, stderr: ""})
    expect(real.result).toMatchObject({
      ok: true,
      committed: true,
      endpoints: ["sandbox", "wire~one"],
      checkpoint: {
        id: checkpoint.id,
        createdAt: checkpoint.createdAt,
        schema: {before: checkpoint.schema, after: checkpoint.schema},
        inbox: 2,
        outbox: 2,
        items: 1,
        jobs: 1,
      },
    })
    expect(temporaryFiles(project)).toEqual(files)
    expect(await host.say("hello")).toEqual(["noted"])
    expect((await host.stop()).code).toBe(0)

    const before = project.read("notes.log")
    project.write("plugins/keeper.ts", keeper(`${first}, ${unique}`))
    // The migration succeeds on an empty database, but fails on the existing rows.
    expect(await once(project, [], runtime)).toMatchObject({code: 0, result: {ok: true, checkpoint: null}})
    const tried = await once(project, ["--from-checkpoint", "newest"], runtime)
    expect(tried).toMatchObject({code: 1, result: {ok: false, committed: false}})
    expect(tried.result.detail).toContain("UNIQUE constraint failed")
    expect(project.read("notes.log")).toBe(before)
    expect(temporaryFiles(project)).toEqual(files)
    const database = await open({dialect: "sqlite", file: project.path(".svc/data.sqlite")})
    expect(await database.read("SELECT count(*) AS n FROM p_keeper_notes")).toMatchObject([{n: 3}])
    await database.close()
  })
})

describe("svc runtime start --once --from-checkpoint", () => {
  test("accepts an id, newest, a folder or an archive, and reports a bad checkpoint in one line of JSON", async () => {
    const {project, host, checkpoint} = await withCheckpoint()
    await host.stop()
    const archive = project.path("bot.tar")
    await printed(project, ["checkpoint", "export", checkpoint.id, "--output", archive])
    const folder = project.path(".svc/checkpoints", checkpoint.id)
    for (const name of ["newest", folder, archive])
      expect(await once(project, ["--from-checkpoint", name])).toMatchObject({
        code: 0,
        result: {ok: true, checkpoint: {id: checkpoint.id}},
      })
    const failing = async (name: string) => {
      const {code, result} = await once(project, ["--from-checkpoint", name])
      expect({code, ok: result.ok, committed: result.committed}).toEqual({code: 1, ok: false, committed: false})
      return result.code
    }
    expect(await failing("20200101-000000-abcdef")).toBe("checkpoint_unknown")
    copyFileSync(project.path("package.json"), `${folder}/database.sqlite`)
    expect(await failing(checkpoint.id)).toBe("checkpoint_invalid")
    expect(temporaryFiles(project).filter(name => name !== "host" && name !== "plugins")).toEqual([])
    // With a store other than the data's store, the Host would not start either.
    project.write("svc.config.yml", config.replace("store: file", "store: database"))
    expect(await failing(archive)).toBe("workroom_elsewhere")
  })

  test("is rejected without --once, before it creates any state", async () => {
    const project = makeProject()
    const alone = await runCommand(project, "runtime start --from-checkpoint newest")
    expect(alone).toMatchObject({code: 1, stderr: expect.stringContaining("needs --once")})
    expect(existsSync(project.path(".svc"))).toBe(false)
  })
})
