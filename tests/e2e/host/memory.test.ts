import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test, vi} from "vitest"
import {launchHost, pluginWith, shared, startHost, type TestHost, until} from "../../support/host/host.ts"
import {nodeOf, runtimes, type TestRuntime} from "../../support/host/runtimes.ts"
import {makeClock} from "../../support/machine/clock.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {secrets, webhookConfig} from "../../support/webhooks/host.ts"
import {deliver} from "../../support/webhooks/webhooks.ts"

/** The limit of a process on Bun, in kilobytes of data, and of Node's heap, in megabytes. */
const [mostData, mostHeap] = [500_000, 96]

/** A runtime that exits without a core dump when it exceeds that limit. */
const confined = ({name, command: [binary = "", ...args]}: TestRuntime): TestRuntime => {
  const limits = name === "bun" ? `ulimit -d ${mostData}` : ":"
  const options = name === "bun" ? [] : [`--max-old-space-size=${mostHeap}`]
  return {name, command: ["/bin/sh", "-c", `ulimit -c 0; ${limits}; exec "$@"`, "sh", binary, ...options, ...args]}
}

const twoRuntimes = runtimes.filter(({name}) => name !== "node22")

/**
 * Notes each message, then answers it. `slow` waits for a file `go`, and `devour` uses up the memory. It allocates only
 * small objects, because Bun may survive an array or text that does not fit by throwing an error. With still smaller
 * ones, the processor would mostly look for garbage.
 */
const greedyPlugin = pluginWith(`
    plugin.on("message-created", async session => {
      note(session.text)
      while (session.text === "slow" && !existsSync(join(plugin.project, "go"))) await sleep(10)
      let held: object | undefined
      for (let n = 0; session.text === "devour"; n++)
        held = {before: held, a: n, b: n, c: n, d: n, e: n, f: n, g: n, h: n, i: n, j: n, k: n, l: n, m: n}
      return "got " + session.text
    })`)

// On a busy machine, using up the memory takes long.
vi.setConfig({testTimeout: 480_000})

const statesOf = async (host: TestHost): Promise<Readonly<Record<string, string>>> => {
  const {items} = await host.get("/api/inbox", {limit: 500})
  return Object.fromEntries(items.map(({event, state}) => [event.message?.content, state]))
}

const say = async ({url}: TestHost, text: string) => {
  const body = JSON.stringify({text, channel: "one"})
  const response = await deliver(`${url}/hooks/webhook/webhook~shop`, body, {id: text, secret: secrets.SHOP_SECRET})
  expect(response.status).toBe(202)
}

describe.each(twoRuntimes)("on $name", runtime => {
  test("an event that exhausts the memory is dead after two starts, and others are handled", async () => {
    const options = {runtime: confined(runtime), env: secrets}
    const first = await startHost({own: true, ...options, config: webhookConfig(), plugins: {answers: greedyPlugin}})
    const {project} = first
    // The Host acknowledges all events while it handles the first.
    const texts = ["slow", "devour", ...Array.from({length: 10}, (_, n) => `after-${n}`)]
    for (const text of texts) await say(first, text)
    project.write("go", "")

    // The second start runs the event again, and the third skips it.
    const ends = [await first.process.finished, await launchHost({...options, project}).process.finished]
    expect(ends.filter(({code}) => code === 0)).toEqual([])
    const third = await startHost({own: true, ...options, project})
    const states = await until("the other events to be handled", async () => {
      const found = await statesOf(third)
      return Object.values(found).every(state => state !== "pending" && state !== "running") && found
    })
    expect(states).toEqual(Object.fromEntries(texts.map(text => [text, text === "devour" ? "dead" : "handled"])))
    const noted = project.read("notes.log").split("\n")
    expect(noted.filter(text => text === "devour")).toHaveLength(2)

    await say(third, "and-now")
    await until("the next event to be handled", async () => (await statesOf(third))["and-now"] === "handled")
    expect((await third.stop()).code).toBe(0)
  }, 180_000)
})

