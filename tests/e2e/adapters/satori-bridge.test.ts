import {describe, expect, test} from "vitest"
import {
  bunOr,
  pluginWith,
  startHost,
  type TestHost,
  until,
  untilGaps,
  usuallyOn,
  whenOver,
} from "../../support/host/host.ts"
import {inboxOf, textsBy} from "../../support/messages/inbox.ts"
import {untilState} from "../../support/platforms/endpoint.ts"
import {FakeKook} from "../../support/platforms/kook/kook.ts"
import {channel, token} from "../../support/platforms/kook/methods.ts"

const env = {KOOK_TOKEN: token}

const bot = pluginWith(`
    const paint = plugin.action("paint", ({data, session}) => session.user.id + " takes " + data)
    plugin.command("paint", () => ["Which?", paint.button("red", "Red")])
    plugin.command("read <src:string>", ({args}) => ["text ", h("img", {src: args.src, title: "x"})])
    plugin.command("draft", async ({session}) => {
      await session.edit(await session.sendNow("draft"), ["a & b, ", h("b", "bold")])
    })
    plugin.command("greet <name:text>", ({args}) => ["hello ", h("b", args.name)])
`).replace("definePlugin", "definePlugin, h")

const startKook = () => FakeKook.start(whenOver)

const kookAt = (kook: FakeKook, id: string) => ({
  id,
  package: "@satorijs/adapter-kook",
  config: {protocol: "ws", endpoint: `${kook.url}/api/v3`},
  secrets: {token: "${KOOK_TOKEN}"},
})

const configOf = (endpoints: readonly object[]) =>
  JSON.stringify({http: {port: 0}, plugins: {bot: {}, "satori-bridge": {endpoints}}})

const online = (host: TestHost, id: string) => untilState(host, `satori-bridge~${id}`, "online")

const textsOf = (host: TestHost, id: string) => textsBy(host, `satori-bridge~${id}`)

const heardBy = (kook: FakeKook) => kook.heard().map(({text}) => text)

describe.each(bunOr("node24"))("on $name", runtime => {
  test("messages and presses pass both ways, malformed data blocks nothing, and a cut leaves a gap", async () => {
    const kook = await startKook()
    const host = await startHost({own: true, runtime, env, plugins: {bot}, config: configOf([kookAt(kook, "one")])})
    await online(host, "one")
    kook.write('{"s":0,"d":')
    kook.write('{"s":0,"sn":9,"d":{"type":9,"extra":{}}}')
    const id = kook.say("a * b")
    kook.notify("added_reaction", {channel_id: channel, msg_id: id, user_id: "42", emoji: {id: "🎉"}})
    kook.notify("updated_message", {channel_id: channel, msg_id: id, content: "c"})
    kook.notify("deleted_message", {channel_id: channel, msg_id: id})
    await until("four events", async () => (await inboxOf(host)).length === 4)
    // The package drops the emoji, and an edit or a deletion has the id of its notice.
    const events = (await inboxOf(host)).map(({event}) => [event.type, event.message?.id === id, event.emoji])
    expect(events).toEqual([
      ["message-created", true, undefined],
      ["reaction-added", true, undefined],
      ["message-updated", false, undefined],
      ["message-deleted", false, undefined],
    ])
    kook.say("!greet (all)")
    await until("the answer", () => heardBy(kook).includes("hello **(all)**"))
    kook.say("!draft")
    await until("the bot's edit, as the package writes it", () => heardBy(kook).includes("a &amp; b, <b>bold</b>"))
    kook.say("!paint")
    const shown = await until("the button", () => kook.heard().find(({buttons}) => buttons.length > 0))
    const press = {value: shown.buttons[0], msg_id: shown.id, user_id: "42", target_id: channel, channel_type: "GROUP"}
    kook.notify("message_btn_click", {...press, guild_id: "500", user_info: {id: "42", username: "ann"}}, "PERSON")
    await until("the answer to the press", () => heardBy(kook).includes("42 takes red"))
    for (const src of ["file:///etc/hostname", `${host.url}/api/endpoints`]) kook.say(`!read ${src}`)
    await until("the adapter to refuse local files", async () => {
      const {items} = await host.get("/api/outbox", {limit: 2})
      return items.length === 2 && items.every(({state}) => state === "failed")
    })
    expect(kook.heard().flatMap(({files}) => files)).toEqual([])
    kook.cut()
    await until("the connection to end", () => kook.connections === 0)
    kook.say("missed")
    await until("the bot to connect again", () => kook.connections === 1)
    await online(host, "one")
    kook.say("afterwards")
    await until("the message", async () => (await textsOf(host, "one")).at(-1) === "afterwards")
    expect(await textsOf(host, "one")).not.toContain("missed")
    expect(await untilGaps(host, 1)).toMatchObject([{endpoint: "satori-bridge~one", backfill: null}])
    await host.stop()
    expect(host.process.output()).not.toContain(token)
  })
})

test("two bots and two generations of one adapter stay independent", async () => {
  const [first, second] = [await startKook(), await startKook()]
  const config = configOf([kookAt(first, "one"), kookAt(second, "two")])
  const host = await startHost({runtime: usuallyOn("node22"), env, plugins: {bot}, config})
  await Promise.all(["one", "two"].map(id => online(host, id)))
  first.say("!greet one")
  second.say("!greet two")
  await until("both answers", () => [first, second].flatMap(heardBy).length === 2)
  expect([first, second].map(heardBy)).toEqual([["hello **one**"], ["hello **two**"]])

  host.project.write("svc.config.yml", configOf([kookAt(second, "two")]))
  await host.post("/api/system/reload")
  await until("the removed bot to disconnect", () => first.connections === 0)
  await host.post("/api/endpoints/:name/reconnect", {name: "satori-bridge~two"})
  await online(host, "two")
  second.say("!greet again")
  await until("the answer", () => second.heard().length === 2)
  expect(await textsOf(host, "one")).toEqual(["!greet one"])
  expect(await textsOf(host, "two")).toEqual(["!greet two", "!greet again"])
  expect((await host.stop()).code).toBe(0)
  expect([first.connections, second.connections]).toEqual([0, 0])
})

test("a package with a built-in adapter fails, and the endpoint names that adapter", async () => {
  const account = {id: "one", package: "@satorijs/adapter-telegram", secrets: {token: "${KOOK_TOKEN}"}}
  const host = await startHost({env, plugins: {bot}, config: configOf([account])})
  const {reason, remediation} = await untilState(host, "satori-bridge~one", "failed")
  expect([reason, remediation]).toEqual(["package", expect.stringContaining("svc adapter add telegram")])
})
