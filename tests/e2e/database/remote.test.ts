import {rmSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {exit} from "../../../shared/exit.ts"
import {type HranaServer, makeFolder, startHrana} from "../../support/database/databases.ts"
import {bunOr, expectProblem, launchHost, makeProject, startHost, svc, type TestHost} from "../../support/host/host.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {accept, echoPlugin, handledAll, post} from "../../support/messages/inbox-ledger.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const token = "a-token-of-the-remote-database"

const startServer = (): Promise<HranaServer> => startHrana({file: join(makeFolder(), "remote.sqlite"), token})

const optionsFor = (server: HranaServer, databaseToken = token) => ({
  config: `http: {port: 0}
database: {dialect: libsql, url: "${server.url}", authToken: "\${DATABASE_TOKEN}"}
plugins:
  sandbox: {}
  echo: {}
`,
  plugins: {echo: echoPlugin},
  env: {DATABASE_TOKEN: databaseToken},
})

const answered = (server: HranaServer) =>
  server.sql(
    "SELECT event_id AS id, (SELECT count(*) FROM outbox o WHERE o.inbox_seq = i.seq) AS answers FROM inbox i ORDER BY seq",
  )

const sentTo = (server: HranaServer) =>
  server
    .sql("SELECT event_id AS id FROM inbox i JOIN outbox o ON o.inbox_seq = i.seq WHERE o.state = 'sent'")
    .map(({id}) => id)

const refusal = async (options: Parameters<typeof launchHost>[0]): Promise<string> => {
  const {code, stdout, stderr} = await launchHost(options).process.finished
  expect(code).toBe(1)
  expect(stderr).toMatch(/^svc: .+\n {2}hint: .+\n$/)
  expect(stdout + stderr).not.toMatch(/\n\s+at /)
  expect(stdout + stderr).not.toContain(token)
  return stderr
}

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a Host keeps its state in a remote database and continues with it after a restart", async () => {
    const server = await startServer()
    const options = {...optionsFor(server), runtime}
    const first = await startHost(options)
    await accept(first, ["one", "two"])
    expect((await first.stop()).code).toBe(exit.ok)
    const second = await startHost({...options, project: first.project})
    expect(await second.get("/api/system/status")).toMatchObject({restarts: 1, endedCleanly: true})
    await accept(second, ["three"])
    expect(answered(server)).toEqual(["one", "two", "three"].map(id => ({id, answers: 1})))
  })

  test("a Host that loses its lease to another one stores nothing more and asks for a restart", async () => {
    const server = await startServer()
    const host = await startHost({...optionsFor(server), runtime})
    await accept(host, ["mine"])
    server.sql("UPDATE svc_lease SET runtime_id = 'other', lease = lease + 1, until = 9e15 WHERE id = 1 RETURNING 1")
    // If a renewal notices the loss before the message arrives, the Host is closing or already gone.
    const late = post(host, "late").then(async answer => (await answer.json()).code)
    expect(["lease_lost", "admission_closed", "stopping", "gone"]).toContain(await late.catch(() => "gone"))
    const {code, stdout} = await host.process.finished
    expect(code).toBe(exit.runtimeRestart)
    expect(stdout).toContain("lease_lost")
    expect(answered(server)).toEqual([{id: "mine", answers: 1}])
    expect(server.sql("SELECT count(*) AS n FROM svc_runs WHERE ended_at IS NOT NULL")).toEqual([{n: 0}])
  })
})

/** The project on another machine. Its state names the database as its own. */
const twinOf = ({project}: TestHost, server: HranaServer) => {
  const twin = makeProject(optionsFor(server))
  twin.write(".svc/authority.json", project.read(".svc/authority.json"))
  return twin
}

test("after a kill, the next Host starts as soon as the lease expires", async () => {
  const server = await startServer()
  const options = optionsFor(server)
  const killed = await startHost({own: true, ...options})
  await accept(killed, ["one"])
  await killed.stop("SIGKILL")
  server.sql("UPDATE svc_lease SET until = until - 12000 WHERE id = 1 RETURNING 1")
  const next = await startHost({own: true, ...options, project: killed.project})
  expect(await next.get("/api/system/status")).toMatchObject({restarts: 1, endedCleanly: false})
  await accept(next, ["two"])
  expect(answered(server)).toEqual(["one", "two"].map(id => ({id, answers: 1})))
})

const jobOf = (id: string) => ({
  id,
  schedule: {every: "24h"},
  timezone: "UTC",
  target: {endpoint: "sandbox", channel: "#team", text: "Stand-up"},
})

const idsOf = async (host: TestHost) => (await host.get("/api/jobs")).items.map(({id}) => id)

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a Host on another machine takes over the jobs, and edits of a stopped Host count", async () => {
    const server = await startServer()
    const options = {own: true, ...optionsFor(server), runtime}
    const killed = await startHost(options)
    await killed.post("/api/jobs", {body: jobOf("morning")})
    await killed.stop("SIGKILL")
    server.sql("UPDATE svc_lease SET until = until - 15000 WHERE id = 1 RETURNING 1")

    const twin = await startHost({...options, project: twinOf(killed, server)})
    expect(await idsOf(twin)).toEqual(["morning"])
    rmSync(twin.project.path("data/schedule-jobs.json"))
    await twin.post("/api/jobs", {body: jobOf("noon")})
    expect(twin.project.read("data/schedule-jobs.json")).toContain('"morning"')
    await twin.stop()

    const back = await startHost({...options, project: killed.project})
    expect(back.process.output()).toMatch(/\bschedule-jobs.json again\b.* 2$/m)
    expect(await idsOf(back)).toEqual(["morning", "noon"])
    await back.stop()
    expect((await svc(runtime, killed.project, ["schedule", "remove", "morning"], options)).code).toBe(exit.ok)
    expect(await idsOf(await startHost({...options, project: killed.project}))).toEqual(["noon"])
  })
})