/**
 * `spend` holds 150 MB for a moment, and `churn` allocates objects of which many survive for a while. It answers with
 * the smallest of its last sizes: in a collection, V8 holds more pages for a moment.
 */
const restlessPlugin = pluginWith(`
    plugin.command("spend", () => {
      const held = Array.from({length: 20_000}, () => new Array(1000).fill(0.5))
      return String(process.memoryUsage().heapTotal * Math.sign(held.length))
    })
    plugin.command("heap", () => String(process.memoryUsage().heapTotal))
    plugin.command("churn", async () => {
      const {getHeapSpaceStatistics} = process.getBuiltinModule("node:v8")
      const held: object[] = []
      const sizes: (number | undefined)[] = []
      for (let n = 0; n < 1_000_000; n++) {
        held[n % 150_000] = {n, text: "number " + n, list: [n]}
        if (n % 20_000 !== 0) continue
        await new Promise(done => setImmediate(done))
        sizes.push(getHeapSpaceStatistics().find(space => space.space_name === "new_space")?.space_size)
      }
      return String(Math.min(...sizes.slice(-5).map(Number)))
    })`)

const startRestless = (runtime: TestRuntime): Promise<TestHost> => {
  const config = "http: {port: 0}\nplugins:\n  sandbox: {}\n  restless: {}\n"
  return startHost({own: true, runtime, config, plugins: {restless: restlessPlugin}, args: ["--no-watch"]})
}

/** What a command answers, in MiB. */
const mebibytes = async (host: TestHost, command: string) => Number((await host.say(command))[0]) / 2 ** 20

// Bun returns the memory without help.
describe.each(runtimes.filter(({name}) => name !== "bun"))("on $name", runtime => {
  const restless = shared(() => startRestless(runtime))

  test("an idle Host returns the memory that a peak needed", async () => {
    // V8 may collect the garbage before the next command.
    expect(await mebibytes(restless(), "/spend")).toBeGreaterThan(150)
    await until(
      "the heap to shrink",
      async () => {
        await sleep(2000)
        return (await mebibytes(restless(), "/heap")) < 60
      },
      150_000,
    )
  })

  test("a busy Host keeps V8's young generation at 32 MiB", async () => {
    expect(await mebibytes(restless(), "/churn")).toBeLessThanOrEqual(32)
  })
})

test.each(runtimes.filter(({name}) => name === "node24"))(
  "an operator's own size for the young generation applies, on $name",
  async ({name, command: [binary = "", ...args]}) => {
    const command = [binary, "--max-semi-space-size=32", ...args]
    expect(await mebibytes(await startRestless({name, command}), "/churn")).toBeGreaterThan(32)
  },
)

describeWith("faketime")("on Node", () => {
  test("an alert names the plugin that holds ever more memory", async () => {
    const runtime = nodeOf("node22")
    const clock = makeClock({monotonic: true})
    const host = await startHost({
      own: true,
      runtime,
      env: clock.env,
      args: ["--no-watch"],
      config: `http: {port: 0}
watchdog: {seconds: 3600}
checkpoints: {every: 0s}
plugins: {sandbox: {}, greedy: {}}
alerts: {targets: {ops: {endpoint: sandbox, channel: ops}}}
`,
      plugins: {
        greedy: pluginWith(`
          const kept: object[] = []
          plugin.command("keep", () => {
            for (let n = 0; n < 40_000; n++) kept.push({n, text: "kept " + n})
          })`),
      },
    })
    const alert = () =>
      host
        .get("/api/alerts")
        .then(({items}) => items.find(({code}) => code === "memory_growing"))
        .catch(() => undefined)
    let hour = 0
    const {text} = await until(
      "the alert",
      async () => {
        // A connection that was idle for an hour is closed, perhaps under this request.
        await host.say("/keep").catch(error => expect(error.message).toBe("fetch failed"))
        clock.set(3600 * ++hour)
        await sleep(50)
        return alert()
      },
      300_000,
    )
    expect(text).toContain("greedy")
    expect(hour).toBeGreaterThan(31)
  })
})
