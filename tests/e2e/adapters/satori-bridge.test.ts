import {describe, expect, test} from "vitest"
import {bunOr, pluginWith, startHost, type TestHost, until, untilGaps, usuallyOn} from "../../support/host/host.ts"
import {inboxOf, textsBy} from "../../support/messages/inbox.ts"
import {startDiscord} from "../../support/platforms/discord/discord.ts"
import {saidIn, untilDiscord, untilEvent} from "../../support/platforms/discord/host.ts"
import {endpointsOf} from "../../support/platforms/endpoint.ts"
import {startTelegram, type TelegramFake} from "../../support/platforms/telegram/telegram.ts"

const token = "999:AAtests-own-token"
const env = {BOT_TOKEN: token, OTHER_TOKEN: "998:AAother-own-token", DISCORD_TOKEN: "bot-999.right"}

const bot = pluginWith(`
    const paint = plugin.action("paint", ({data, session}) => session.user.id + " takes " + data)
    plugin.command("paint", () => ["Which?", paint.button("red", "Red")])
    plugin.command("read <src:string>", ({args}) => ["text ", h("img", {src: args.src, title: "x"})])
    plugin.command("draft", async ({session}) => {
      await session.edit(await session.sendNow("draft"), ["a & b, ", h("b", "bold")])
    })
    plugin.command("greet <name:text>", ({args}) => "hello " + args.name)
`).replace("definePlugin", "definePlugin, h")

const telegramAt = (fake: TelegramFake, id: string, variable = "BOT_TOKEN") => ({
  id,
  package: "@satorijs/adapter-telegram",
  config: {protocol: "polling", endpoint: fake.url, pollingTimeout: 2000},
  secrets: {token: `\${${variable}}`},
})

const configOf = (endpoints: readonly object[]) =>
  JSON.stringify({http: {port: 0}, plugins: {bot: {}, "satori-bridge": {endpoints}}})

const online = (host: TestHost, id: string) => untilDiscord(host, "online", `satori-bridge~${id}`)

const textsOf = (host: TestHost, id: string) => textsBy(host, `satori-bridge~${id}`)

describe.each(bunOr("node24"))("on $name", runtime => {
  test("Telegram updates are confirmed once stored, and neither kill -9 nor a pause loses or duplicates any", async () => {
    const fake = await startTelegram({token})
    fake.say({text: "waited"})
    let host = await startHost({own: true, runtime, env, plugins: {bot}, config: configOf([telegramAt(fake, "one")])})
    const {project} = host
    const said = ["waited"]
    const say = (texts: readonly string[]) => {
      said.push(...texts)
      for (const text of texts) fake.say({text})
    }
    for (const round of [1, 2]) {
      await online(host, "one")
      say(Array.from({length: 6}, (_, n) => `${round}.${n}`))
      await until("some updates to be stored", async () => (await textsOf(host, "one")).length > said.length - 5)
      await host.stop("SIGKILL")
      say([`${round}, meanwhile`])
      host = await startHost({own: true, runtime, env, project})
    }
    await until("all updates to be confirmed", () => fake.waiting().length === 0)
    fake.repeat()
    await host.post("/api/ingress/pause")
    say(["paused"])
    const polls = fake.arrivals()
    await until(
      "the other updates to be delivered",
      async () => (await textsOf(host, "one")).length === said.length - 1,
    )
    expect(fake.waiting()).toHaveLength(1)
    await host.post("/api/ingress/resume")
    await until("all updates to be confirmed", () => fake.waiting().length === 0)
    expect(await textsOf(host, "one")).toEqual(said)
    expect(fake.arrivals()).toBeGreaterThan(polls)
    expect(new Set((await untilGaps(host, 3)).map(({backfill}) => backfill))).toEqual(new Set(["filled"]))
    fake.push({edited_message: {message_id: 1, date: 1, text: "changed", chat: {id: 42, type: "private"}}})
    await untilEvent(host, "the edit", ({event}) => event.type === "message-updated")
    const message = {message_id: 900, date: 1, chat: {id: 42, type: "private"}, from: {id: 7, first_name: "Bob"}}
    fake.push({message: {...message, text: "a < bold", entities: [{type: "bold", offset: 4, length: 4}]}})
    await untilEvent(host, "markup", ({event}) => event.message?.content === "a &lt; <b>bold</b>")
    fake.say({text: "!draft"})
    await until("the bot's edit", () => fake.sent().some(({text}) => text === "a &amp; b, <b>bold</b>"))
    fake.say({text: "!paint"})
    const shown = await until("the button", () => fake.sent().find(({keyboard}) => keyboard.length > 0))
    fake.press(shown.id, String(shown.keyboard[0]?.[0]?.callback_data))
    await until("the answer to the press", () => fake.sent().some(({text}) => text === "42 takes red"))
    fake.say({text: "/start now"})
    await untilEvent(host, "the command", ({event}) => event.message?.content === "/start now")
    await host.stop()
    expect(host.process.output()).not.toContain("AAtests-own-token")
  })
})

