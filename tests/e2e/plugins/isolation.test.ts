import {describe, expect, test} from "vitest"
import {reload, statusOf} from "../../support/host/generation.ts"
import {startHost, svc, type TestHost} from "../../support/host/host.ts"
import {eventOf} from "../../support/host/inbox-event.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {makeProject} from "../../support/host/project.ts"
import {onBun, runtimes} from "../../support/host/runtimes.ts"
import {unknownCommand} from "../../support/messages/answers.ts"
import {messageIn, tell} from "../../support/messages/messages.ts"
import {pluginWith, replying} from "../../support/plugins/plugin-sources.ts"
import {pluginOf} from "./plugin.ts"

const config = `http: {port: 0}
messages: {failure: ""}
plugins:
  sandbox: {}
  greeter: {}
  risky: {}
`

/** Each command starts something that throws after its handler has ended. */
const risky = `import {EventEmitter} from "node:events"
${pluginWith(`
    let count = 0
    const emitter = new EventEmitter()
    emitter.on("late", () => { throw new Error("thrown by a listener") })
    plugin.defer(() => note("undone"))
    plugin.command("count", () => String(++count))
    plugin.command("timer", () => { setTimeout(() => { throw new Error("thrown by a timer") }, 5); return "ok" })
    plugin.command("listener", () => { setTimeout(() => emitter.emit("late"), 5); return "ok" })
    plugin.command("promise", () => { void sleep(5).then(() => { throw new Error("thrown by a promise") }); return "ok" })
    plugin.command("microtask", () => { queueMicrotask(() => { throw new Error("thrown by a microtask") }); return "ok" })
    plugin.command("process", () => {
      const listen = () => { throw new Error("thrown by a listener of the process") }
      process.once("risky" as never, listen)
      setTimeout(() => process.emit("risky" as never), 5)
      return "ok"
    })
    plugin.command("undo", () => {
      plugin.signal.addEventListener("abort", () => { throw new Error("thrown by an abort listener") })
      setTimeout(() => { throw new Error("thrown by a timer") }, 5)
      return "ok"
    })
    plugin.command("text", () => { void Promise.reject("only text"); return "ok" })`)}`

const start = (runtime = onBun) =>
  startHost({own: true, runtime, config, plugins: {risky, greeter: replying("greet", "hello")}, args: ["--no-watch"]})

/** Waits until the plugin's instance has been undone `times` times and a new one is active. */
const startedAnew = (host: TestHost, times: number) =>
  until(`instance ${times + 1}`, async () => {
    const undone = host.project.read("notes.log").split("undone").length - 1
    return undone === times && (await pluginOf(host, "risky"))?.state === "active"
  })

describe.each(runtimes)("an uncaught exception on $name", runtime => {
  test.each([
    ["timer", "thrown by a timer"],
    ["listener", "thrown by a listener"],
    ["promise", "thrown by a promise"],
    ["microtask", "thrown by a microtask"],
    ["process", "thrown by a listener of the process"],
  ])("is attributed to its plugin, which the Host disposes and restarts: %s", async (command, message) => {
    const host = await start(runtime)
    expect(await host.say("/count")).toEqual(["1"])
    await host.say(`/${command}`)
    await startedAnew(host, 1)
    expect(await host.say("/count")).toEqual(["1"])
    await untilPrinted(host.process, new RegExp(`root/risky threw .*: ${message}; `))
    expect((await statusOf(host)).generation.number).toBe(1)
    expect((await host.stop()).code).toBe(0)
  })

  test("is attributed to the adapter if one of its sends left it behind, whatever is thrown", async () => {
    const wire = pluginWith(`
      plugin.defer(() => note("undone"))
      plugin.adapter("wire", {history: "none", open: async () => ({
        send: async message => {
          setTimeout(() => { throw "only text" }, 5)
          return {ids: [message.id]}
        },
      })})`)
    const sending = pluginWith(`plugin.command("send", async ({session}) => {
      await session.send("hello", {endpoint: "wire", channel: "room"})
    })`)
    const host = await startHost({
      own: true,
      runtime,
      config: config.replace("greeter", "sending"),
      plugins: {risky: wire, sending},
      args: ["--no-watch"],
    })
    await host.say("/send")
    await startedAnew(host, 1)
    await untilPrinted(host.process, /root\/risky threw .*: only text; /)
  })

  test("does not end the Host, even if it cannot be attributed", async () => {
    const host = await start(runtime)
    await host.say("/text")
    await untilPrinted(host.process, "only text")
    expect(await host.say("/greet")).toEqual(["hello"])
    expect((await host.stop()).code).toBe(0)
  })

  test("of a listener during the undo is logged, and does not stop the undo", async () => {
    const host = await start(runtime)
    await host.say("/undo")
    await startedAnew(host, 1)
    await untilPrinted(host.process, "thrown by an abort listener")
    expect(await host.say("/count")).toEqual(["1"])
  })
})

