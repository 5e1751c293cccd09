import {describe, expect, test} from "vitest"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import {probe, readinessOf, reload, statusOf} from "../../support/host/generation.ts"
import {
  bunOr,
  expectProblem,
  isOk,
  launchHost,
  startHost,
  svc,
  type TestHost,
  until,
  usuallyOn,
} from "../../support/host/host.ts"
import {makeProject} from "../../support/host/project.ts"
import {freePort} from "../../support/machine/ports.ts"
import {endpointOf, endpointsOf, untilOnline, untilState} from "../../support/platforms/endpoint.ts"
import {pluginWith, slowPlugin, wirePlugin} from "../../support/plugins/plugin-sources.ts"

const quiet = ["--no-watch"]

/** A configuration that requires an endpoint of the wire for readiness. */
const requiring = (name: string, wire: string, more = "") => `http:
  port: 0
${more}  readiness:
    endpoints: [{owner: root/wire, name: ${name}}]
plugins:
  sandbox: {}
${wire}`
const twoAccounts = "  wire: {endpoints: [{id: a}, {id: b}]}\n"

const start = (config: string) => startHost({config, plugins: {wire: wirePlugin}, args: quiet})

const ready = {status: 200, body: '{"ready":true}'}
const notReady = {status: 503, body: '{"ready":false}'}

/** Waits until the Host reports that it is, or is not, ready. Resolves to that report. */
const reportOnce = (host: TestHost, ready: boolean): Promise<ReadinessReport> =>
  until(`a report that is${ready ? "" : " not"} ready`, async () => {
    const report = await readinessOf(host)
    return report.ready === ready && report
  })

/** Returns the detailed report. Expects that the public probe agrees with it. */
const reportOf = async (host: TestHost): Promise<ReadinessReport> => {
  const response = await host.fetch("/api/system/readiness")
  const report = (await response.json()) as ReadinessReport
  expect(response.status).toBe(report.ready ? 200 : 503)
  expect(await probe(new URL(host.url).origin)).toEqual(report.ready ? ready : notReady)
  return report
}

/** Waits until a running Host is ready, because its endpoints may still be connecting. Returns the report. */
const readyReport = async (host: TestHost): Promise<ReadinessReport> => {
  await reportOnce(host, true)
  return reportOf(host)
}

const failing = ({components}: ReadinessReport) => components.filter(component => !component.ready)

describe.each(bunOr("node24"))("on $name", runtime => {
  test("/pub/ready answers 503 until the first generation is committed, /pub/health 200 from the start", async () => {
    const port = await freePort()
    const {project} = launchHost({
      runtime,
      config: `http: {port: ${port}}\nplugins: {slow: {}}\n`,
      plugins: {slow: slowPlugin},
      args: quiet,
    })
    const url = `http://127.0.0.1:${port}`
    await until("the port to be open", () => isOk(`${url}/pub/health`))
    expect(await probe(url)).toEqual(notReady)
    await expectProblem(await fetch(`${url}/api/system/readiness`), 503, "starting")
    project.write("go", "")
    await until("the generation", async () => (await probe(url)).status === 200)
    expect(await probe(url)).toEqual(ready)
    expect((await fetch(`${url}/pub/health`)).status).toBe(200)
  })

  test("disabling the plugin of a required endpoint makes the Host not ready, and enabling it ready again", async () => {
    const host = await startHost({
      runtime,
      config: requiring("wire~a", twoAccounts),
      plugins: {wire: wirePlugin},
      args: quiet,
    })
    expect((await readyReport(host)).ready).toBe(true)
    host.project.write("svc.config.yml", requiring("wire~a", "  wire: {enabled: false, endpoints: [{id: a}]}\n"))
    await reload(host)
    const report = await reportOf(host)
    expect(report).toMatchObject({ready: false, generation: 2})
    expect(failing(report)).toEqual([
      {
        kind: "endpoint",
        owner: "root/wire",
        name: "wire~a",
        required: true,
        ready: false,
        check: "admission_open",
        reason: "plugin_disabled",
        message: expect.any(String),
        since: expect.any(String),
        proves: expect.any(String),
        remediation: {text: expect.stringContaining("plugins.wire.enabled"), command: "svc runtime reload"},
      },
    ])
    expect((await statusOf(host)).ready).toBe(false)
    host.project.write("svc.config.yml", requiring("wire~a", twoAccounts))
    await reload(host)
    await reportOnce(host, true)
  })
})