test("the remote database's authority refuses another project's state folder without taking the lease", async () => {
  const server = await startServer()
  const host = await startHost(optionsFor(server))
  const leases = () => server.sql("SELECT runtime_id, lease FROM svc_lease")
  const [held] = leases()
  expect(await refusal(optionsFor(server))).toContain("authority.json is missing")
  await host.stop()
  expect(await refusal(optionsFor(server))).toContain("authority.json is missing")
  expect(leases()).toEqual([held])
})

test("an event whose storing loses its connection is stored once, by retry or by redelivery", async () => {
  const server = await startServer()
  const host = await startHost(optionsFor(server))
  server.cutNext("before", "INSERT INTO inbox (")
  expect((await post(host, "before")).status).toBe(202)
  server.cutNext("after", "INSERT INTO inbox (")
  await expectProblem(await post(host, "after"), 503, "database_outcome_unknown")
  expect((await post(host, "after")).status).toBe(202)
  for (const id of ["before", "after"]) await until("the answer to be sent", () => sentTo(server).includes(id))
  expect(answered(server)).toEqual(["before", "after"].map(id => ({id, answers: 1})))
})

test("a handler's answer is stored once, even if the database's response is lost", async () => {
  const server = await startServer()
  const held =
    "while (!process.getBuiltinModule('node:fs').existsSync(plugin.project + '/go ' + session.text)) await new Promise(done => setTimeout(done, 10))"
  const slow = echoPlugin.replace("await session.send", `${held}; await session.send`)
  const host = await startHost({...optionsFor(server), plugins: {echo: slow}})
  for (const when of ["before", "after"] as const) {
    expect((await post(host, when)).status).toBe(202)
    await until("the handler to run", () => server.sql("SELECT 1 FROM inbox_marks WHERE state = 'running'").length > 0)
    server.cutNext(when, "INSERT INTO outbox (")
    host.project.write(`go ${when}`, "")
    await handledAll(host)
  }
  await untilPrinted(host.process, /\bfailing; retrying\b/)
  expect(server.sql("SELECT state FROM inbox_marks")).toEqual([{state: "handled"}, {state: "handled"}])
  expect(answered(server)).toEqual(["before", "after"].map(id => ({id, answers: 1})))
})

test("an event that the database refuses is an error for its sender, who may deliver it again", async () => {
  const server = await startServer()
  const host = await startHost(optionsFor(server))
  server.sql("CREATE TRIGGER refusing BEFORE INSERT ON inbox BEGIN SELECT RAISE(ABORT, 'not now'); END")
  await expectProblem(await post(host, "one"), 503, "database_failed")
  server.sql("DROP TRIGGER refusing")
  expect((await post(host, "one")).status).toBe(202)
})

const carelessPlugin = pluginWith(`
    plugin.database.migrate([{
      name: "kept",
      up: table => ["CREATE TABLE " + table("kept") + " (text TEXT)"],
      irreversible: "the texts are gone",
    }])
    const kept = plugin.database.table("kept")
    const wrong = ["INSERT INTO nowhere VALUES (1)", "INSERT INTO " + kept + " SELECT json_extract('{', '$')"]
    plugin.on("message-created", async session => {
      const bad = /^bad (\\d+)/.exec(session.text)
      const sql = bad === null ? "INSERT INTO " + kept + " VALUES ('fine')" : wrong[Number(bad[1]) % 2]
      await session.database.write([{sql}])
    })`)

test.for(bunOr("node24"))("on $name, a plugin's wrong statements fail its own handlers only", async runtime => {
  const run = faultRun("wrong-statements")
  tellHowToRepeat(run)
  const server = await startServer()
  const options = optionsFor(server)
  const config = `${options.config}  careless: {}\n`
  const plugins = {...options.plugins, careless: carelessPlugin}
  const host = await startHost({...options, config, plugins, runtime})
  const texts = Array.from({length: run.rounds}, (_, n) => (n % 11 === 5 ? `bad ${n}` : `good ${n}`))
  for (let from = 0; from < texts.length; from += 110) {
    const answers = texts.slice(from, from + 110).map((text, n) => post(host, text, text, `chat ${n % 20}`))
    expect(new Set((await Promise.all(answers)).map(({status}) => status))).toEqual(new Set([202]))
  }
  await handledAll(host)
  const bad = texts.filter(text => text.startsWith("bad")).length
  expect(
    server.sql(
      "SELECT handler LIKE '%careless%' AS careless, state, count(*) AS n FROM inbox_marks GROUP BY 1, 2 ORDER BY 1, 3",
    ),
  ).toEqual([
    {careless: 0, state: "handled", n: texts.length},
    {careless: 1, state: "failed", n: bad},
    {careless: 1, state: "handled", n: texts.length - bad},
  ])
  expect(
    server.sql(
      "SELECT DISTINCT error LIKE '%nowhere%' OR error LIKE '%p_careless_kept%' AS named FROM inbox_marks WHERE state = 'failed'",
    ),
  ).toEqual([{named: 1}])
})
