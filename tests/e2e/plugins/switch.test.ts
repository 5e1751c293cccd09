import {describe, expect, test} from "vitest"
import {posting} from "../../support/host/client.ts"
import {reload, statusOf} from "../../support/host/generation.ts"
import {expectProblem, makeProject, startHost, svc, type TestHost, untilReady} from "../../support/host/host.ts"
import {bunOr, usualRuntime} from "../../support/host/runtimes.ts"
import {pluginWith, wirePlugin} from "../../support/plugins/plugin-sources.ts"
import {pluginOf} from "./plugin.ts"

const env = {
  HTTP_TOKEN: "the-full-token-of-the-switch",
  DEMO_TOKEN: "the-demo-token-of-the-switch",
  KEY: "a-key-of-the-greeter",
}

const config = `http:
  port: 0
  token: \${HTTP_TOKEN}
  demoToken: \${DEMO_TOKEN}
  readiness: {endpoints: [{owner: root/wire, name: wire~one}]}
plugins:
  sandbox: {}
  wire:
    # The room of the team.
    endpoints: [{id: one}]
  greeter:
    config: {key: "\${KEY}", tone: {warm: true}}
`

const greeter = pluginWith(
  `
    plugin.command("greet", {description: "Say hello"}, () => (config.key.reveal() === "${env.KEY}" && config.tone.warm ? "hello" : "no"))`,
  `description: "Greets",
  config: Type.Object({
    key: Type.Secret(),
    tone: Type.Object({warm: Type.Boolean(), loud: Type.Optional(Type.Boolean({default: false}))}),
  })`,
)
const plugins = {wire: wirePlugin, greeter}
const start = (runtime = bunOr("node24")[0]) => {
  const project = makeProject({config, plugins})
  return startHost({...(runtime === undefined ? {} : {runtime}), project, env, args: ["--no-watch"]})
}
const turn = (host: TestHost, name: string, enabled: unknown, token = env.HTTP_TOKEN) =>
  host.fetch(`/api/plugins/${name}`, posting({enabled}, {authorization: `Bearer ${token}`}))
const isReady = async (host: TestHost) => (await fetch(new URL("/pub/ready", host.url))).status === 200

describe.each(bunOr("node24"))("a plugin disabled at runtime, on $name,", runtime => {
  test("stays disabled across restarts and reloads until it is enabled, and the file does not change", async () => {
    const host = await start(runtime)
    await untilReady(host)
    expect(await (await turn(host, "wire", false)).json()).toMatchObject({
      number: 2,
      reason: "disabled wire",
      pinned: true,
    })
    expect(await pluginOf(host, "wire")).toEqual({
      name: "wire",
      owner: "root/wire",
      state: "disabled",
      capabilities: [],
    })
    expect(await isReady(host)).toBe(false)
    expect(await (await host.fetch("/api/system/readiness")).json()).toMatchObject({
      components: expect.arrayContaining([
        expect.objectContaining({
          name: "wire~one",
          reason: "plugin_disabled",
          remediation: {text: expect.stringContaining("Enable it"), command: "svc plugin enable wire"},
        }),
      ]),
    })
    expect((await host.get("/api/generations/:number/config", {number: 2})).config).toBe(
      config.replace("    endpoints", "    enabled: false\n    endpoints"),
    )
    expect(host.project.read("svc.config.yml")).toBe(config)
    const unready = [expect.stringContaining("svc plugin enable wire")]
    expect(await reload(host)).toEqual({committed: false, generation: 2, unready})
    await host.stop()

    const next = await startHost({runtime, project: host.project, env, args: ["--no-watch"]})
    expect(await statusOf(next)).toMatchObject({generation: {number: 3}, pin: {number: 2}})
    expect(await pluginOf(next, "wire")).toMatchObject({state: "disabled"})
    expect(await (await turn(next, "wire", true)).json()).toMatchObject({number: 4, reason: "enabled wire"})
    expect((await statusOf(next)).pin).toBeNull()
    await untilReady(next)
  })

  test("is shown with its settings and their positions, without secrets", async () => {
    const host = await start(runtime)
    expect(await host.get("/api/plugins/:plugin", {plugin: "greeter"})).toEqual({
      name: "greeter",
      owner: "root/greeter",
      state: "active",
      since: expect.any(String),
      origin: "source",
      from: "plugins/greeter.ts",
      description: "Greets",
      capabilities: [{id: "root/greeter/command/greet", kind: "command", name: "greet", description: "Say hello"}],
      key: "plugins.greeter",
      place: {file: "svc.config.yml", line: 11, column: 3},
      schema: expect.objectContaining({
        type: "object",
        required: ["key", "tone"],
        properties: expect.objectContaining({key: {type: "string", minLength: 1, secret: true}}),
      }),
      config: {key: "[secret]", tone: {warm: true, loud: false}},
      written: [
        {path: "key", file: "svc.config.yml", line: 12, column: 14},
        {path: "tone.warm", file: "svc.config.yml", line: 12, column: 36},
      ],
    })
    const demo = await host.fetch("/api/plugins/greeter", {headers: {authorization: `Bearer ${env.DEMO_TOKEN}`}})
    expect(Object.keys((await demo.json()) as object)).not.toContain("config")
  })
})

