import {describe, expect, test} from "vitest"
import type {ReadinessReason, ReadinessReport} from "../../../shared/api/readiness.ts"
import {reload, statusOf} from "../../support/host/generation.ts"
import {bunOr, expectProblem, launchHost, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {makeProject} from "../../support/host/project.ts"
import {freePort} from "../../support/machine/ports.ts"
import {pluginWith, wirePlugin} from "../../support/plugins/plugin-sources.ts"

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

const probe = async (url: string) => {
  const response = await fetch(`${url}/pub/ready`)
  return {status: response.status, body: await response.text()}
}
const ready = {status: 200, body: '{"ready":true}'}
const notReady = {status: 503, body: '{"ready":false}'}

/** Waits until the Host reports that it is, or is not, ready. Resolves to that report. */
const reportOnce = (host: TestHost, ready: boolean): Promise<ReadinessReport> =>
  until(`a report that is${ready ? "" : " not"} ready`, async () => {
    const report = (await (await host.fetch("/api/system/readiness")).json()) as ReadinessReport
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
      plugins: {
        slow: pluginWith(`
        return (async () => {
          while (!existsSync(join(plugin.project, "go"))) await sleep(10)
        })()`),
      },
      args: quiet,
    })
    const url = `http://127.0.0.1:${port}`
    await until("the port to be open", () =>
      fetch(`${url}/pub/health`).then(
        ({ok}) => ok,
        () => false,
      ),
    )
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
  test.each<[string, string, string, ReadinessReason | undefined]>([
    ["of an account is <slot>~<id>", "wire~a", twoAccounts, undefined],
    ["of an account that is not there", "wire~c", twoAccounts, "slot_missing"],
    ["is not the slot alone where there are accounts", "wire", twoAccounts, "slot_missing"],
    ["is the slot alone where there are none, and then wants one", "wire", "  wire: {}\n", "no_account"],
    ["of a plugin that is not there", "wire~a", "", "plugin_missing"],
  ])("%s", async (_, name, wire, reason) => {
    const report = await reportOf(await start(requiring(name, wire)))
    expect(report.ready).toBe(reason === undefined)
    const required = report.components.filter(component => component.kind === "endpoint" && component.required)
    expect(required).toHaveLength(1)
    expect(required[0]).toMatchObject({owner: "root/wire", name, ...(reason === undefined ? {} : {reason})})
    if (reason !== undefined) {
      expect(required[0]?.remediation).toEqual({
        text: expect.stringMatching(/./),
        command: expect.stringMatching(/^svc /),
      })
    }
  })

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
    const {items} = await host.get<{items: {name: string; state: string}[]}>("/api/endpoints")
    expect(items.find(({name}) => name === "wire")?.state).toMatch(/connecting/)
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
    const listed = await until("the sandbox to be online", async () => {
      const {items} = await host.get<{items: {name: string; state: string; required: boolean}[]}>("/api/endpoints")
      return items.some(({name, state}) => name === "sandbox" && state === "online") && items
    })
    expect(listed.map(({name, required}) => ({name, required}))).toEqual([
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

  test("is not ready if the platform refuses it", async () => {
    const refusing = pluginWith(`plugin.adapter("wire", {history: "none", open: async () => {
      throw refused("wrong password", {reason: "bad_credentials", remediation: "Correct the password."})
    }})`)
    const host = await startHost({config: requiring("wire", "  wire: {}\n"), plugins: {wire: refusing}, args: quiet})
    expect(failing(await reportOnce(host, false))).toMatchObject([{name: "wire", reason: "endpoint_failed"}])
  })

  test("is not ready if its plugin fails later and cannot be restarted", async () => {
    const once = pluginWith(`
      plugin.adapter("wire", {history: "none", open: async () => ({send: async () => ({ids: []})})})
      if (process.env.SECOND) throw new Error("not again")
      process.env.SECOND = "yes"
      plugin.command("late", () => { setTimeout(() => { throw new Error("late") }, 5); return "ok" })`)
    const host = await startHost({config: requiring("wire", "  wire: {}\n"), plugins: {wire: once}, args: quiet})
    expect((await readyReport(host)).ready).toBe(true)
    await host.say("/late")
    expect(failing(await reportOnce(host, false))).toMatchObject([{name: "wire", reason: "plugin_failed"}])
  })
})

describe.each(bunOr("node24"))("a required agent on $name", runtime => {
  const config = (writer: string, required = "[writer]") =>
    `http: {port: 0, readiness: {agents: ${required}}}\nplugins: {sandbox: {}}\n${writer === "" ? "" : `agents:\n  writer: {${writer}}\n`}`
  const local = 'provider: openai-compatible, baseURL: "http://127.0.0.1:9/v1", model: small, instructions: Write.'

  test("depends on its binding only: missing, misconfigured for each reason, disabled, present", async () => {
    const host = await startHost({runtime, config: config(""), args: quiet})
    const become = async (text: string) => {
      host.project.write("svc.config.yml", text)
      await reload(host)
      return reportOf(host)
    }
    expect(failing(await reportOf(host))).toMatchObject([{kind: "agent", name: "writer", reason: "agent_missing"}])
    const cases: readonly (readonly [string, ReadinessReason, RegExp])[] = [
      [`${local}, enabled: false`, "agent_disabled", /disabled/],
      [local.replace("compatible", "compatable"), "agent_provider_unknown", /did you mean "openai-compatible"/],
      [local.replace("small", '" "'), "agent_model_missing", /no model/],
      [local.replace(/baseURL: "[^"]+", /, ""), "agent_key_missing", /no key/],
      [local.replace(", instructions: Write.", ""), "agent_instructions_missing", /no instructions/],
      [local.replace("instructions: Write.", "instructionsFile: no.md"), "agent_instructions_missing", /no\.md/],
      [`${local}, tools: {nothing.there: {}}`, "agent_tool_missing", /nothing\.there/],
    ]
    for (const [writer, reason, message] of cases) {
      expect(failing(await become(config(writer)))).toMatchObject([
        {kind: "agent", name: "writer", required: true, reason, message: expect.stringMatching(message)},
      ])
    }
    expect(await become(config(`${local}, tools: {nothing.there: {}}`, "[]"))).toMatchObject({ready: true})
    const report = await become(config(local))
    expect(report.ready).toBe(true)
    expect(report.components.find(({kind}) => kind === "agent")).toMatchObject({
      name: "writer",
      check: "binding_configured",
      proves: expect.any(String),
    })
  })
})

test("svc config check and doctor warn about unconfigured bindings, with their positions", async () => {
  const [runtime] = bunOr("node24")
  if (runtime === undefined) throw new Error("no runtime")
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
  await until("every endpoint to be online", async () => {
    const {items} = await host.get<{items: {state: string}[]}>("/api/endpoints")
    return items.every(({state}) => state === "online")
  })
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
