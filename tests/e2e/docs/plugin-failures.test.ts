import {rmSync} from "node:fs"
import {expect, test} from "vitest"
import {bunAnd, makeProject, onBun, runProcess, runtimes, startHost, until} from "../../support/host/host.ts"

const failing = `import {definePlugin} from "svc-runtime"

const deep = (): string => {
  throw new Error("the dice are gone", {cause: new Error("the box is empty")})
}

export default definePlugin({
  setup(plugin) {
    plugin.command("roll", () => deep())
    plugin.command("once", {retries: 2}, () => deep())
    plugin.job("nightly", {}, () => void deep())
  },
})
`

/** Stores an event, and does not wait for its handlers. */
const store = `(bot, channel) => fetch(bot.url + "/api/plugins/sandbox/messages", {
  method: "POST",
  headers: {authorization: "Bearer " + bot.token, "content-type": "application/json"},
  body: JSON.stringify({text: "/roll", user: "ann", channel}),
})`

const calls = [
  'bot.say("/roll")',
  'bot.fire("nightly")',
  "plugin.test(dice, {config: {sides: 1}}, () => {})",
  'store(bot, "one").then(async () => { await bot.settle() })',
]

const tests = `
import {test} from "node:test"
import {plugin} from "svc-runtime/test"
import dice from "../plugins/dice.ts"
${calls.map((call, index) => `test("${index}", () => plugin.test(dice, async bot => void (await ${call})))`).join("\n")}
const store = ${store}
`

test.each(runtimes.filter(({name}) => name !== "node22"))(
  "a failed test shows the lines of the plugin and of the test, and no line of svc, on $name",
  async runtime => {
    const project = makeProject({files: {"plugins/dice.ts": failing, "tests/dice.test.ts": tests}})
    const flags = runtime === onBun ? ["test"] : ["--test", "tests/dice.test.ts"]
    const {code, stdout, stderr} = await runProcess([runtime.command[0] ?? "", ...flags], {cwd: project.folder})
    const told = stdout + stderr
    expect({code, told}).toMatchObject({code: 1, told: expect.not.stringMatching(/(dist|server|shared)\/[\w./-]+:\d+/)})
    // Bun prints the lines around the place of an error.
    expect(told.split("\n").filter(line => /^\s*(\d+ \|)?.{200}/.test(line))).toEqual([])
    const places = (file: string) => [...told.matchAll(new RegExp(`${file}:(\\d+):\\d+`, "g"))].map(([, line]) => line)
    expect(places("plugins/dice.ts").filter(line => line === "4").length).toBeGreaterThanOrEqual(6)
    for (const line of ["5", "6", "7", "8"]) expect(places("tests/dice.test.ts")).toContain(line)
    expect(told.match(/the box is empty/g)?.length).toBeGreaterThanOrEqual(3)
    expect(told).toContain("plugins.plugin.config.sides")
  },
)

const settling = `
import {plugin} from "svc-runtime/test"
import dice from "./plugins/dice.ts"

const seen = []
const store = ${store}
const errorOf = promise => promise.then(() => "none", error => error)
await plugin.test(dice, async bot => {
  for (let round = 0; round < 20; round++) {
    await store(bot, "one")
    seen.push((await errorOf(bot.settle())).cause?.message)
  }
  seen.push(await errorOf(bot.settle()))
  await Promise.all([store(bot, "one"), store(bot, "two")])
  seen.push((await errorOf(bot.settle())).errors?.length)
  await errorOf(bot.say("/once"))
  seen.push(await errorOf(bot.settle()))
  seen.push((await errorOf(bot.clock.advance({minutes: 9}))).cause?.message)
  seen.push(await errorOf(bot.settle()))
})
console.log(JSON.stringify(seen))
`

test.each(bunAnd("node24"))(
  "bot.settle() waits for stored events and rejects once for each failure, on $name",
  async ({command}) => {
    const project = makeProject({files: {"plugins/dice.ts": failing, "try.mjs": settling}})
    const ran = await runProcess([command[0] ?? "", "try.mjs"], {cwd: project.folder})
    expect({code: ran.code, stderr: ran.stderr}).toEqual({code: 0, stderr: ""})
    const gone = "the dice are gone"
    expect(JSON.parse(ran.stdout)).toEqual([...Array(20).fill(gone), "none", 2, "none", gone, "none"])
  },
)

const thrower = `import {definePlugin} from "svc-runtime"

interface Die {
  readonly sides: number
}

const roll = (die: Die): string => {
  throw new Error(\`no die of \${die.sides}\`)
}

export default definePlugin({
  setup(plugin) {
    plugin.command("roll", () => roll({sides: 6}))
    plugin.job("nightly", {}, () => void roll({sides: 7}))
  },
})
`

test.each(runtimes)(
  "a built plugin's failure names its source in the log, the inbox and the run, on $name",
  async runtime => {
    const project = makeProject({
      config: "plugins: {dice: {}, sandbox: {}}\nhttp: {port: 0}\n",
      plugins: {dice: thrower},
    })
    const {command} = runtime
    expect(await runProcess([...command, "build"], {cwd: project.folder})).toMatchObject({code: 0})
    // The Host runs the build of a plugin without a source.
    rmSync(project.path("plugins/dice.ts"))
    const host = await startHost({project, runtime, own: true})
    await host.say("/roll")
    const error = expect.stringMatching(/^no die of 6 \(plugins\/dice\.ts:8:\d+\)$/)
    expect((await host.get("/api/inbox/:seq", {seq: 1})).marks).toMatchObject([{state: "failed", error}])
    const shown = await runProcess([...command, "inbox", "show", "1"], {cwd: project.folder})
    expect(shown).toMatchObject({code: 0, stdout: expect.stringMatching(/plugins\/dice\.ts:8:\d+/)})
    expect(host.process.output()).toMatch(/at roll \(\S*plugins\/dice\.ts:8:\d+\)/)
    const schedule = {at: "9999-12-31T00:00"}
    await host.post("/api/jobs", {body: {id: "n", schedule, timezone: "UTC", target: {plugin: "dice", job: "nightly"}}})
    await host.post("/api/jobs/:id/run", {id: "n"})
    await until("the run to fail", async () => {
      const {items} = await host.get("/api/runs")
      return items.find(({state}) => state === "failed")?.error?.match(/^no die of 7 \(plugins\/dice\.ts:8:\d+\)$/)
    })
  },
)
