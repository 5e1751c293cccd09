import {expect, test} from "vitest"
import {readHistoryOf} from "../../support/events/reader.ts"
import {posting} from "../../support/host/client.ts"
import {eventOf, expectProblem, pluginWith, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {makeProject} from "../../support/host/project.ts"
import {bunOr, onBun} from "../../support/host/runtimes.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"
import {gapsOf, untilGaps} from "../../support/messages/gaps.ts"
import {echoPlugin, post} from "../../support/messages/inbox-ledger.ts"
import {messageIn, tell} from "../../support/messages/messages.ts"
import {untilOnline} from "../../support/platforms/endpoint.ts"

const twoRuntimes = bunOr("node22")
const config = `http: {port: 0, readiness: {endpoints: [{owner: root/sandbox, name: sandbox}]}}
plugins: {sandbox: {}, echo: {}}
`
/** The same, with an endpoint that is always up to date. Messages that arrive there during a pause are lost. */
const withLine = {
  config: config.replace("echo: {}", "echo: {}, line: {}"),
  plugins: {
    echo: echoPlugin,
    line: pluginWith(`plugin.adapter("line", {
      history: "none",
      open: async () => ({send: async ({id}) => ({ids: [id]}), lag: () => 0}),
    })`),
  },
}
const viewOf = (host: TestHost) => host.get("/api/ingress")
const reportOf = (host: TestHost) => host.get("/api/system/readiness")

test.each(twoRuntimes)("a pause admits and sends nothing, stays ready, each view says why, on $name", async runtime => {
  const host = await startHost({runtime, ...withLine})
  expect(await host.say("hello")).toEqual(["echo hello"])
  const {stdout, code} = await svc(runtime, host.project, ["ingress", "pause"])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^paused \(operator\) since \S+Z\n$/)

  const refused = await post(host, "one")
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  await expectProblem(refused, 503, "ingress_paused")
  const unsent = await host.fetch("/api/outbox", posting({endpoint: "sandbox", channel: "chat", text: "new"}))
  expect(Number(unsent.headers.get("retry-after"))).toBeGreaterThan(0)
  await expectProblem(unsent, 503, "ingress_paused")
  expect(await host.get("/api/endpoints")).toMatchObject({
    items: ["sandbox", "line"].map(name => ({name, state: "online", admission: "closed", reason: "ingress_paused"})),
  })

  const paused = await viewOf(host)
  expect(paused).toEqual({state: "paused", reasons: ["operator"], since: expect.any(String)})
  expect((await host.fetch("/pub/ready")).status).toBe(200)
  const report = await reportOf(host)
  expect(report).toMatchObject({ready: true, ingress: paused})
  expect(report.components.find(({name}) => name === "sandbox")).toMatchObject({
    ready: true,
    check: "admission_open",
    message: expect.stringMatching(/\bIngress is paused \(operator\)/),
    remediation: {command: "svc ingress resume"},
  })
  expect(await host.get("/api/system/status")).toMatchObject({ready: true, ingress: paused})
  const gaps = await until("the gap", async () => {
    const found = await gapsOf(host)
    return found.length > 0 && found
  })
  expect(gaps).toMatchObject([{endpoint: "line", reason: "ingress_paused", to: null, planned: false}])

  expect((await svc(runtime, host.project, ["ingress", "resume"])).stdout).toMatch(/^open since \S+Z\n$/)
  expect((await post(host, "one")).status).toBe(202)
  const [gap, ...others] = await untilGaps(host, 1)
  expect(others).toEqual([])
  expect(gap).toMatchObject({from: paused.since, reason: "ingress_paused", to: (await viewOf(host)).since})
})

test("events accepted before a pause are handled and answered, and the outbox drains", async () => {
  const slow = pluginWith(`plugin.on("message-created", async session => {
      note("begun")
      while (!existsSync(join(plugin.project, "go"))) await sleep(10)
      await session.send("late answer")
    })`)
  const host = await startHost({config, plugins: {echo: slow}})
  const seq = await tell(host, {text: "hello"})
  await until("the handler to begin", () => host.project.read("notes.log") !== "")
  await host.post("/api/ingress/pause")
  host.project.write("go", "")
  const {state, replies} = await eventOf(host, seq)
  expect(state).toBe("handled")
  expect(await messageIn(host, replies[0] ?? "", "sent")).toMatchObject({text: "late answer"})
})

