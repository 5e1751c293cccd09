import {existsSync, readdirSync, statSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {bunOr, runProcess, scriptCommand, startHost, svc, until} from "../../support/host/host.ts"
import {makeProject, plainConfig} from "../../support/host/project.ts"

describe.each(bunOr("node24"))("svc plugin new on $name", runtime => {
  test("adds a plugin with a passing test, and a Host in development runs it at once", async () => {
    const project = makeProject({config: `# mine\n${plainConfig}  # the last\n`})
    const host = await startHost({runtime, project})
    const mode = statSync(project.path("svc.config.yml")).mode
    const made = await svc(runtime, project, ["plugin", "new", "my-dice"])
    expect(made).toMatchObject({code: 0, stderr: ""})
    expect(made.stdout).toContain("wrote plugins/my-dice.ts, tests/my-dice.test.ts\nadded my-dice to svc.config.yml\n")
    expect(project.read("svc.config.yml")).toBe(`# mine\n${plainConfig}  my-dice: {}\n  # the last\n`)
    expect(statSync(project.path("svc.config.yml")).mode).toBe(mode)
    await until("the generation with the new plugin", async () => {
      const {items} = await host.get("/api/plugins")
      return items.some(({name}) => name === "my-dice")
    })
    expect(await host.say("/my-dice")).toEqual(["I am my-dice."])

    const adapter = await svc(runtime, project, ["plugin", "new", "my-chat", "--adapter", "--json"])
    expect(JSON.parse(adapter.stdout)).toEqual({
      name: "my-chat",
      files: ["plugins/my-chat.ts", "tests/my-chat.test.ts", "tests/my-chat-server.ts", "svc.config.yml"],
    })
    expect(project.read("tests/my-chat.test.ts")).toContain("MY_CHAT_PASSWORD")
    await until("its endpoint", async () => {
      const {items} = await host.get("/api/endpoints")
      return items.some(({name, state}) => name === "my-chat" && state === "idle")
    })
    const isBun = runtime.name === "bun"
    const only = isBun
      ? ["test", "tests/my-dice.test.ts", "tests/my-chat.test.ts", "-t", "answers"]
      : ["--test", "--test-name-pattern", "answers (in|a command)", "tests/my-*.test.ts"]
    const [program = "", ...options] = [...scriptCommand(runtime, only[0] ?? ""), ...only.slice(1)]
    const tested = await runProcess([program, ...options], {cwd: project.folder})
    expect({code: tested.code, output: tested.stdout + tested.stderr}).toMatchObject({
      code: 0,
      output: expect.stringMatching(/\b3 pass|\b2 pass|pass 2\b/),
    })
  })

  test("refuses an invalid or used name and an existing file, and changes nothing", async () => {
    const project = makeProject({config: plainConfig, plugins: {mine: "export default 1\n"}})
    const before = readdirSync(project.folder)
    for (const [name, why] of [
      ["My Plugin", '"My Plugin" cannot'],
      ["../out", '"../out" cannot'],
      ["irc", '"irc" is'],
      ["mine", "plugins/mine.ts already exists"],
    ]) {
      const {code, stdout, stderr} = await svc(runtime, project, ["plugin", "new", name ?? ""])
      expect({code, stdout, why, told: stderr.startsWith(`svc: ${why}`)}).toEqual({
        code: 1,
        stdout: "",
        why,
        told: true,
      })
    }
    const config = "plugins: &all\n  a: {use: b}\nx: *all\n"
    writeFileSync(project.path("svc.config.yml"), config)
    const taken = await svc(runtime, project, ["plugin", "new", "a", "--json"])
    expect({code: taken.code, problem: JSON.parse(taken.stderr).detail}).toEqual({
      code: 1,
      problem: expect.stringMatching(/ plugin "a"$/),
    })
    expect((await svc(runtime, project, ["plugin", "new", "b"])).stderr).toMatch(/\bentry to plugins\b/)
    expect(project.read("svc.config.yml")).toBe(config)
    expect(readdirSync(project.folder)).toEqual(before)
    expect(existsSync(project.path("plugins/b.ts"))).toBe(false)
  })
})
