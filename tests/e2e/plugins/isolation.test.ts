import {describe, expect, test} from "vitest"
import {reload, statusOf} from "../../support/host/generation.ts"
import {eventOf, makeProject, runtimes, shared, startHost, svc, type TestHost} from "../../support/host/host.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {unknownCommand} from "../../support/messages/answers.ts"
import {messageIn, tell} from "../../support/messages/messages.ts"
import {pluginWith, replying} from "../../support/plugins/plugin-sources.ts"
import {pluginOf} from "./plugin.ts"

const configWith = (names: readonly string[]) => `http: {port: 0}
messages: {failure: ""}
plugins:
  sandbox: {}
  greeter: {}
${names.map(name => `  ${name}: {}\n`).join("")}`
const config = configWith(["risky"])

/** What a command starts, which throws after its handler has ended. */
const late = {
  timer: `setTimeout(() => { throw new Error("thrown by a timer") }, 5)`,
  listener: `setTimeout(() => emitter.emit("late"), 5)`,
  promise: `void sleep(5).then(() => { throw new Error("thrown by a promise") })`,
  microtask: `queueMicrotask(() => { throw new Error("thrown by a microtask") })`,
  process: `
      process.once("risky" as never, () => { throw new Error("thrown by a listener of the process") })
      setTimeout(() => process.emit("risky" as never), 5)`,
  undo: `
      plugin.signal.addEventListener("abort", () => { throw new Error("thrown by an abort listener") })
      setTimeout(() => { throw new Error("thrown by a timer") }, 5)`,
  text: `void Promise.reject("only text")`,
}
type Kind = keyof typeof late

/** A plugin with a command of each kind, and one that counts. */
const riskyWith = (...kinds: readonly Kind[]) => `import {EventEmitter} from "node:events"
${pluginWith(`
    let count = 0
    const emitter = new EventEmitter()
    emitter.on("late", () => { throw new Error("thrown by a listener") })
    plugin.defer(() => note("undone " + plugin.name))
    plugin.command("count-" + plugin.name, () => String(++count))
    ${kinds.map(kind => `plugin.command("${kind}", () => { ${late[kind]}; return "ok" })`).join("\n    ")}`)}`

const wire = pluginWith(`
    plugin.defer(() => note("undone wire"))
    plugin.adapter("wire", {history: "none", open: async () => ({
      send: async message => {
        setTimeout(() => { throw "text of a send" }, 5)
        return {ids: [message.id]}
      },
    })})`)

const sending = pluginWith(`plugin.command("send", async ({session}) => {
      await session.send({endpoint: "wire", channel: "room"}, "hello")
    })`)

const busy = pluginWith(`plugin.on("message-created", session =>
      session.text === "be busy" ? sleep(200).then(() => "done") : undefined)`)

const greeter = replying("greet", "hello")

const risky = riskyWith("timer", "listener", "promise")

/** Waits until the plugin's instance has been undone `times` times and a new one is active. */
const startedAnew = (host: TestHost, name: string, times = 1) =>
  until(`instance ${times + 1} of ${name}`, async () => {
    const undone = host.project.read("notes.log").split(`undone ${name}\n`).length - 1
    return undone === times && (await pluginOf(host, name))?.state === "active"
  })

describe.each(runtimes)("an uncaught exception on $name", runtime => {
  const kinds = Object.keys(late) as readonly Kind[]
  const plugins = {...Object.fromEntries(kinds.map(kind => [kind, riskyWith(kind)])), wire, sending, busy}
  const host = shared(() =>
    startHost({
      own: true,
      runtime,
      config: configWith(Object.keys(plugins)),
      plugins: {...plugins, greeter},
      args: ["--no-watch"],
    }),
  )

  test.each([
    ["timer", "thrown by a timer"],
    ["listener", "thrown by a listener"],
    ["promise", "thrown by a promise"],
    ["microtask", "thrown by a microtask"],
    ["process", "thrown by a listener of the process"],
  ])("is attributed to its plugin, which the Host disposes and restarts: %s", async (name, message) => {
    expect(await host().say(`/count-${name}`)).toEqual(["1"])
    await host().say(`/${name}`)
    await startedAnew(host(), name)
    expect(await host().say(`/count-${name}`)).toEqual(["1"])
    await untilPrinted(host().process, new RegExp(`root/${name} threw .*: ${message}; `))
    expect((await statusOf(host())).generation.number).toBe(1)
  })

  test("is attributed to the adapter if one of its sends left it behind, whatever is thrown", async () => {
    await host().say("/send")
    await startedAnew(host(), "wire")
    await untilPrinted(host().process, /root\/wire threw .*: text of a send; /)
  })

  test("does not end the Host, even if it cannot be attributed", async () => {
    await host().say("/text")
    await untilPrinted(host().process, "only text")
    expect(await host().say("/greet")).toEqual(["hello"])
  })

  test("of a listener during the undo is logged, and does not stop the undo", async () => {
    await host().say("/undo")
    await startedAnew(host(), "undo")
    await untilPrinted(host().process, "thrown by an abort listener")
    expect(await host().say("/count-undo")).toEqual(["1"])
  })

  test("brings no warning, nor do many plugins, nor many concurrent handlers of one instance", async () => {
    await Promise.all(Array.from({length: 30}, (_, n) => host().say("be busy", {channel: `c${n}`})))
    expect(host().process.output()).not.toContain("MaxListeners")
  })

  test("leaves a Host that stops with exit code 0", async () => expect((await host().stop()).code).toBe(0))
})