test("enabling one of two disabled plugins leaves the other one disabled", async () => {
  const host = await start()
  await turn(host, "wire", false)
  await turn(host, "greeter", false)
  expect(await host.get("/api/plugins/:plugin", {plugin: "greeter"})).toMatchObject({
    state: "disabled",
    place: {file: "the pinned configuration", line: 12, column: 3},
    schema: null,
  })
  await turn(host, "wire", true)
  expect(await pluginOf(host, "wire")).toMatchObject({state: "active"})
  expect(await pluginOf(host, "greeter")).toMatchObject({state: "disabled"})
  expect((await statusOf(host)).pin).toEqual({number: 4})
})

test("svc plugin disable, list and enable report the resulting state", async () => {
  const host = await start()
  const run = (...args: string[]) => svc(usualRuntime, host.project, ["plugin", ...args], {env})
  const disabled = /^generation 2 runs without wire, pinned\n.*:\n.*plugin_disabled.*\n$/
  expect(await run("disable", "wire")).toMatchObject({code: 0, stdout: expect.stringMatching(disabled)})
  const {stdout} = await run("list")
  expect(stdout).toMatch(/^greeter +active +plugins\/greeter.ts$/m)
  expect(stdout).toMatch(/^wire +disabled$/m)
  expect(await run("disable", "wire")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("wire is already disabled"),
  })
  expect(await run("disable", "wirr")).toMatchObject({code: 1, stderr: expect.stringMatching(/no plugin "wirr".*wire/)})
  // The first name is right, and nothing happens.
  for (const wrong of ["wirr", "wire"])
    expect(await run("disable", "greeter", wrong)).toMatchObject({code: 1, stdout: ""})
  expect(JSON.parse((await run("enable", "wire", "--json")).stdout)).toMatchObject({number: 3, pinned: false})
  expect(await run("disable", "wire", "greeter")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^generation 5 /),
  })
  expect(await pluginOf(host, "wire")).toMatchObject({state: "disabled"})
})

test("disabling a plugin ignores a changed file, and a reload of that file ends the pin", async () => {
  const host = await start()
  host.project.write("svc.config.yml", config.replace("warm: true", "warm: false"))
  await turn(host, "wire", false)
  expect(await host.say("/greet")).toEqual(["hello"])
  expect(await reload(host)).toEqual({committed: true, generation: 3})
  expect(await host.say("/greet")).toEqual(["no"])
  expect(await pluginOf(host, "wire")).toMatchObject({state: "active"})
})

test("a plugin that cannot be switched is refused with a reason", async () => {
  const host = await start()
  await expectProblem(await turn(host, "wire", false, env.DEMO_TOKEN), 403, "forbidden")
  await expectProblem(await turn(host, "nobody", false), 404, "plugin_unknown")
  await expectProblem(await turn(host, "toString", false), 404, "plugin_unknown")
  await expectProblem(await host.fetch("/api/plugins/nobody"), 404, "plugin_unknown")
  await expectProblem(await turn(host, "wire", true), 409, "conflict")
  await expectProblem(await turn(host, "wire", "no"), 400, "request_invalid")
  expect(await statusOf(host)).toMatchObject({generation: {number: 1}, pin: null})
})
