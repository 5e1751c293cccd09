import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {readFailedStarts} from "../../../server/recovery/last-good/store.ts"
import {exit} from "../../../shared/exit.ts"
import {reload, statusOf} from "../../support/host/generation.ts"
import {launchHost, makeProject, startHost, startProcess, svc, type TestHost} from "../../support/host/host.ts"
import {root, runtimes, scriptCommand} from "../../support/host/runtimes.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const config = `http: {port: 0}
plugins: {sandbox: {}, rude: {}}
`

const rude = pluginWith(`
    plugin.command("now", () => process.exit(0))
    plugin.command("later", () => { setTimeout(() => process.exit(3), 5); return "ok" })
    plugin.command("really", () => process.reallyExit(0))
    plugin.command("quietly", () => { process.once("exit", () => { process.exitCode = 0 }); process.exit() })`)

/** On Bun, only the stack shows to which plugin a signal's listener belongs. */
const listening = pluginWith(`
    process.on("SIGUSR2", () => { process.exit(0); note("went on") })
    plugin.command("aborts", () => { process.abort() })`)

/** Exits once its generation runs, before the rest of the start has completed. */
const exitsOnceItServes = pluginWith(`
    const look = () => existsSync(join(plugin.project, ".svc/host.json")) ? process.exit(0) : setImmediate(look)
    look()`)

/** Sets the exit code, as a library for graceful shutdown might. */
const setsExitCode = pluginWith(`
    process.exitCode = 3
    process.on("exit", () => { process.exitCode = 0 })
    plugin.command("hi", () => "hello")`)

const exitsInSetup = pluginWith("process.exit(0)")

const exitsWhenLoaded = `process.exit(0)
${pluginWith("")}`

/** Sends a message that ends the Host, perhaps before it answers. While the sandbox is not open yet, it retries. */
const tell = async (host: TestHost, text: string): Promise<void> => {
  let hasEnded = false
  void host.process.finished.then(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    const isTaken = await host
      .plugin("/api/plugins/sandbox/messages", {text})
      .then(() => true)
      .catch(() => false)
    if (isTaken) return
    await sleep(20)
  }
}

describe.each(runtimes)("process.exit() in a plugin on $name", runtime => {
  test.each([
    ["/now", "process.exit(0)"],
    ["/later", "process.exit(3)"],
    ["/really", "process.reallyExit(0)"],
    ["/quietly", "process.exit()"],
  ])("%s: the Host exits with a distinct code, and its log names the plugin and the call", async (command, call) => {
    const host = await startHost({own: true, runtime, config, plugins: {rude}, args: ["--no-watch"]})
    void tell(host, command)
    const {code} = await host.process.finished
    expect(code).toBe(exit.unasked)
    const log = host.process.output()
    expect(log).toContain(`the plugin rude ended the process: ${call} was called`)
    // Bun omits a function from the stack if this call is its last expression.
    if (runtime.name !== "bun") expect(log).toContain("plugins/rude.ts:")
  })

  test.each([
    ["set up", exitsInSetup],
    ["loaded", exitsWhenLoaded],
  ])("a plugin that exits while it is %s fails the start, and the start counts as failed", async (_, source) => {
    const project = makeProject({
      config: "http: {port: 0, token: '${HTTP_TOKEN}'}\nplugins:\n  sandbox: {}\n  rude: {}\n",
      plugins: {rude: source},
      files: {".env": "HTTP_TOKEN=0f1e2d3c4b5a69788796a5b4c3d2e1f0\n", "bun.lock": "locked"},
    })
    const {process: running} = launchHost({
      runtime,
      project,
      args: ["--mode", "production", "--no-watch", "--allow-stale"],
    })
    expect((await running.finished).code).toBe(exit.failed)
    expect(running.output()).toContain("process.exit(0) was called")
    expect(await readFailedStarts({lastGood: project.path(".svc/last-good")})).toMatchObject({count: 1})
    const once = await svc(runtime, project, ["runtime", "start", "--once", "--mode", "test"])
    expect(once.code).toBe(exit.failed)
    expect(once.stdout).toContain("process.exit(0) was called")
  })

  test("an exiting signal listener is attributed to its plugin by the stack", async () => {
    const host = await startHost({own: true, runtime, config, plugins: {rude: listening}, args: ["--no-watch"]})
    expect((await host.stop("SIGUSR2")).code).toBe(exit.unasked)
    expect(host.process.output()).toContain("the plugin rude ended the process: process.exit(0) was called")
  })

  test("a plugin that exits as soon as the Host serves ends the Host", async () => {
    const {process: running} = launchHost({runtime, config, plugins: {rude: exitsOnceItServes}, args: ["--no-watch"]})
    expect((await running.finished).code).toBe(exit.unasked)
    expect(running.output()).toContain("the plugin rude ended the process: process.exit(0) was called")
  })

  test("process.abort() keeps its signal, and the log names the plugin", async () => {
    const host = await startHost({own: true, runtime, config, plugins: {rude: listening}, args: ["--no-watch"]})
    void tell(host, "/aborts")
    const {code, signal} = await host.process.finished
    expect({code, signal}).toEqual({code: null, signal: "SIGABRT"})
    expect(host.process.output()).toContain("the plugin rude ended the process: process.abort() was called")
  })

  test("a plugin that exits in its setup or while it is loaded does not replace its running instance", async () => {
    const host = await startHost({own: true, runtime, config, plugins: {rude: setsExitCode}, args: ["--no-watch"]})
    const {generation} = await statusOf(host)
    for (const source of [exitsInSetup, exitsWhenLoaded]) {
      host.project.write("plugins/rude.ts", source)
      await expect(reload(host)).rejects.toThrow("process.exit(0) was called")
      expect((await statusOf(host)).generation).toEqual(generation)
      expect(await host.say("/hi")).toEqual(["hello"])
    }
    // Its running instance has set process.exitCode.
    expect((await host.stop()).code).toBe(exit.ok)
  })
})

test("a plugin that sets process.exitCode does not change the exit code of a restart", async () => {
  const asked = await startHost({own: true, config, plugins: {rude: setsExitCode}, args: ["--no-watch"]})
  await asked.post("/api/system/restart", {body: {confirm: true}})
  expect((await asked.process.finished).code).toBe(exit.consoleRestart)
})

/** Node 22.12 does not run TypeScript. */
describe.each(runtimes.filter(({name}) => name !== "node22"))("on $name", runtime => {
  test("a process without work left exits with the code too, whatever a listener sets", async () => {
    const script = `${root}tests/support/host/nothing-left.ts`
    const {code, stdout} = await startProcess(scriptCommand(runtime, script)).finished
    expect({code, stdout}).toEqual({code: exit.unasked, stdout: expect.stringMatching(/^undefined: .+\n$/)})
  })
})
