import {randomUUID} from "node:crypto"
import {existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync} from "node:fs"
import {expect, test} from "vitest"
import {epochOf} from "../../../shared/event-id.ts"
import {changeDatabase, open} from "../../support/database/databases.ts"
import {printed, runCommand} from "../../support/host/command-line.ts"
import {launchHost, makeProject, type Project, plainConfig, startHost} from "../../support/host/host.ts"

const file = ".svc/authority.json"

/** A project after a Host has started and stopped gracefully in it, and the authority that this Host minted. */
const startedProject = async (): Promise<{project: Project; authority: string}> => {
  const host = await startHost()
  const {authority} = await host.get("/api/system/status")
  expect((await host.stop()).code).toBe(0)
  return {project: host.project, authority}
}

const refusal = async (project: Project): Promise<string> => {
  const {code, stdout, stderr} = await launchHost({project}).process.finished
  expect(code).toBe(1)
  expect(stderr).toContain("hint: ")
  expect(stdout + stderr).not.toMatch(/\n\s+at /)
  return stderr
}

const authorityOf = async (project: Project): Promise<string> => {
  const host = await startHost({project})
  const {authority} = await host.get("/api/system/status")
  await host.stop()
  return authority
}

test("the authority is minted once and stays the same at every start", async () => {
  const {project, authority} = await startedProject()
  expect(JSON.parse(readFileSync(project.path(file), "utf8"))).toEqual({authority})
  expect(await authorityOf(project)).toBe(authority)
})

test("a missing authority file is refused, with the content to put there", async () => {
  const {project, authority} = await startedProject()
  rmSync(project.path(file))
  const text = await refusal(project)
  expect(text).toContain(project.path(file))
  expect(text).toContain("Restore .svc/ from the backup")
  const content = /put (\{.*?\}) into that file/.exec(text)?.[1] ?? ""
  project.write(file, content)
  expect(await authorityOf(project)).toBe(authority)
})

