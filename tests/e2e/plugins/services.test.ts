import {describe, expect, test} from "vitest"
import {failureOf, reload, statusOf} from "../../support/host/generation.ts"
import {bunOr, makeProject, notesIn, onBun, startHost, svc, until, untilPrinted} from "../../support/host/host.ts"
import {pluginOf} from "./plugin.ts"

const configOf = (...plugins: string[]) =>
  `http: {port: 0}\nmessages: {failure: ""}\nplugins:\n  sandbox: {}\n${plugins.map(name => `  ${name}\n`).join("")}`

const token = {HTTP_TOKEN: "a-token-of-thirty-two-characters"}

/** Source of a plugin that provides and uses services, and notes its setup and its end. */
const servicePlugin = (name: string, uses: readonly string[], provides: readonly string[], more = "") =>
  `import {definePlugin, service, Type} from "svc-runtime"
import {appendFileSync} from "node:fs"
import {join} from "node:path"

export default definePlugin({
  config: Type.Object({n: Type.Optional(Type.Integer())}),
  uses: {${uses.map(use => `${use}: service<any>("${use}")`).join(", ")}},
  setup(plugin, {n = 0}, services: any) {
    const note = (text: string) => appendFileSync(join(plugin.project, "notes.log"), text + "\\n")
    note("setup ${name}")
    plugin.defer(() => note("end ${name}"))
    ${provides.map(provide => `plugin.provide("${provide}", {n: () => n, log: () => plugin.log.info("called"), send: () => plugin.send({endpoint: "sandbox", channel: "c"}, "x"), fail: () => { setTimeout(() => { throw new Error("late") }, 1) }})`).join("\n    ")}
    ${more}
  },
})
`

const base = servicePlugin("base", [], ["base"])
const middle = servicePlugin("middle", ["base"], ["middle"])
const top = servicePlugin(
  "top",
  ["middle", "base"],
  [],
  `plugin.command("n", () => String(services.base.n()))
    services.base.send().catch((error: any) => note("top " + error.code))
    plugin.command("log", () => services.base.log())
    plugin.command("fail", () => void services.base.fail())
    plugin.defer(() => note("top ends while base answers " + services.base.n()))`,
)
const other = servicePlugin("other", [], [])
const plugins = {base, middle, top, other}
const config = configOf("top: {}", "middle: {}", "base: {}", "other: {}")

