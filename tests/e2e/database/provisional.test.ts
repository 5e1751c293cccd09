import {existsSync} from "node:fs"
import {createServer} from "node:http"
import {join} from "node:path"
import {describe, expect, onTestFinished, test} from "vitest"
import type {Status} from "../../../shared/api/system.ts"
import {exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {type HranaServer, makeFolder, startHrana} from "../../support/database/databases.ts"
import {readinessOf} from "../../support/host/generation.ts"
import {expectProblem, type HostOptions, launchHost, startHost, svc, type TestHost} from "../../support/host/host.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {bunAnd, bunOr, usualRuntime} from "../../support/host/runtimes.ts"
import {fakeNotify} from "../../support/machine/fake-notify.ts"
import {listen} from "../../support/machine/listen.ts"
import {freePort} from "../../support/machine/ports.ts"
import {notesIn, pluginWith} from "../../support/plugins/plugin-sources.ts"

const env = {HTTP_TOKEN: "the-full-token-of-the-provisional-test", DATABASE_TOKEN: "a-token-of-the-remote-database"}

/** A remote database that can go offline and come back at the same address. */
const remoteDatabase = async () => {
  const place = {file: join(makeFolder(), "remote.sqlite"), token: env.DATABASE_TOKEN, port: await freePort()}
  return {url: `http://127.0.0.1:${place.port}`, start: (): Promise<HranaServer> => startHrana(place)}
}

/** Notes in `notes.log` its `setup` and everything with an effect: an opened endpoint and a fired job. */
const wire = pluginWith(`
    note("setup")
    plugin.defer(() => note("disposed"))
    plugin.job("tick", {description: "Notes that it was fired"}, () => note("fired"))
    plugin.adapter("wire", {
      history: "none",
      webhook: async () => new Response("taken", {status: 202}),
      open: async () => {
        note("open")
        return {send: async message => ({ids: [message.id]})}
      },
    })`)

const configOf = (url: string, wireEntry = "{}", port = 0) => `http:
  port: ${port}
  token: \${HTTP_TOKEN}
  readiness: {database: false, endpoints: [{owner: root/wire, name: wire}]}
database: {dialect: libsql, url: "${url}", authToken: "\${DATABASE_TOKEN}"}
plugins:
  sandbox: {}
  wire: ${wireEntry}
`

const jobs = JSON.stringify({
  version: 1,
  jobs: [{id: "tick", schedule: {every: "1s"}, timezone: "UTC", target: {plugin: "wire", job: "tick"}}],
})

const quiet = ["--no-watch"]
const optionsFor = (url: string): HostOptions => ({config: configOf(url), plugins: {wire}, env, args: quiet})

const probe = async (host: Pick<TestHost, "url">, name: string) =>
  (await fetch(new URL(`/pub/${name}`, host.url))).status
const statusOf = (host: TestHost) => host.get("/api/system/status")
/** Waits until the Host has reached its database and recorded its generation there. */
const untilCommitted = (host: TestHost): Promise<Static<typeof Status>> =>
  until("the database to be reached", async () => {
    const status = await statusOf(host)
    return status.provisional === undefined && status
  })

/** Polls `/pub/ready`. The returned function ends that and resolves to all answers other than 200. */
const watchReady = (host: TestHost) => {
  let isOver = false
  const watching = (async () => {
    const others: number[] = []
    while (!isOver) {
      const status = await probe(host, "ready")
      if (status !== 200) others.push(status)
      await new Promise(done => setTimeout(done, 5))
    }
    return others
  })()
  const end = () => {
    isOver = true
    return watching
  }
  onTestFinished(() => void end())
  return end
}

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a Host that does not require its database runs provisionally without it, and commits once it answers", async () => {
    const remote = await remoteDatabase()
    const server = await remote.start()
    const first = await startHost({own: true, ...optionsFor(remote.url), runtime})
    expect(await statusOf(first)).toMatchObject({generation: {number: 1}})
    await first.stop("SIGKILL")
    // The killed Host's lease is still valid for a while after the database is back.
    server.sql("UPDATE svc_lease SET until = until - 9000 WHERE id = 1 RETURNING 1")
    await server.close()
    const project = first.project
    project.write("notes.log", "")
    project.write("data/schedule-jobs.json", jobs)

    const {variables, told} = fakeNotify()
    const host = await startHost({own: true, ...optionsFor(remote.url), env: {...env, ...variables}, project, runtime})
    await until("systemd to be told", () => told().includes("READY=1 STATUS=ready"))
    expect(await probe(host, "health")).toBe(200)
    expect(await probe(host, "ready")).toBe(200)
    const report = await readinessOf(host)
    expect(report).toMatchObject({ready: true, generation: 2, provisional: true, committedAt: null})
    expect(report.components).toMatchObject([
      {name: "wire", required: true, ready: true, message: expect.stringContaining("not open")},
      {
        kind: "database",
        required: false,
        ready: false,
        reason: "database_unreachable",
        message: expect.stringContaining(new URL(remote.url).host),
        remediation: {text: expect.stringContaining("database.url"), command: "svc doctor"},
      },
      {name: "sandbox"},
    ])
    expect(await statusOf(host)).toMatchObject({
      ready: true,
      generation: {number: 2, reason: "provisional"},
      provisional: {attempts: expect.any(Number), error: expect.stringContaining("does not answer")},
      database: {dialect: "libsql", state: "unreachable"},
    })
    const {items} = await host.get("/api/endpoints")
    expect(items[0]).toMatchObject({name: "wire", required: true, state: "idle", admission: "closed"})

    for (const [path, method] of [
      ["/hooks/wire/wire", "POST"],
      ["/api/plugins/sandbox/messages", "POST"],
      ["/api/outbox", "POST"],
      ["/api/inbox", "GET"],
      ["/satori/v1/message.create", "POST"],
    ] as const) {
      const refused = await host.fetch(path, {method})
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      await expectProblem(refused, 503, "database_unopenable")
    }
    expect((await host.fetch("/console/", {headers: {authorization: ""}})).status).toBe(200)
    await expectProblem(await host.fetch("/api/system/status", {headers: {authorization: ""}}), 401, "unauthorized")
    const stream = await host.fetch("/api/events")
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    const status = await svc(runtime, project, ["runtime", "status"], {env: {SVC_HTTP_TOKEN: env.HTTP_TOKEN}})
    expect(status.stdout).toMatch(/^provisional .*; \d+ attempts/m)
    expect(status.stdout).not.toMatch(/^(ingress|checkpoint|running for|authority) /m)
    const live = await svc(runtime, project, ["doctor", "--live", host.url], {env: {SVC_HTTP_TOKEN: env.HTTP_TOKEN}})
    expect(live).toMatchObject({code: 0, stdout: expect.stringContaining("generation 2 (provisional: ")})
    // Longer than the job's interval and than the pause between two attempts.
    await until("another attempt", async () => ((await statusOf(host)).provisional?.attempts ?? 0) > 2)
    expect(notesIn(host.project)).toEqual(["setup"])

    const endWatch = watchReady(host)
    const back = await remote.start()
    expect(await untilCommitted(host)).toMatchObject({
      ready: true,
      runtimeId: host.runtimeId,
      generation: {number: 2, reason: "started"},
    })
    expect(await endWatch()).toEqual([])
    expect(back.sql("SELECT number, runtime_id FROM generations ORDER BY number DESC LIMIT 1")).toEqual([
      {number: 2, runtime_id: host.runtimeId},
    ])
    expect(await stream.text()).toMatch(/^retry: 2000\n/)
    expect((await readinessOf(host)).provisional).toBeUndefined()
    await until("the endpoint to be opened", () => notesIn(host.project).includes("open"))
    expect(notesIn(host.project).slice(0, 3)).toEqual(["setup", "disposed", "setup"])
    await until("the job to fire", () => notesIn(host.project).includes("fired"))
    expect((await host.fetch("/hooks/wire/wire", {method: "POST"})).status).toBe(202)
    expect((await host.stop()).code).toBe(exit.ok)
  })
})