test("the third late exception in ten minutes quarantines the plugin until the next generation", async () => {
  const host = await start()
  await host.say("/timer")
  await startedAnew(host, 1)
  await host.say("/promise")
  await startedAnew(host, 2)
  await host.say("/listener")
  const plugin = await until("the quarantine", async () => {
    const found = await pluginOf(host, "risky")
    return found?.state === "quarantined" && found.capabilities.length === 0 && found
  })
  expect(plugin).toMatchObject({
    error: "thrown by a listener",
    at: {file: "plugins/risky.ts", line: risky.split("\n").findIndex(line => line.includes("listener")) + 1},
  })
  expect(await host.say("/count")).toEqual([unknownCommand("count")])
  expect(await host.say("/greet")).toEqual(["hello"])
  expect(await reload(host)).toEqual({committed: true, generation: 2})
  expect(await host.say("/count")).toEqual(["1"])
  await host.say("/timer")
  await startedAnew(host, 4)
})

test("an instance that cannot be restarted is failed, and publishes nothing", async () => {
  const once = pluginWith(`
    if (process.env.SECOND) throw new Error("not again")
    process.env.SECOND = "yes"
    plugin.command("count", () => "1")
    plugin.command("timer", () => { setTimeout(() => { throw new Error("late") }, 5); return "ok" })`)
  const host = await startHost({own: true, config, plugins: {risky: once, greeter: replying("greet", "hello")}})
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
    plugins: {risky, greeter: replying("greet", "hello")},
  })
  expect((await svc(runtime, project, ["build"])).code).toBe(0)
  const env = {HTTP_TOKEN: "a-token-of-thirty-two-characters"}
  const host = await startHost({own: true, runtime, project, env, args: ["--mode", "production"]})
  expect(await pluginOf(host, "risky")).toMatchObject({origin: "built"})
  await host.say("/promise")
  await startedAnew(host, 1)
})

test("an event that arrives while an instance is restarted is handled by the new one", async () => {
  const slow = pluginWith(`
    plugin.command("echo <text:text>", ({args}) => args.text)
    plugin.command("late", () => { setTimeout(() => { note("thrown"); throw new Error("late") }, 5); return "ok" })
    plugin.defer(() => sleep(100))
    note("set up")
    if (process.env.SECOND === undefined) {
      process.env.SECOND = "yes"
      return
    }
    return (async () => {
      while (!existsSync(join(plugin.project, "go"))) await sleep(10)
    })()`)
  const host = await startHost({
    own: true,
    config,
    plugins: {risky: slow, greeter: replying("greet", "hello")},
    args: ["--no-watch"],
  })
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
  plugin.defer(() => note("undone"))
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
    plugins: {greeter: replying("greet", "hello"), risky: leavesBehind},
    args: ["--no-watch"],
  })
  if (first !== config) {
    host.project.write("svc.config.yml", config)
    expect(await reload(host)).toEqual({committed: true, generation: 2})
  }
  await startedAnew(host, 1)
  await untilPrinted(host.process, /root\/risky threw .*: left behind; /)
  expect(await host.say("/count")).toEqual(["1"])
})

test.each(runtimes)("many concurrent handlers of one instance cause no warning, on $name", async runtime => {
  const busy = pluginWith('plugin.on("message-created", () => sleep(200).then(() => "done"))')
  const host = await startHost({
    own: true,
    runtime,
    config,
    plugins: {risky: busy, greeter: replying("greet", "hello")},
  })
  await Promise.all(Array.from({length: 30}, (_, n) => host.say("hello", {channel: `c${n}`})))
  expect(host.process.output()).not.toContain("MaxListeners")
})