describe.each(bunOr("node24"))("services on $name", runtime => {
  test("are set up before their users, are replaced together with them, and end after them", async () => {
    const host = await startHost({runtime, config, plugins, args: ["--no-watch"]})
    const {project} = host
    const expectAfter = (name: string, ...earlier: string[]) => {
      const notes = notesIn(project).filter(note => note.startsWith("setup"))
      for (const each of earlier) expect(notes.indexOf(`setup ${each}`)).toBeLessThan(notes.indexOf(`setup ${name}`))
    }
    expectAfter("top", "middle", "base")
    expectAfter("middle", "base")
    expect(await host.say("/n")).toEqual(["0"])
    const shown = await pluginOf(host, "base")
    expect(shown?.capabilities).toContainEqual(expect.objectContaining({kind: "service", name: "base"}))

    project.write("notes.log", "")
    project.write("svc.config.yml", config.replace("base: {}", "base: {config: {n: 1}}"))
    await reload(host)
    expect(await host.say("/n")).toEqual(["1"])
    const notes = await until("the old instances to end", () => {
      const all = notesIn(project)
      return all.includes("end base") && all
    })
    expect(notes).toEqual([
      "setup base",
      "setup middle",
      "setup top",
      "top not_active",
      "top ends while base answers 0",
      "end top",
      "end middle",
      "end base",
    ])

    // During its setup, a user cannot send through a provider that is already active.
    project.write("notes.log", "")
    project.write("plugins/top.ts", `${top}// changed\n`)
    await reload(host)
    await until("the old instance to end", () => notesIn(project).includes("end top"))
    expect(notesIn(project).slice(0, 2)).toEqual(["setup top", "top not_active"])

    project.write("notes.log", "")
    project.write("plugins/other.ts", `${other.replace("note(", 'plugin.log.info("other", {}); note(')}`)
    await reload(host)
    expect(await reload(host)).toMatchObject({committed: false})
    expect(notesIn(project)).not.toContain("setup top")
    await host.say("/log")
    await untilPrinted(host.process, /called.*plugin=base/)
    expect((await host.stop()).code).toBe(0)
  })

  test("restart with their users after an exception, and are refused during a quarantine", async () => {
    const host = await startHost({runtime, config, plugins, args: ["--no-watch"]})
    const setUps = (name: string) => notesIn(host.project).filter(note => note === `setup ${name}`).length
    for (const times of [1, 2]) {
      await host.say("/fail")
      await until("the users to be restarted", async () => {
        const states = await Promise.all(["base", "top"].map(async name => (await pluginOf(host, name))?.state))
        return setUps("top") === times + 1 && states.every(state => state === "active")
      })
      expect(await host.say("/n")).toEqual(["0"])
    }
    expect(setUps("other")).toBe(1)
    await host.say("/fail")
    await until("the quarantine", async () => (await pluginOf(host, "base"))?.state === "quarantined")
    expect(await host.say("/n")).toEqual([])
    await untilPrinted(host.process, /\bservice "base" .*: root\/base, /)
    expect((await pluginOf(host, "top"))?.state).toBe("active")
    // The next generation has a new provider, and therefore new users.
    host.project.write("svc.config.yml", `${config}log_level: debug\n`)
    await reload(host)
    expect(await host.say("/n")).toEqual(["0"])
  })

  test("that are missing, circular or provided twice reject the draft by name", async () => {
    const host = await startHost({runtime, config, plugins, args: ["--no-watch"]})
    const {project} = host
    const refused = async (code: string, ...plugins: string[]) => {
      project.write("svc.config.yml", configOf(...plugins))
      await expect(reload(host)).rejects.toThrow(code)
      return (await failureOf(host)).issues
    }
    expect(await refused("service_missing", "top: {}", "middle: {}", "base: {enabled: false}")).toEqual([
      expect.stringMatching(/\bplugins\.top: .*"base", .*; .* middle\b/),
      expect.stringContaining('plugins.middle: uses the service "base"'),
    ])
    project.write("plugins/bases.ts", servicePlugin("bases", [], ["bases"]))
    expect(await refused("service_missing", "middle: {}", "bases: {}")).toEqual([
      expect.stringMatching(/uses the service "base", .* \(did you mean "bases"\?\); the services are bases, middle$/),
    ])
    project.write("plugins/round.ts", servicePlugin("round", ["middle"], ["base"]))
    expect(await refused("service_circular", "top: {}", "middle: {}", "round: {}")).toEqual([
      expect.stringMatching(/plugins\.middle: .*: middle uses "base" of round, round uses "middle" of middle$/),
    ])
    expect(await refused("config_invalid", "base: {}", "again: {use: base}")).toEqual([
      expect.stringMatching(/\bservice "base" .*\broot\/base\b/),
    ])
    expect(await statusOf(host)).toMatchObject({generation: {number: 1}})
    expect(await host.say("/n")).toEqual(["0"])
  })
})

describe.each(bunOr("node22"))("state in a file that two plugins import, on $name,", runtime => {
  const counting = (command: string) => `import {definePlugin} from "svc-runtime"
import {next} from "../lib/counter.ts"
import {double} from "../lib/double.ts"
export default definePlugin({setup: plugin => plugin.command("${command}", () => String(double(next())))})
`
  const files = {
    "lib/counter.ts": "let count = 0\nexport const next = () => ++count\n",
    "lib/double.ts": "const factor = 2\nexport const double = (n: number) => factor * n\n",
  }
  const twoPlugins = {one: counting("one"), two: counting("two")}
  const note = "lib/counter.ts keeps state in count, and the plugins one and two each have a copy of it"

  test("is warned about once, and files without state are not", async () => {
    const host = await startHost({
      runtime,
      config: configOf("one: {}", "two: {}"),
      plugins: twoPlugins,
      files,
      args: ["--no-watch"],
    })
    await untilPrinted(host.process, note)
    expect([await host.say("/one"), await host.say("/two")]).toEqual([["2"], ["2"]])
    host.project.write("plugins/one.ts", `${twoPlugins.one}// changed\n`)
    expect(await reload(host)).toMatchObject({committed: true})
    const {stdout} = await host.stop()
    expect(stdout.split("keeps state in").length - 1).toBe(1)
    expect(stdout).not.toContain("lib/double.ts")

    expect((await svc(runtime, host.project, ["build"])).code).toBe(0)
    const withToken = configOf("one: {}", "two: {}").replace("port: 0", `port: 0, token: "\${HTTP_TOKEN}"`)
    host.project.write("svc.config.yml", withToken)
    const args = ["--mode", "production", "--no-watch"]
    await untilPrinted((await startHost({runtime, project: host.project, args, env: token})).process, note)
  })

  test("is reported by svc doctor, unless only one plugin imports it", async () => {
    const project = makeProject({config: configOf("one: {}"), plugins: twoPlugins, files})
    const examine = async () => (await svc(onBun, project, ["doctor", "--json"])).stdout
    expect(await examine()).not.toContain("keeps state in")
    project.write("svc.config.yml", configOf("one: {}", "two: {}"))
    expect(await examine()).toContain(note)
  })
})
