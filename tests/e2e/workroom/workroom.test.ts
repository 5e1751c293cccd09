import {existsSync, readFileSync, rmSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {At, Input} from "../../../shared/api/operations/client.ts"
import {posting} from "../../support/host/client.ts"
import {bunOr, expectProblem, launchHost, startHost, type TestHost, until} from "../../support/host/host.ts"
import type {Project} from "../../support/host/project.ts"
import {answer} from "../../support/messages/answers.ts"

const configWith = (store: string) => `http: {port: 0, demoToken: "\${DEMO_TOKEN}"}
workroom: {store: ${store}}
permissions:
  - endpoint: sandbox
    user: grace
    permission: admin
  - endpoint: sandbox
    user: ada
    permission: trusted
plugins: {sandbox: {}, workroom: {}}
`
const env = {DEMO_TOKEN: "demo-token-of-the-tests"}
const storeNames = ["database", "file"] as const

const startWith = (store: string, more = {}) => startHost({config: configWith(store), env, ...more})

const post = (host: TestHost, path: string, body: unknown) => host.fetch(path, posting(body))

const eventsOf = async (project: Project): Promise<readonly string[]> => {
  const {open} = await import("../../support/database/databases.ts")
  const database = await open({dialect: "sqlite", file: project.path(".svc/data.sqlite")})
  const rows = (await database.read(
    "SELECT type, data FROM events WHERE type LIKE 'workroom.%' ORDER BY offset",
  )) as unknown as {readonly type: string; readonly data: string}[]
  await database.close()
  return rows.map(({type, data}) => `${JSON.parse(data).seq} ${type}`)
}

describe.each(storeNames)("work items over HTTP, in the %s store", store => {
  test.for(bunOr("node24"))("on $name, an item goes through its states with events, survives a kill", async runtime => {
    const host = await startWith(store, {runtime, own: true})
    const added = await host.post("/api/workroom/items", {body: {title: "write the docs", labels: ["docs"]}})
    expect(added).toMatchObject({id: 1, revision: 1, state: "open", createdBy: "operator"})
    await host.post("/api/workroom/items/:id/claim", {id: 1, body: {expectedRevision: 1, assignee: "agent:writer"}})
    const stale = await post(host, "/api/workroom/items/1/review", {expectedRevision: 1})
    const problem = await expectProblem(stale, 409, "workroom_stale")
    expect(problem.current).toMatchObject({id: 1, revision: 2, state: "active", assignee: "agent:writer"})
    const deadline = new Date(Date.now() + 300).toISOString()
    await host.post("/api/workroom/items/:id/block", {
      id: 1,
      body: {expectedRevision: 2, reason: "ink", deadline, actor: "user:ada"},
    })
    await until("the deadline to pass", async () => {
      return (await host.get("/api/workroom/items/:id", {id: 1})).blocker?.overdue === true
    })
    await host.stop("SIGKILL")
    const next = await startHost({project: host.project, runtime, env})
    expect(await next.get("/api/workroom/items/:id", {id: 1})).toMatchObject({state: "blocked", revision: 4})
    expect(await next.get("/api/workroom")).toMatchObject({store, seq: 4, items: {blocked: 1}, overdue: 1})
    expect(await next.post("/api/workroom/verify")).toMatchObject({seq: 4, items: 1})
    expect((await next.stop()).code).toBe(0)
    expect(await eventsOf(host.project)).toEqual([
      "1 workroom.item_added",
      "2 workroom.item_claimed",
      "3 workroom.item_blocked",
      "4 workroom.item_overdue",
    ])
  })

  test("items are listed newest first, in pages, by state and label, and an invalid body is refused", async () => {
    const host = await startWith(store)
    for (const n of [1, 2, 3])
      await host.post("/api/workroom/items", {body: {title: `item ${n}`, labels: [n === 2 ? "x" : "y"]}})
    const page = await host.get("/api/workroom/items", {limit: 2})
    expect(page.items.map(({id}) => id)).toEqual([3, 2])
    expect((await host.get("/api/workroom/items", {limit: 2, cursor: page.next ?? ""})).items[0]?.id).toBe(1)
    expect((await host.get("/api/workroom/items", {label: "x"})).items.map(({id}) => id)).toEqual([2])
    expect((await host.get("/api/workroom/items", {state: "done"})).items).toEqual([])
    await expectProblem(await post(host, "/api/workroom/items", {title: " "}), 400, "request_invalid")
    await expectProblem(await post(host, "/api/workroom/items/1/claim", {expectedRevision: 1}), 400, "request_invalid")
    await expectProblem(await host.fetch("/api/workroom/items/9"), 404, "workroom_unknown")
    await expectProblem(await post(host, "/api/workroom/items/1/accept", {expectedRevision: 1}), 409, "workroom_state")
  })
})

test.for(bunOr("node24"))("a demo token gets board and records without people's texts, on $name", async runtime => {
  const host = await startWith("database", {runtime})
  for (const title of ["renew the certificate", "order paper"])
    await host.post("/api/workroom/items", {body: {title, labels: title.split(" ", 1), assignee: "user:ada"}})
  await host.post("/api/workroom/items/:id/claim", {id: 1, body: {expectedRevision: 1, assignee: "user:grace"}})
  await host.post("/api/workroom/items/:id/comment", {id: 2, body: {expectedRevision: 1, text: "how much?"}})
  const board = await host.get("/api/workroom/board", {limit: 1})
  expect(board).toMatchObject({seq: 4})
  expect(board.columns.map(({state, total}) => `${state} ${total}`)).toEqual([
    "blocked 0",
    "open 1",
    "active 1",
    "review 0",
    "done 0",
    "cancelled 0",
  ])
  expect(board.columns[1]?.items).toMatchObject([{id: 2, revision: 2, comments: 1, title: "order paper"}])
  const found = async (query: Input<At<"GET", "/api/workroom/board">>) =>
    (await host.get("/api/workroom/board", query)).columns.flatMap(({items}) => items.map(({id}) => id))
  expect(await found({text: "CERTIFICATE"})).toEqual([1])
  expect(await found({label: "order"})).toEqual([2])
  expect(await found({assignee: "user:grace"})).toEqual([1])
  await expectProblem(await host.fetch("/api/workroom/board?limit=0"), 400, "request_invalid")
  const records = await host.get("/api/workroom/items/:id/journal", {id: 2, limit: 1})
  expect(records).toMatchObject({items: [{seq: 4, item: 2, command: {is: "comment", text: "how much?"}}], next: "4"})
  const rest = await host.get("/api/workroom/items/:id/journal", {id: 2, cursor: records.next ?? ""})
  expect(rest).toMatchObject({items: [{seq: 2, command: {is: "add"}}], next: null})
  await expectProblem(await host.fetch("/api/workroom/items/3/journal"), 404, "workroom_unknown")
  await expectProblem(await host.fetch("/api/workroom/items/x/journal"), 404, "workroom_unknown")
  const demo = {headers: {authorization: `Bearer ${env.DEMO_TOKEN}`}}
  const shown = await (await host.fetch("/api/workroom/board", demo)).text()
  expect(JSON.parse(shown).columns[1].items).toMatchObject([{id: 2, state: "open", comments: 1}])
  expect(shown).not.toMatch(/user:|"title"/)
  for (const path of ["board?text=paper", "board?assignee=user:ada", "items/1/journal"])
    await expectProblem(await host.fetch(`/api/workroom/${path}`, demo), 403, "forbidden")
})

test("in chat the sender is the actor, and needs the permission for each command", async () => {
  const host = await startWith("database")
  const say = async (user: string, text: string) => (await host.say(text, {user})).join("\n")
  expect(await say("ada", "/item add write the docs")).toBe("#1 open - write the docs")
  expect(await say("ada", "/item claim 1")).toBe("#1 active - write the docs (user:sandbox/ada)")
  expect(await say("ada", "/item block 1 waiting for ink --until 2030-01-31")).toContain("#1 blocked: waiting for ink")
  expect(await host.get("/api/workroom/items/:id", {id: 1})).toMatchObject({
    createdBy: "user:sandbox/ada",
    conversation: {endpoint: "sandbox", channel: "chat"},
    blocker: {deadline: "2030-01-31T00:00:00.000Z"},
  })
  expect(await say("ada", "/item block 1 again")).toBe(
    answer("workroom.state", {command: "block", wanted: "active", id: "1", state: "blocked"}),
  )
  expect(await say("ada", "/item show 7")).toBe(answer("workroom.unknown", {id: "7"}))
  await say("ada", "/item unblock 1")
  await say("ada", "/item comment 1 nearly there")
  expect(await say("ada", "/item review 1")).toBe("#1 review - write the docs (user:sandbox/ada)")
  expect(await say("ada", "/item accept 1")).toBe("/item accept needs the permission admin.")
  expect(await say("stranger", "/item list")).toBe("/item list needs the permission trusted.")
  expect(await say("grace", "/item accept 1")).toBe("#1 done - write the docs (user:sandbox/ada)")
  expect(await say("grace", "/item list")).toBe(answer("workroom.noneOpen"))
  expect(await say("grace", "/item list done")).toContain("#1 done")
  expect(await say("grace", "/item show 1")).toContain("user:sandbox/ada: nearly there")
})

describe("the authority of the workroom", () => {
  const refusal = async (project: Project): Promise<string> => {
    const {code, stdout, stderr} = await launchHost({project, env}).process.finished
    expect(code).toBe(1)
    expect(stderr).toContain("hint: ")
    expect(stdout + stderr).not.toMatch(/\n\s+at /)
    return stderr
  }

  const used = async (store: string): Promise<{project: Project; authority: string}> => {
    const host = await startWith(store)
    await host.post("/api/workroom/items", {body: {title: "ours"}})
    const status = await host.get("/api/system/status")
    expect(status.workroom).toMatchObject({store, authority: status.authority, seq: 1})
    await host.stop()
    return {project: host.project, authority: status.authority}
  }

  test("refuses files of another project, and names both authorities", async () => {
    const [ours, other] = [await used("file"), await used("file")]
    const take = (name: string) => ours.project.write(`.svc/${name}`, other.project.read(`.svc/${name}`))
    take("workroom-journal/acknowledged")
    expect(await refusal(ours.project)).toMatch(new RegExp(`\\backnowledged under ${other.authority}: `))
    take("workroom-catalog.json")
    const refused = await refusal(ours.project)
    expect(refused).toMatch(new RegExp(`authority ${ours.authority}, .*: database .*, event log .*, authority file `))
    expect(refused).toMatch(new RegExp(`authority ${other.authority}, .*: workroom Journal `))
    take("workroom-journal/0000000000000001.segment")
    expect(await refusal(ours.project)).toBe(refused)
  })

  test("refuses a Journal of another project, and names the authority it should have", async () => {
    const [ours, other] = [await used("file"), await used("file")]
    const segment = ".svc/workroom-journal/0000000000000001.segment"
    ours.project.write(segment, readFileSync(other.project.path(segment)))
    expect(await refusal(ours.project)).toMatch(
      new RegExp(`record 1 in 0{15}1.segment, at byte 0: .*\\bauthority ${ours.authority}`),
    )
  })

  test("refuses a start if the files were lost", async () => {
    const {project} = await used("file")
    rmSync(project.path(".svc/workroom-journal"), {recursive: true})
    rmSync(project.path(".svc/workroom-catalog.json"))
    expect(await refusal(project)).toMatch(/\bworkroom-journal is missing\b/)
    expect(existsSync(project.path(".svc/workroom-catalog.json"))).toBe(false)
  })

  test.each([
    ["database", "file"],
    ["file", "database"],
  ])("keeps items in the %s store from being left behind for the %s store", async (from, to) => {
    const {project} = await used(from)
    project.write("svc.config.yml", configWith(to))
    expect(await refusal(project)).toMatch(new RegExp(`\\bworkroom\\.store is ${to}, .* ${from} store`))
    project.write("svc.config.yml", configWith(from))
    expect((await startHost({project, env})).runtimeId).not.toBe("")
  })
})