test("two bots and two generations of one adapter stay independent", async () => {
  const [first, second] = [await startTelegram({token}), await startTelegram({token: env.OTHER_TOKEN})]
  const accounts = [telegramAt(first, "one"), telegramAt(second, "two", "OTHER_TOKEN")]
  const host = await startHost({runtime: usuallyOn("node22"), env, plugins: {bot}, config: configOf(accounts)})
  await Promise.all(["one", "two"].map(id => online(host, id)))
  first.say({text: "!greet one"})
  second.say({text: "!greet two"})
  const answers = () => [first, second].map(fake => fake.sent().map(({text}) => text))
  await until("both answers", () => answers().flat().length === 2)
  expect(answers()).toEqual([["hello one"], ["hello two"]])

  host.project.write("svc.config.yml", configOf([telegramAt(second, "two", "OTHER_TOKEN")]))
  await host.post("/api/system/reload")
  await until("the removed bot to disconnect", () => first.open() === 0)
  await host.post("/api/endpoints/:name/reconnect", {name: "satori-bridge~two"})
  await online(host, "two")
  second.say({text: "!greet again"})
  await until("the answer", () => second.sent().length === 2)
  expect(await textsOf(host, "one")).toEqual(["!greet one"])
  expect(await textsOf(host, "two")).toEqual(["!greet two", "!greet again"])
  expect((await host.stop()).code).toBe(0)
  expect([first.open(), second.open()]).toEqual([0, 0])
})

test("edits, deletions, reactions and presses arrive from Discord, and malformed data blocks nothing", async () => {
  const fake = await startDiscord()
  const account = {
    id: "one",
    package: "@satorijs/adapter-discord",
    config: {endpoint: `${fake.url}/v10`},
    secrets: {token: "${DISCORD_TOKEN}"},
  }
  const host = await startHost({env, plugins: {bot}, config: configOf([account])})
  await online(host, "one")
  fake.sessions.all('{"op":0,"t":"MESSAGE_CRE')
  fake.dispatch("MESSAGE_UPDATE", {id: "1", channel_id: "600"})
  fake.dispatch("MESSAGE_CREATE", {id: "2", channel_id: 600, content: {}})
  const said = fake.write({channel: "600", content: "one"})
  fake.edit(said.id, "two")
  fake.react(said.id, "🎉")
  fake.react(said.id, "🎉", false)
  const events = async () => (await inboxOf(host)).filter(({event}) => event.message?.id === said.id)
  await until("four events", async () => (await events()).length === 4)
  fake.remove(said.id)
  await until("five events", async () => (await events()).length === 5)
  expect((await events()).map(({event: {type, emoji, message}}) => [type, emoji?.id ?? message?.content])).toEqual([
    ["message-created", "one"],
    ["message-updated", "two"],
    ["reaction-added", "🎉"],
    ["reaction-removed", "🎉"],
    ["message-deleted", ""],
  ])

  fake.write({channel: "600", content: "!paint"})
  const shown = await until("the button", () => fake.world.in("600").find(({components}) => components.length > 0))
  const [{components}] = shown.components as readonly [{components: readonly [{custom_id: string}]}]
  const data = {component_type: 2, custom_id: components[0].custom_id}
  fake.interact({type: 3, token: "press", data, message: {id: shown.id}})
  await until("the answer to the press", () => saidIn(fake, "600").includes("42 takes red"))
  fake.write({channel: "600", content: "!draft"})
  await until("the bot's edit", () => saidIn(fake, "600").includes("a & b, **bold**"))
  for (const src of ["file:///etc/hostname", `${host.url}/api/endpoints`])
    fake.write({channel: "600", content: `!read ${src}`})
  await until("the adapter to refuse local files", async () => {
    const {items} = await host.get("/api/outbox", {limit: 2})
    return items.length === 2 && items.every(({state}) => state === "failed")
  })
  expect(fake.world.in("600").flatMap(({files}) => files)).toEqual([])
  expect(await endpointsOf(host)).toMatchObject([{name: "satori-bridge~one", state: "online"}])
})