test.for(bunOr("node24"))("on $name, a signal stops a provisional Host gracefully", async runtime => {
  const {url} = await remoteDatabase()
  const host = await startHost({own: true, ...optionsFor(url), runtime})
  expect(await readinessOf(host)).toMatchObject({ready: true, generation: 1, provisional: true})
  expect((await host.stop()).code).toBe(exit.ok)
  expect(notesIn(host.project)).toEqual(["setup", "disposed"])
  expect(existsSync(host.project.path(".svc/host.json"))).toBe(false)
})

test("a provisional Host is not ready if the plugin of a required endpoint is disabled", async () => {
  const {url} = await remoteDatabase()
  const host = await startHost({own: true, ...optionsFor(url), config: configOf(url, "{enabled: false}")})
  expect(await probe(host, "ready")).toBe(503)
  expect(await readinessOf(host)).toMatchObject({ready: false, provisional: true})
  expect((await readinessOf(host)).components[0]).toMatchObject({name: "wire", reason: "plugin_disabled"})
})

const collecting = {NODE_OPTIONS: "--expose-gc --import=data:text/javascript,setInterval(gc,20).unref()"}

describe.each(bunAnd("node22"))("on $name", runtime => {
  test("a database that accepts connections but never answers is reported in time and does not delay a stop", async () => {
    const port = await freePort()
    const silent = createServer(() => {})
    await listen(silent, port)
    const options = optionsFor(`http://127.0.0.1:${port}`)
    const host = await startHost({own: true, ...options, runtime, env: {...env, ...collecting}})
    await untilPrinted(host.process, `127.0.0.1:${port} does not answer: timed out after 10 s`)
    expect(await probe(host, "ready")).toBe(200)
    expect((await statusOf(host)).provisional?.error).toContain(`127.0.0.1:${port} does not answer`)
    expect((await host.stop()).code).toBe(exit.ok)
  })
})

