import {appendFileSync, readdirSync, readFileSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {onBun, onNode22, type Project, startHost, svc, type TestHost, untilPrinted} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"

const configWith = (store: string) => `http: {port: 0}
workroom: {store: ${store}}
plugins: {sandbox: {}}
`

const workroom = (project: Project, ...args: string[]) => svc(onBun, project, ["workroom", ...args])

const said = async (project: Project, ...args: string[]): Promise<string> => {
  const {code, stdout, stderr} = await workroom(project, ...args)
  expect({code, stderr}).toEqual({code: 0, stderr: ""})
  return stdout.trim()
}

const refused = async (project: Project, ...args: string[]): Promise<string> => {
  const {code, stderr} = await workroom(project, ...args)
  expect(code).toBe(1)
  expect(stderr).toContain("hint: ")
  return stderr
}

test("svc workroom moves an item through its states and shows it", async () => {
  const {project} = await startHost({config: configWith("database")})
  expect(await said(project, "add", "renew it", "--priority", "high", "--label", "ops", "--as", "user:ada")).toBe(
    "item 1 is open, revision 1: renew it",
  )
  expect(await said(project, "claim", "1", "--as", "user:ada")).toBe("item 1 is active, revision 2: renew it")
  await said(project, "block", "1", "waiting for parts", "--until", "2d", "--owner", "user:grace")
  expect(await said(project, "list")).toMatch(
    /1 +3 +blocked +high +user:ada +renew it +waiting for parts, by user:grace/,
  )
  expect(await refused(project, "accept", "1")).toMatch(/\breview; item 1 is blocked\b/)
  expect(await refused(project, "unblock", "1", "--revision", "2")).toContain("item 1 is at revision 3 (blocked)")
  await said(project, "unblock", "1")
  await said(project, "review", "1")
  await said(project, "comment", "1", "well done", "--as", "user:grace")
  expect(await said(project, "accept", "1", "--revision", "6")).toContain("item 1 is done, revision 7")
  expect(await said(project, "show", "1")).toMatch(/state +done[\s\S]*comment +\S+ user:grace: well done/)
  await said(project, "add", "another")
  expect(JSON.parse(await said(project, "cancel", "2", "not needed", "--json"))).toMatchObject({
    state: "cancelled",
    comments: [{actor: "operator", text: "not needed"}],
  })
  expect((await said(project, "journal", "--limit", "2")).split("\n")).toEqual([
    expect.stringMatching(/^seq +at +actor/),
    expect.stringMatching(/^9 .* operator +2 +cancel +[0-9a-f]{12}$/),
    expect.stringMatching(/^8 .* operator +2 +add +[0-9a-f]{12}$/),
    "there are more: --limit, or --cursor 8",
  ])
  expect(problemsIn(await refused(project, "show", "7"))).toEqual(["workroom_unknown"])
  expect(await refused(project, "block", "1", "x", "--until", "soon")).toMatch(/--until soon\b/)
})

describe.each(["database", "file"])("verify and rebuild in the %s store", store => {
  const prepare = async (): Promise<TestHost> => {
    const host = await startHost({config: configWith(store)})
    for (const title of ["one", "two"]) await host.post("/api/workroom/items", {body: {title}})
    return host
  }

  test("work with the Host running and stopped, and report the result", async () => {
    const host = await prepare()
    const {project} = host
    const sound = new RegExp(`^${store} store, 2 records, 2 items, ends with [0-9a-f]{12}: sound$`)
    const running = await said(project, "verify")
    expect(running).toMatch(sound)
    expect(await refused(project, "verify", "--rebuild")).toContain("a Host holds this project")
    await host.stop()
    expect(await said(project, "verify")).toBe(running)
    expect(await said(project, "verify", "--rebuild")).toBe(running.replace("sound", "rebuilt"))
    expect(await said(project, "verify")).toBe(running)
    const next = await startHost({project, ...(onNode22 === undefined ? {} : {runtime: onNode22})})
    expect(await next.post("/api/workroom/verify")).toMatchObject({seq: 2})
  })
})

test("a changed Catalog is refused by verify, rebuilt by the command or a start, and a copy kept", async () => {
  const host = await startHost({config: configWith("file")})
  const {project} = host
  await host.post("/api/workroom/items", {body: {title: "one"}})
  await host.stop()
  const catalog = project.path(".svc/workroom-catalog.json")
  const before = readFileSync(catalog, "utf8")
  writeFileSync(catalog, before.replace("one", "two"))
  expect(await refused(project, "verify")).toContain("workroom-catalog.json was changed")
  await said(project, "verify", "--rebuild")
  expect(readFileSync(catalog, "utf8")).toBe(before)
  expect(readFileSync(`${catalog}.replaced`, "utf8")).toContain("two")
  appendFileSync(project.path(".svc/workroom-journal/0000000000000001.segment"), "torn")
  expect(await said(project, "verify")).toMatch(/\b4 bytes\b.*: sound\b/)
  const next = await startHost({project})
  await untilPrinted(next.process, /\b4 bytes of the .*\brecord 2\b/)
  const kept = readdirSync(project.path(".svc/workroom-journal")).filter(name => name.startsWith("torn-2-"))
  expect(kept.map(name => project.read(`.svc/workroom-journal/${name}`))).toEqual(["torn"])
  expect((await next.get("/api/workroom/items")).items).toHaveLength(1)
  await next.stop()
  writeFileSync(catalog, before.replace("one", "three"))
  const last = await startHost({project})
  await untilPrinted(last.process, /: .*\bCatalog\b.*\brebuilt\b.*\brecord 1\b/)
  expect(await last.get("/api/workroom/items")).toMatchObject({items: [{title: "one"}]})
  await last.stop()
  expect(readFileSync(catalog, "utf8")).toBe(before)
  expect(readFileSync(`${catalog}.replaced`, "utf8")).toContain("three")
})
