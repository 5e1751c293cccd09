import {describe, expect, test} from "vitest"
import {failureOf, generationOf, generationsOf, reload, statusOf} from "../../support/host/generation.ts"
import {bunAnd, casesOf, pluginWith, replying, startHost, svc, until, wirePlugin} from "../../support/host/host.ts"
import {untilState} from "../../support/platforms/endpoint.ts"
import {notesIn} from "../../support/plugins/plugin-sources.ts"

const token = {HTTP_TOKEN: "a-token-of-thirty-two-characters"}

const config = (plugins: string) => `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
${plugins}`

const production = {
  config: config("  greeter: {}\n"),
  plugins: {greeter: replying("greet", "hello")},
  files: {"package-lock.json": "{}"},
  args: ["--mode", "production", "--no-watch"],
}
const supervised = {...token, SVC_SUPERVISOR: "the test"}

const pair = bunAnd("node22")

describe.each(pair)("in production on $name", runtime => {
  test("only svc runtime reload and SIGHUP apply a new configuration", async () => {
    const host = await startHost({own: true, runtime, ...production, env: token})
    const {project} = host
    project.write("svc.config.yml", config("  greeter: {}\n  more: {use: greeter, enabled: false}\n"))
    const result = await svc(runtime, project, ["runtime", "reload"], {env: token})
    expect(result).toMatchObject({code: 0, stdout: "generation 2 committed\n"})
    expect((await generationsOf(host))[0]?.reason).toBe("requested")
    project.write("svc.config.yml", config("  greeter: {}\n"))
    host.process.child.kill("SIGHUP")
    expect((await generationOf(host, 3)).generation.reason).toBe("SIGHUP")
    expect((await host.stop()).code).toBe(0)
  })

  test.each(casesOf(["SIGHUP", "svc runtime reload"], runtime, pair))(
    "changed code makes %s stop the Host gracefully with exit code 75",
    async ask => {
      const host = await startHost({own: true, runtime, ...production, env: supervised})
      host.project.write("plugins/greeter.ts", replying("greet", "good day"))
      if (ask === "SIGHUP") host.process.child.kill("SIGHUP")
      else {
        const asked = await svc(runtime, host.project, ["runtime", "reload"], {env: token})
        expect(asked).toMatchObject({code: 0, stdout: expect.stringMatching(/\brestarting\n$/)})
      }
      const {code, stdout} = await host.process.finished
      expect(code).toBe(75)
      expect(stdout).toContain("the code of plugins.greeter")
      expect(stdout.trimEnd().split("\n").at(-1)).toContain("stopped")
      const again = await startHost({own: true, runtime, project: host.project, args: production.args, env: supervised})
      expect((await statusOf(again)).endedCleanly).toBe(true)
      expect(await again.say("/greet")).toEqual(["good day"])
    },
  )
})

describe("in production", () => {
  test("the Host does not watch its files", async () => {
    const host = await startHost({own: true, ...production, args: ["--mode", "production"], env: token})
    host.project.write("svc.config.yml", config(""))
    host.project.write("plugins/greeter.ts", replying("greet", "good day"))
    // A watcher would have reacted earlier: it waits 60 ms, and a draft takes about 20 ms.
    await new Promise(resolve => setTimeout(resolve, 500))
    expect(await statusOf(host)).toMatchObject({generation: {number: 1}, lastFailure: null})
    expect(await host.say("/greet")).toEqual(["hello"])
  })

  test("a changed lockfile stops the Host with exit code 75", async () => {
    const host = await startHost({own: true, ...production, env: supervised})
    host.project.write("package-lock.json", '{"lockfileVersion": 3}')
    host.process.child.kill("SIGHUP")
    const {code, stdout} = await host.process.finished
    expect({code, stdout}).toMatchObject({code: 75, stdout: expect.stringContaining("the lockfile")})
  })

  test("changed keys that apply only at startup stop the Host with 75, and the log names them", async () => {
    const host = await startHost({...production, env: supervised})
    const changed = production.config.replace("port: 0", "port: 0, base: /bot")
    host.project.write("svc.config.yml", `runtime: {memory: fast}\n${changed}`)
    expect(await reload(host)).toEqual({committed: false, generation: 1, restarting: true})
    const {code, stdout} = await host.process.finished
    expect({code, stdout}).toMatchObject({code: 75, stdout: expect.stringMatching(/http\.base\b.*\bruntime\b/)})
  })

  test("without a supervisor the Host stops for a change only with a confirmation", async () => {
    const host = await startHost({own: true, ...production, env: token})
    host.project.write("plugins/greeter.ts", replying("greet", "good day"))
    host.process.child.kill("SIGHUP")
    expect(await failureOf(host)).toMatchObject({reason: "SIGHUP", code: "restart_required"})
    await expect(reload(host)).rejects.toThrow("no_supervisor")
    expect(await host.say("/greet")).toEqual(["hello"])
    await host.post("/api/system/reload", {body: {confirm: true}})
    expect((await host.process.finished).code).toBe(75)
  })

  test("a new plugin needs no restart", async () => {
    const host = await startHost({...production, env: supervised})
    host.project.write("plugins/more.ts", replying("more", "yes"))
    host.project.write("svc.config.yml", config("  greeter: {}\n  more: {}\n"))
    expect(await reload(host)).toEqual({committed: true, generation: 2})
    expect(await host.say("/more")).toEqual(["yes"])
  })
})