test("a plugin that an operator disabled stays disabled while the database is unreachable", async () => {
  const remote = await remoteDatabase()
  const server = await remote.start()
  const first = await startHost({own: true, ...optionsFor(remote.url)})
  await first.post("/api/plugins/:plugin", {plugin: "wire", body: {enabled: false}})
  await until("the generation to be noted", () => first.project.read(".svc/generation.json").includes('"number":2'))
  await first.stop()
  await server.close()
  first.project.write("notes.log", "")
  const host = await startHost({own: true, ...optionsFor(remote.url), project: first.project})
  expect(await probe(host, "ready")).toBe(503)
  expect((await readinessOf(host)).components[0]).toMatchObject({
    name: "wire",
    reason: "plugin_disabled",
    remediation: {command: "svc plugin enable wire"},
  })
  expect((await statusOf(host)).pin).toEqual({number: 2})
  expect(notesIn(host.project)).toEqual([])
})

test("a Host is not ready while a plugin's setup waits for the database, and ready afterwards", async () => {
  const remote = await remoteDatabase()
  const asking = pluginWith(`
    plugin.adapter("wire", {history: "none", open: async () => ({send: async message => ({ids: [message.id]})})})
    return plugin.database.read("SELECT 1 AS one").then(() => note("read"))`)
  const host = await startHost({own: true, ...optionsFor(remote.url), plugins: {wire: asking}})
  expect(await probe(host, "ready")).toBe(503)
  expect(await readinessOf(host)).toMatchObject({
    ready: false,
    generation: null,
    lastFailure: expect.stringContaining("plugins/wire.ts"),
    components: [{kind: "database", reason: "database_unreachable"}],
  })
  await remote.start()
  expect(await untilCommitted(host)).toMatchObject({ready: true, generation: {number: 1}, lastFailure: null})
  expect(notesIn(host.project)).toEqual(["read"])
})

test("a Host exits when the database answers and refuses it, as it would at startup", async () => {
  const remote = await remoteDatabase()
  const options = {...optionsFor(remote.url), env: {...env, DATABASE_TOKEN: "a-wrong-token"}}
  const host = await startHost({own: true, ...options})
  expect(await probe(host, "ready")).toBe(200)
  const doctor = await svc(usualRuntime, host.project, ["doctor"], {env})
  expect(doctor.stdout).toMatch(/^ERROR {3}database: .*\bretries: ./m)
  await remote.start()
  const {code, stderr} = await host.process.finished
  expect(code).toBe(exit.failed)
  expect(stderr).toMatch(/^svc: .*\bremote database\b/)
  const {code: again} = await launchHost({...options, project: host.project}).process.finished
  expect(again).toBe(exit.failed)
})

test("a broken configuration or plugin fails the start even without the database", async () => {
  const {url} = await remoteDatabase()
  const plugins = {wire: pluginWith('throw new Error("broken")')}
  const {code, stderr} = await launchHost({...optionsFor(url), plugins}).process.finished
  expect(code).toBe(exit.failed)
  expect(stderr).toContain("broken")
})

test("a Host that requires its database exits if the database does not answer", async () => {
  const {url} = await remoteDatabase()
  const config = configOf(url).replace("database: false, ", "")
  const launched = launchHost({...optionsFor(url), config, runtime: usualRuntime})
  await untilPrinted(launched.process, /\bremote database at\b/)
  expect((await launched.process.finished).code).toBe(exit.failed)
})