describe("a required endpoint", () => {
  test("makes the Host not ready once its slot disappears from the configuration", async () => {
    const host = await start(requiring("wire~a", twoAccounts))
    expect((await readyReport(host)).ready).toBe(true)
    host.project.write("svc.config.yml", requiring("wire~a", "  wire: {endpoints: [{id: b}]}\n"))
    await reload(host)
    expect(failing(await reportOf(host))).toMatchObject([{name: "wire~a", reason: "slot_missing"}])
  })

  test("counts as ready if it cannot connect: the check proves only open admission", async () => {
    const lost = pluginWith(
      'plugin.adapter("wire", {history: "none", open: async () => { throw new Error("no route") }})',
    )
    const host = await startHost({config: requiring("wire", "  wire: {}\n"), plugins: {wire: lost}, args: quiet})
    expect((await endpointOf(host, "wire")).state).toMatch(/connecting/)
    expect((await readyReport(host)).ready).toBe(true)
  })

  test.each(bunOr("node24"))("is listed first while offline: admitting, but not connected, on $name", async runtime => {
    const plugins = {
      lost: pluginWith('plugin.adapter("lost", {history: "none", open: async () => { throw new Error("no route") }})'),
    }
    const config = `http: {port: 0, readiness: {endpoints: [{owner: root/sandbox, name: sandbox}, {owner: root/lost, name: lost}]}}
plugins: {sandbox: {}, lost: {}}
`
    const host = await startHost({runtime, config, plugins, args: quiet})
    await untilState(host, "sandbox", "online")
    expect((await endpointsOf(host)).map(({name, required}) => ({name, required}))).toEqual([
      {name: "lost", required: true},
      {name: "sandbox", required: true},
    ])
    const report = await reportOf(host)
    expect(report).toMatchObject({ready: true, components: [{name: "lost", ready: true}, {}, {}]})
    expect(report.components[0]?.message).toMatch(/: .*\b(re)?connecting\.$/)

    expect((await svc(runtime, host.project, ["runtime", "status"])).stdout).toMatch(
      /^endpoints +lost \(required, admitting, not connected: (re)?connecting\), sandbox \(required, online\)$/m,
    )
    const live = await svc(runtime, host.project, ["doctor", "--live", host.url], {env: {SVC_HTTP_TOKEN: host.token}})
    expect(live).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ready: .+\n {2}endpoint root\/lost lost: .+\n {4}do: .+/),
    })
    const incident = await svc(runtime, host.project, ["doctor", "--incident", host.url], {
      env: {SVC_HTTP_TOKEN: host.token},
    })
    expect(incident.stdout).toMatch(/endpoints online.+\n +lost: (re)?connecting for \d+ s, required,/)
  })
})

test("svc config check and doctor warn about unconfigured bindings, with their positions", async () => {
  const runtime = usuallyOn("node24")
  const project = makeProject({
    config: `http: {port: 0}
plugins: {sandbox: {}}
agents:
  writer:
    provider: antropic
    model: large
    instructions: Write.
`,
  })
  const at = "svc.config.yml:5:15 agents.writer.provider: "
  const checked = await svc(runtime, project, ["config", "check"])
  expect(checked).toMatchObject({code: 0, stdout: "svc.config.yml is valid\n"})
  expect(checked.stderr).toContain(`svc: warning: ${at}`)
  expect(checked.stderr).toContain('There is no "antropic" (did you mean "anthropic"?)')
  expect((await svc(runtime, project, ["doctor", "--static"])).stdout).toContain(at)
})

test("the report names generation, commit, check time and authority, and lists every check", async () => {
  const host = await start(requiring("wire~a", twoAccounts))
  const before = Date.now()
  await untilOnline(host)
  const report = await reportOf(host)
  const {authority, generation} = await statusOf(host)
  expect(report).toMatchObject({
    schema: "svc.readiness/1",
    ready: true,
    generation: 1,
    authority,
    committedAt: generation.committedAt,
    ingress: {state: "open", reasons: []},
  })
  expect(Date.parse(report.checkedAt)).toBeGreaterThanOrEqual(before - 1)
  expect(Date.parse(report.checkedAt)).toBeLessThanOrEqual(Date.now())
  expect(report.components.map(({kind, name, required}) => `${kind} ${name} ${required}`)).toEqual([
    "database database true",
    "endpoint wire~a true",
    "endpoint sandbox false",
    "endpoint wire~b false",
  ])
})