test("a pause lasts across a kill and a stop until its own reason is removed", async () => {
  const host = await startHost({own: true, ...withLine})
  await untilOnline(host)
  await host.post("/api/ingress/pause", {body: {reason: "release"}})
  await host.post("/api/ingress/pause", {body: {reason: "operator"}})
  const paused = await viewOf(host)
  await host.stop("SIGKILL")
  const second = await startHost({own: true, project: host.project})
  expect(await viewOf(second)).toMatchObject({state: "paused", since: paused.since})
  expect([...(await viewOf(second)).reasons].sort()).toEqual(["operator", "release"])
  await expectProblem(await post(second, "one"), 503, "ingress_paused")
  await second.post("/api/ingress/resume", {body: {reason: "operator"}})
  expect(await viewOf(second)).toEqual({...paused, reasons: ["release"]})
  await second.stop()
  const third = await startHost({own: true, project: host.project})
  expect(await viewOf(third)).toEqual({...paused, reasons: ["release"]})
  await third.post("/api/ingress/resume", {body: {reason: "release"}})
  expect((await post(third, "one")).status).toBe(202)
  // During the pause the endpoint was either connected or the Host was down, so one gap covers the whole pause.
  const [gap, ...others] = await untilGaps(third, 1)
  expect(others).toEqual([])
  expect(gap).toMatchObject({from: paused.since, reason: "ingress_paused"})
  await third.stop("SIGKILL")
  expect(await viewOf(await startHost({project: host.project}))).toMatchObject({state: "open", reasons: []})
})

test("only an operator's reasons are accepted, and the demo token may look but not pause", async () => {
  const host = await startHost({
    config: "http: {port: 0, token: '${HTTP_TOKEN}', demoToken: '${DEMO}'}\nplugins: {sandbox: {}}\n",
    env: {HTTP_TOKEN: "full-token-of-the-tests", DEMO: "demo-token-of-the-tests"},
  })
  const asDemo = {authorization: "Bearer demo-token-of-the-tests"}
  await expectProblem(await host.fetch("/api/ingress/pause", posting({reason: "disk"})), 400, "request_invalid")
  await expectProblem(await host.fetch("/api/ingress/pause", posting({}, asDemo)), 403, "forbidden")
  expect((await host.fetch("/api/ingress", {headers: asDemo})).status).toBe(200)
  expect(await viewOf(host)).toMatchObject({state: "open"})
})

test("the reason disk is set at startup and not stored: a start with enough space opens ingress", async context => {
  needMounts(context)
  const project = makeProject({config: `${config}ingress: {minimumFree: 8}\n`, plugins: {echo: echoPlugin}})
  const disk = mountDisk(project.path(".svc"), "6m")
  const host = await startHost({project})
  expect(await viewOf(host)).toMatchObject({state: "paused", reasons: ["disk"]})
  await expectProblem(await post(host, "one"), 503, "ingress_paused")
  await host.stop()
  disk.resize("64m")
  const later = await startHost({runtime: onBun, project})
  expect(await viewOf(later)).toMatchObject({state: "open", reasons: []})
  expect((await post(later, "one")).status).toBe(202)
})

test("ten identical pause requests at once pause ingress once and record one event", async () => {
  const host = await startHost({config: "http: {port: 0}\nplugins: {sandbox: {}}\n"})
  const change = (how: "pause" | "resume") =>
    Promise.all(Array.from({length: 10}, () => host.post(`/api/ingress/${how}`)))
  await change("pause")
  await change("resume")
  const told = (await readHistoryOf(host)).filter(({type}) => type.startsWith("ingress."))
  expect(told.map(({type, data}) => ({type, data}))).toEqual([
    {type: "ingress.paused", data: {reason: "operator", reasons: ["operator"]}},
    {type: "ingress.resumed", data: {reason: "operator", reasons: []}},
  ])
})