test("an authority file that contradicts the database is refused, and the error names both authorities", async () => {
  const {project, authority} = await startedProject()
  const other = randomUUID()
  project.write(file, JSON.stringify({authority: other}))
  const text = await refusal(project)
  expect(text).toContain(authority)
  expect(text).toContain(other)
  expect(text).toMatch(/\n {2}hint: .*\{"authority":"/)
})

test("a new database is refused in a project that had one", async () => {
  const {project, authority} = await startedProject()
  for (const end of ["", "-wal", "-shm"]) rmSync(project.path(`.svc/data.sqlite${end}`), {force: true})
  const text = await refusal(project)
  expect(text).toContain(authority)
  expect(text).toMatch(/\bdatabase\b.*\breplaced\b/)
  expect(text).toContain("Restore the database")
})

test("a start without the database's folder names it and two remedies, and does not create it", async () => {
  const config = `${plainConfig}database: {dialect: sqlite, filename: data/bot.sqlite}\n`
  const host = await startHost({config})
  const {authority} = await host.get("/api/system/status")
  await host.stop()
  const {project} = host
  const [data, away] = [project.path("data"), project.path("away")]
  renameSync(data, away)
  const missing = await refusal(project)
  expect(missing).toMatch(/\bdata\/bot\.sqlite is missing \(.* data\/\), .*\.svc\/authority\.json\b/)
  expect(missing).toMatch(/\bmount\b.* data\//)
  expect(missing).toMatch(/\bempty database, remove \.svc\/authority\.json\b/)
  expect(existsSync(data)).toBe(false)
  mkdirSync(data)
  expect(await refusal(project)).toContain("(the folder data/ is empty)")
  expect(readdirSync(data)).toEqual([])
  rmdirSync(data)
  renameSync(away, data)
  expect(await authorityOf(project)).toBe(authority)
})

test.each(["database", "file"])(
  "with work items in the %s store, startup, doctor and commands report all contradicting authorities",
  async store => {
    const config = `${plainConfig}workroom: {store: ${store}}\n`
    const job = `{"version": 1, "jobs": []}`
    const host = await startHost({config, files: {"data/schedule-jobs.json": job}})
    const {authority, epoch, authorities} = await host.get("/api/system/status")
    expect(authorities.map(each => [each.part, each.authority])).toEqual(
      ["database", "event log", "workroom Journal", "job file"].map(part => [part, authority]),
    )
    const {project} = host
    expect(await printed(project, "runtime status")).toContain(
      `${authority}, epoch ${epoch}, of database, event log, workroom Journal, job file`,
    )
    await host.stop()
    const [one, two] = [randomUUID(), randomUUID()]
    project.write("data/schedule-jobs.json", JSON.stringify({version: 1, authority: one, jobs: []}))
    await changeDatabase(project.path(".svc/data.sqlite"), `UPDATE event_retention SET authority = '${two}'`)
    const before = [project.read(file), project.read("data/schedule-jobs.json")]
    const told = await refusal(project)
    expect(told).toContain(`authority ${authority}, epoch ${epoch}: database (.svc/data.sqlite), authority file (`)
    expect(told).toContain(`authority ${two}, epoch ${epochOf(two)}: event log (table events)`)
    expect(told).toContain(`authority ${one}, epoch ${epochOf(one)}: job file (data/schedule-jobs.json)`)
    expect(told).toContain("svc checkpoint restore")
    const {stderr} = await runCommand(project, "checkpoint create")
    expect(stderr).toContain(two)
    const {stdout} = await runCommand(project, "doctor")
    expect(stdout).toContain(`authority ${one}, epoch`)
    expect((await runCommand(project, "schedule remove digest")).stderr).toMatch(/\btwo different histories\b/)
    expect([project.read(file), project.read("data/schedule-jobs.json")]).toEqual(before)
  },
)

test.each(["", "{", "null", '{"authority":7}'])("a damaged authority file (%j) is refused and kept", async text => {
  const {project} = await startedProject()
  project.write(file, text)
  expect(await refusal(project)).toMatch(new RegExp(`^svc: ${project.path(file)} .*\\bauthority\\b`))
  expect(readFileSync(project.path(file), "utf8")).toBe(text)
})

const minted = randomUUID()
const fileStates = {missing: undefined, minting: {authority: minted, minting: true}, complete: {authority: minted}}
const databaseStates = {
  missing: async () => {},
  empty: async (path: string) => writeFileSync(path, ""),
  unnamed: async (path: string) => (await open({dialect: "sqlite", file: path})).close(),
  named: async (path: string) => {
    await databaseStates.unnamed(path)
    await changeDatabase(path, `INSERT INTO svc_meta (key, value) VALUES ('authority', '${minted}')`)
    await changeDatabase(path, `UPDATE event_retention SET authority = '${minted}'`)
  },
}

/** What a start does after the first start lost its power, before it acknowledged anything. */
test.each([
  ["missing", "missing", "is a first one"],
  ["empty", "missing", "is a first one"],
  ["unnamed", "missing", "is a first one"],
  ["named", "missing", "is refused"],
  ["missing", "minting", "completes it"],
  ["empty", "minting", "completes it"],
  ["unnamed", "minting", "completes it"],
  ["named", "minting", "completes it"],
  ["missing", "complete", "is refused"],
  ["empty", "complete", "is refused"],
  ["unnamed", "complete", "is refused"],
  ["named", "complete", "completes it"],
] as const)("with a database that is %s and an authority that is %s, a start %s", async (database, own, outcome) => {
  const content = fileStates[own]
  const project = makeProject({files: content === undefined ? {} : {[file]: JSON.stringify(content)}})
  mkdirSync(project.path(".svc"), {recursive: true})
  await databaseStates[database](project.path(".svc/data.sqlite"))
  if (outcome === "is refused") {
    expect(await refusal(project)).toMatch(
      own === "missing" ? /put \{.*\} into that file/ : /remove|Restore the database/,
    )
    return
  }
  const authority = await authorityOf(project)
  expect(authority === minted).toBe(outcome === "completes it")
  expect(JSON.parse(readFileSync(project.path(file), "utf8"))).toEqual({authority})
  expect(await authorityOf(project)).toBe(authority)
})