describe("accounts", () => {
  const accounts = (...ids: string[]) =>
    `http: {port: 0}\nplugins:\n  wire:\n    endpoints:\n${ids.map(id => `      - ${id}\n`).join("")}`
  const start = (config: string) => startHost({config, plugins: {wire: wirePlugin}, args: ["--no-watch"]})

  test("are compared one by one, so adding or removing one leaves the others connected", async () => {
    const host = await start(accounts("{id: a, room: one}", "{id: b, room: two}"))
    await until("both to open", () => notesIn(host.project).length === 2)
    host.project.write("svc.config.yml", accounts("{id: c, room: three}", "{id: a, room: one}", "{id: b, room: two}"))
    await reload(host)
    await until("the new one to open", () => notesIn(host.project).includes("open wire~c"))
    host.project.write("svc.config.yml", accounts("{id: c, room: three}", "{id: b, room: two}"))
    await reload(host)
    await until("the removed one to close", () => notesIn(host.project).includes("close wire~a"))
    expect(notesIn(host.project)).toEqual(["open wire~a", "open wire~b", "open wire~c", "close wire~a"])
  })

  test("are reopened after a change only once the old connection is closed", async () => {
    const host = await start(accounts("{id: a, room: one}", "{id: b, room: two}"))
    await until("both to open", () => notesIn(host.project).length === 2)
    host.project.write("svc.config.yml", accounts("{id: a, room: other}", "{id: b, room: two}"))
    await reload(host)
    await until("the changed account to open again", () => notesIn(host.project).length === 4)
    expect(notesIn(host.project).slice(2)).toEqual(["close wire~a", "open wire~a"])
  })

  test("are all reopened if their adapter's code changed, and the old instance is disposed last", async () => {
    const host = await start(accounts("{id: a}"))
    await until("the account to open", () => notesIn(host.project).includes("open wire~a"))
    host.project.write("plugins/wire.ts", wirePlugin.replace('"disposed"', '"gone"'))
    await reload(host)
    await until("the old instance to be disposed", () => notesIn(host.project).includes("disposed"))
    await until(
      "the account to open again",
      () => notesIn(host.project).filter(line => line === "open wire~a").length === 2,
    )
    expect(notesIn(host.project).indexOf("close wire~a")).toBeLessThan(notesIn(host.project).lastIndexOf("open wire~a"))
    expect(notesIn(host.project).indexOf("close wire~a")).toBeLessThan(notesIn(host.project).indexOf("disposed"))
  })

  test("are retried after a refusal when an operator reloads, even without a change", async () => {
    const refusing = pluginWith(`plugin.adapter("wire", {
      history: "none", account: Type.Object({}),
      open: async (_, endpoint) => {
        note("attempt")
        if (!existsSync(join(plugin.project, "unbanned")))
          throw refused("banned", {reason: "banned", remediation: "Ask to be let in."})
        return {send: async () => ({ids: []})}
      },
    })`)
    const host = await startHost({config: accounts("{id: a}"), plugins: {wire: refusing}, args: ["--no-watch"]})
    await untilState(host, "wire~a", "failed")
    host.project.write("unbanned", "")
    expect(await reload(host)).toEqual({committed: false, generation: 1})
    await untilState(host, "wire~a", "online")
    expect(notesIn(host.project)).toEqual(["attempt", "attempt"])
  })
})
