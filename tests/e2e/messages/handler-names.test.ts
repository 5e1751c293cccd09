import {expect, test} from "vitest"
import {eventOf, pluginWith, startHost, tell, until} from "../../support/host/host.ts"

const hanging = (name: string) => `async session => {
      note("${name} " + session.text)
      await new Promise(() => {})
    }`

const noting = (name: string) => `session => note("${name} " + session.text)`

/** Four handlers, three of them named. None of them ends. */
const before = pluginWith(`
    plugin.on("message-created", {name: "audit"}, ${hanging("audit")})
    plugin.on("message-created", {name: "removed"}, ${hanging("removed")})
    plugin.on("message-created", {name: "narrowed"}, ${hanging("narrowed")})
    plugin.on("message-created", ${hanging("nameless")})`)

/** The same plugin without one handler, and with two others in front. */
const after = pluginWith(`
    plugin.on("message-created", ${noting("put-before")})
    plugin.on("message-created", {name: "new"}, ${noting("new")})
    plugin.on("message-created", ${noting("nameless")})
    plugin.on("message-created", {name: "audit"}, ${noting("audit")})
    plugin.on("message-created", {name: "narrowed", channel: ["x", "y"]}, ${noting("narrowed")})`)

test("waiting events keep their named handlers when the plugin or a filter changes, and fail if theirs is gone", async () => {
  const first = await startHost({
    own: true,
    config: "http: {port: 0}\nplugins: {bot: {}, sandbox: {}}\n",
    plugins: {bot: before},
  })
  const {project} = first
  const seqs = [await tell(first, {text: "one"}), await tell(first, {text: "two"})]
  await until("the handlers to run", () => project.read("notes.log").trim().split("\n").length === 4)
  await first.stop("SIGKILL")
  project.write("notes.log", "")
  project.write("plugins/bot.ts", after)

  const second = await startHost({project})
  for (const seq of seqs) {
    const {marks} = await eventOf(second, seq)
    expect(marks.map(({handler, state, error}) => [handler, state, error])).toEqual([
      ["root/bot/handler/message-created.0", "handled", null],
      ["root/bot/handler/message-created.audit", "handled", null],
      ["root/bot/handler/message-created.narrowed", "handled", null],
      ["root/bot/handler/message-created.removed", "failed", expect.stringMatching(/\bno such handler$/)],
    ])
  }
  const {items} = await second.get("/api/inbox")
  expect(items.map(({state}) => state)).toEqual(["failed", "failed"])
  // Without a name the position decides, so events for the nameless handler now go to the one in front of it.
  expect(project.read("notes.log").trim().split("\n").sort()).toEqual([
    "audit one",
    "audit two",
    "narrowed one",
    "narrowed two",
    "put-before one",
    "put-before two",
  ])
  expect((await eventOf(second, await tell(second, {text: "three"}))).marks.map(({handler}) => handler)).toEqual([
    "root/bot/handler/message-created.0",
    "root/bot/handler/message-created.1",
    "root/bot/handler/message-created.audit",
    "root/bot/handler/message-created.new",
  ])
  const {items: plugins} = await second.get("/api/plugins")
  expect(plugins.find(({name}) => name === "bot")?.capabilities).toContainEqual({
    id: "root/bot/handler/message-created.narrowed",
    kind: "handler",
    name: "message-created.narrowed",
    description: "channel x, y",
  })
  expect((await second.stop()).code).toBe(0)
})
