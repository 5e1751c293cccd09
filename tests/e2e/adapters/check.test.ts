import {describe, expect, test} from "vitest"
import {builtIns} from "../../../server/host/plugins/built-in-plugins.ts"
import {statusOf} from "../../support/host/generation.ts"
import {bunOr, makeProject, pluginWith, startHost, svc, usuallyOn} from "../../support/host/host.ts"

/** An adapter in the project. Its account's settings choose what the platform answers. */
const wire = pluginWith(`
    plugin.adapter("wire", {
      account: Type.Object({mode: Type.String(), key: Type.Secret()}),
      history: "none",
      libraries: {"left-line": "1.2.3"},
      open: async ({mode}, endpoint) => {
        if (mode === "bare") await endpoint.load("left-line")
        return {send: async () => ({ids: ["1"]})}
      },
      check: async ({mode, key}, {load, log, signal}) => {
        log.info("asking", {isAborted: signal.aborted})
        if (mode === "away") throw new Error("connect ECONNREFUSED")
        if (mode === "bare") await load("left-line")
        if (key.reveal() !== "right-key-for-wire") throw refused("the key is wrong", {reason: "credentials", remediation: "Make a new key."})
        return [
          {what: "credentials", ok: true, detail: "logged in as bot"},
          {what: "scope write", ok: mode === "good", remediation: "Add the scope write to the app."},
        ]
      },
    })
    plugin.adapter("mute", {history: "none", open: async () => ({send: async () => ({ids: ["1"]})})})`)

const config = `http: {port: 0}
plugins:
  sandbox: {}
  wire:
    endpoints:
      - {id: good, mode: good, key: "\${WIRE_KEY}"}
      - {id: narrow, mode: narrow, key: "\${WIRE_KEY}"}
      - {id: wrong, mode: good, key: "\${OTHER_KEY}"}
      - {id: away, mode: away, key: "\${WIRE_KEY}"}
      - {id: bare, mode: bare, key: "\${WIRE_KEY}"}
`

describe.each(bunOr("node24"))("svc adapter check on $name", runtime => {
  test("asks each endpoint's platform, and reports what is missing and how to fix it", async () => {
    const project = makeProject({config, plugins: {wire}})
    const env = {WIRE_KEY: "right-key-for-wire", OTHER_KEY: "other-key-for-wire"}
    await startHost({runtime, project, env})
    const check = (...args: string[]) => svc(runtime, project, ["adapter", "check", ...args], {env})

    expect(await check("wire~good")).toMatchObject({
      code: 0,
      stdout: "ok      credentials: logged in as bot\nok      scope write: in order\n",
    })
    expect(await check("wire~narrow")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        "ERROR   scope write: not in order\n          do: Add the scope write to the app.\n",
      ),
    })
    expect(await check("wire~wrong")).toMatchObject({
      code: 1,
      stdout: "ERROR   credentials: the key is wrong\n          do: Make a new key.\n",
    })
    expect(await check("wire~away")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("ERROR   platform: connect ECONNREFUSED\n          do: Check the address"),
    })
    const bare = await check("wire~bare", "--json")
    expect(bare.code).toBe(1)
    expect(JSON.parse(bare.stdout)).toMatchObject({
      name: "wire~bare",
      ok: false,
      findings: [
        {
          what: "library_missing",
          detail: "the package left-line is not installed",
          remediation: expect.stringContaining("left-line@1.2.3"),
        },
      ],
    })
    expect(await check("mute")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the adapter of mute has no check"),
    })
    expect(await check("wire~none")).toMatchObject({code: 1, stderr: expect.stringMatching(/\bendpoint wire~none\b/)})
    const shown = await svc(runtime, project, ["endpoint", "show", "wire~bare"], {env})
    expect(shown.stdout).toMatch(/state +failed/)
    expect(shown.stdout).toContain("svc adapter add wire")
  })
})

test("svc adapter add adds what the configuration lacks, and a running Host keeps its generation", async () => {
  const runtime = usuallyOn("node22")
  const lines = "# Kept.\nhttp: {port: 0}\nplugins:\n  mine: {use: irc} # own\n  sandbox: {}\n"
  const host = await startHost({runtime, config: lines})
  const {project} = host
  const add = (...names: string[]) => svc(runtime, project, ["adapter", "add", ...names])
  expect(await add("telegram", "nonsense")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/\badapter nonsense; .*irc, .*webhook/),
  })
  expect((await add("irc", "xmpp", "--no-entry")).stdout).toMatch(/Put this.*\bxmpp:/s)
  expect(project.read("svc.config.yml")).toBe(lines)
  const names = Object.keys(builtIns).filter(name => name !== "workroom" && name !== "agents")
  const {code, stdout} = await add(...names)
  expect(code).toBe(0)
  expect(stdout).toMatch(/added telegram to .*\bTELEGRAM_TOKEN into \.env\b.* check telegram~main\b/s)
  const text = project.read("svc.config.yml")
  expect(text.startsWith(lines)).toBe(true)
  const entry = "  telegram:\n    enabled: false\n    endpoints:\n      - id: main\n        token: ${TELEGRAM_TOKEN}\n"
  expect(text).toContain(entry)
  // The next start is valid before its variables are set.
  expect(await svc(runtime, project, ["config", "check"])).toMatchObject({code: 0})
  expect((await statusOf(host)).lastFailure).toBeNull()
  expect((await add("irc", "telegram")).stdout).toMatch(/Put this.*\birc:.*Put this.*\btelegram:/s)
  expect(project.read("svc.config.yml")).toBe(text)
  // With its variables, each entry is valid.
  project.write("svc.config.yml", text.replaceAll(/^ +enabled: false\n/gm, ""))
  const secret = `whsec_${"c2VjcmV0".repeat(4)}`
  const env = Object.fromEntries(Array.from(text.matchAll(/\$\{(\w+)\}/g), ([, name]) => [name, secret]))
  expect(await svc(runtime, project, ["config", "check"], {env})).toMatchObject({code: 0})
})