test("the third late exception in ten minutes quarantines the plugin until the next generation", async () => {
  const host = await startHost({config, plugins: {risky, greeter}})
  await host.say("/timer")
  await startedAnew(host, "risky")
  await host.say("/promise")
  await startedAnew(host, "risky", 2)
  await host.say("/listener")
  const plugin = await until("the quarantine", async () => {
    const found = await pluginOf(host, "risky")
    return found?.state === "quarantined" && found.capabilities.length === 0 && found
  })
  expect(plugin).toMatchObject({
    error: "thrown by a listener",
    at: {file: "plugins/risky.ts", line: risky.split("\n").findIndex(line => line.includes("listener")) + 1},
  })
  expect(await host.say("/count-risky")).toEqual([unknownCommand("count-risky")])
  expect(await host.say("/greet")).toEqual(["hello"])
  expect(await reload(host)).toEqual({committed: true, generation: 2})
  expect(await host.say("/count-risky")).toEqual(["1"])
  await host.say("/timer")
  await startedAnew(host, "risky", 4)
})

test("an instance that cannot be restarted is failed, and publishes nothing", async () => {
  const once = pluginWith(`
    if (existsSync(join(plugin.project, "notes.log"))) throw new Error("not again")
    note("set up")
    plugin.command("count", () => "1")
    plugin.command("timer", () => { setTimeout(() => { throw new Error("late") }, 5); return "ok" })`)
  const host = await startHost({config, plugins: {risky: once, greeter}})
  await host.say("/timer")
  const plugin = await until("the failure", async () => {
    const found = await pluginOf(host, "risky")
    return found?.state === "failed" && found.capabilities.length === 0 && found
  })
  expect(plugin.error).toBe("late")
  await untilPrinted(host.process, /root\/risky .*\bnot be restarted\b/)
  expect(await host.say("/greet")).toEqual(["hello"])
})

test.each(runtimes.slice(0, 2))("an exception of a built plugin is attributed too, on $name", async runtime => {
  const project = makeProject({
    config: config.replace("{port: 0}", '{port: 0, token: "${HTTP_TOKEN}"}'),
    plugins: {risky, greeter},
  })
  expect((await svc(runtime, project, ["build"])).code).toBe(0)
  const env = {HTTP_TOKEN: "a-token-of-thirty-two-characters"}
  const host = await startHost({own: true, runtime, project, env, args: ["--mode", "production"]})
  expect(await pluginOf(host, "risky")).toMatchObject({origin: "built"})
  await host.say("/promise")
  await startedAnew(host, "risky")
})

test("an event that arrives while an instance is restarted is handled by the new one", async () => {
  const slow = pluginWith(`
    plugin.command("echo <text:text>", ({args}) => args.text)
    plugin.command("late", () => { setTimeout(() => { note("thrown"); throw new Error("late") }, 5); return "ok" })
    plugin.defer(() => sleep(100))
    const isFirst = !existsSync(join(plugin.project, "notes.log"))
    note("set up")
    return isFirst ? undefined : (async () => {
      while (!existsSync(join(plugin.project, "go"))) await sleep(10)
    })()`)
  const host = await startHost({config, plugins: {risky: slow, greeter}, args: ["--no-watch"]})
  await host.say("/late")
  await until("the exception", () => host.project.read("notes.log").includes("thrown"))
  await until("the instance to be failed", async () => (await pluginOf(host, "risky"))?.state === "failed")
  const seq = await tell(host, {text: "/echo still here"})
  host.project.write("go", "")
  const {replies} = await eventOf(host, seq)
  expect(await messageIn(host, replies[0] ?? "", "sent")).toMatchObject({text: "still here"})
  expect(host.project.read("notes.log").split("set up")).toHaveLength(3)
})

const leavesBehind = pluginWith(`
  plugin.command("count", () => "1")
  plugin.defer(() => note("undone risky"))
  if (process.env.FIRST === undefined) {
    process.env.FIRST = "no"
    setTimeout(() => { throw new Error("left behind") }, 1)
    return sleep(50)
  }`)

test.each([
  ["a reload", config.replace("  risky: {}\n", "")],
  ["the start of the Host", config],
])("an exception left behind by setup fails the instance once it is committed: in %s", async (_, first) => {
  const host = await startHost({
    own: true,
    config: first,
    plugins: {greeter, risky: leavesBehind},
    args: ["--no-watch"],
  })
  if (first !== config) {
    host.project.write("svc.config.yml", config)
    expect(await reload(host)).toEqual({committed: true, generation: 2})
  }
  await startedAnew(host, "risky")
  await untilPrinted(host.process, /root\/risky threw .*: left behind; /)
  expect(await host.say("/count")).toEqual(["1"])
})
