import {rmSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {exit} from "../../../shared/exit.ts"
import {toJson} from "../../../shared/json.ts"
import {pluginWith, startHost, type TestHost, until, untilPrinted} from "../../support/host/host.ts"
import {bunAnd, casesOf, onBun, runtimes, type TestRuntime} from "../../support/host/runtimes.ts"
import {needStrace, slowSyncs, syncing} from "../../support/machine/strace.ts"

/** `block` naps until the project has the file `free`: it blocks the event loop, but not the processor. */
const bot = pluginWith(`
    const cell = new Int32Array(new SharedArrayBuffer(4))
    const free = join(plugin.project, "free")
    const block = () => { while (!existsSync(free)) Atomics.wait(cell, 0, 0, 20); return "free" }
    plugin.command("block", block)
    plugin.command("exit", () => process.exit(0))`)

const start = (runtime: TestRuntime, watchdog = "{seconds: 1}"): Promise<TestHost> =>
  startHost({
    own: true,
    runtime,
    config: `http: {port: 0}
watchdog: ${watchdog}
plugins: {sandbox: {}, bot: {}}
`,
    plugins: {bot},
    args: ["--no-watch"],
    env: syncing.inThread,
  })

/** The watchdog's report about the handler. On a machine that gives the Host no processor, it reports other blocks too. */
const told = / blocked for \d+ s; running: root\/bot\/command\/block\b/

/** Each way to stop a Host gracefully, with its exit code. */
const endings: readonly [number, string, (host: TestHost) => unknown][] = [
  [exit.ok, "SIGTERM", host => host.process.child.kill("SIGTERM")],
  [
    exit.consoleRestart,
    "a restart",
    host => host.post("/api/system/restart", {body: {confirm: true, force: true}}).catch(() => {}),
  ],
  [exit.runtimeRestart, "the loss of its lock", host => rmSync(host.project.path(".svc/host.lock"))],
]

describe.each(runtimes)("a blocked event loop on $name", runtime => {
  test("is reported with the handler while it lasts, and in log, metric and event once it is over", async () => {
    const host = await start(runtime)
    void host.say("/block")
    await untilPrinted(host.process, told)
    const freed = / free again .*"root\/bot\/command\/block"/
    expect(host.process.output()).not.toMatch(freed)
    // On Bun, another thread cannot attach a debugger.
    if (runtime !== onBun) expect(host.process.output()).toMatch(/command\/block at block \(file:.*bot/)
    host.project.write("free", "")
    await untilPrinted(host.process, freed)
    const blocks = await until("the event to be stored", async () => {
      const {items} = await host.get("/api/events/history", {types: "host.blocked"})
      return items.some(({data}) => toJson(data).includes('"root/bot/command/block"')) && items
    })
    expect(await (await host.fetch("/api/metrics")).text()).toContain(`svc_event_loop_blocked_total ${blocks.length}`)
    expect((await host.stop()).code).toBe(exit.ok)
  })

  test("ends the Host with SIGKILL if the configuration says so", async () => {
    const host = await start(runtime, "{seconds: 1, kill: true}")
    void host.say("/block").catch(() => {})
    await untilPrinted(host.process, / blocked for \d+ s; /)
    expect(await host.process.finished).toMatchObject({code: null, signal: "SIGKILL"})
  })

  test("is not reported for a suspended process, and a plugin that exits ends the Host with 70", async () => {
    const host = await start(runtime, "{seconds: 3, kill: true}")
    // The watchdog's thread has started.
    await sleep(2000)
    host.process.child.kill("SIGSTOP")
    await sleep(5000)
    host.process.child.kill("SIGCONT")
    host.project.write("free", "")
    expect(await host.say("/block")).toEqual(["free"])
    expect(host.process.output()).not.toContain("has been blocked")
    void host.say("/exit").catch(() => {})
    expect((await host.process.finished).code).toBe(exit.unasked)
  })
})

describe.each(bunAnd("node24"))("a hanging disk that blocks the event loop on $name", runtime => {
  test.for(casesOf(endings, runtime, bunAnd("node24")))(
    "is reported, and the exit code is still %i after %s",
    async ([code, , end], context) => {
      needStrace(context)
      const host = await start(runtime)
      await sleep(2000)
      await slowSyncs(context, host.process.pid, 2000)
      host.project.write("free", "")
      void host.say("/block").catch(() => {})
      await untilPrinted(host.process, "running: no plugin handler")
      void end(host)
      expect((await host.process.finished).code).toBe(code)
    },
  )
})
