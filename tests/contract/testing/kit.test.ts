import {expect, onTestFinished, test} from "vitest"
import {startTelegram} from "../../../server/testing/platforms/platforms.ts"
import {startBot, plugin as testing} from "../../../server/testing/testing.ts"
import {definePlugin, Type} from "../../../shared/sdk/sdk.ts"

const desk = definePlugin({
  setup(plugin) {
    const take = plugin.action("take", {data: Type.String(), expires: "never"}, ({data}) => `took ${data}`)
    plugin.command("open <name>", ({args: {name}}) => [name, take.button(name, "Take")])
    plugin.command("who", async ({session}) => (await session.quoted())?.user?.id ?? "nobody")
    plugin.job("remind", {}, async run => {
      await run.send({endpoint: "sandbox", channel: "desk"}, ["Still open.", take.button("one", "Take")])
    })
  },
})

test("a test presses the button of an older message, by the message or its id", () =>
  testing.test(desk, async bot => {
    for (const name of ["one", "two"]) await bot.say(`/open ${name}`)
    const [, one] = await bot.messages()
    expect(await bot.press("Take", {message: one ?? ""})).toEqual(["took one"])
    expect(await bot.press("1", {message: one?.id ?? ""})).toEqual(["took one"])
    expect(await bot.press("Take")).toEqual(["took two"])
    await expect(bot.press("Leave", {message: one ?? ""})).rejects.toThrow("Leave")
  }))

test("a message of a job has its buttons in the form of all others", () =>
  testing.test(desk, async bot => {
    const sent = await bot.fire("remind")
    expect(sent.map(({text}) => text)).toEqual((await bot.messages("desk")).map(({text}) => text))
  }))

test("a quoted message in the sandbox names its author", () =>
  testing.test(desk, async bot => {
    await bot.say("/open one", {user: "ann", channel: "team", group: true})
    for (const {id, from} of await bot.messages("team"))
      expect(await bot.say("/who", {channel: "team", group: true, quote: id})).toEqual([from === "bot" ? "bot" : "ann"])
  }))

test("a send that waits for the platform's time is settled, and sent once the clock shows that time", async () => {
  const telegram = await startTelegram()
  onTestFinished(() => telegram.close())
  const bot = await startBot({plugins: {desk: {plugin: desk}, telegram: {endpoints: [telegram.account]}}})
  onTestFinished(() => bot.close())
  telegram.refuseNext("sendMessage", {status: 429, body: {parameters: {retry_after: 30}}})
  await telegram.say("/open one")
  await bot.settle()
  await bot.clock.advance(29)
  expect(telegram.sent()).toEqual([])
  await bot.clock.advance(1)
  expect(telegram.sent()).toMatchObject([{text: "one"}])
})

test.each([{days: 29}, {days: 31}])("the retention of a bot follows its clock, after %o", span =>
  testing.test(desk, {now: "2026-03-01T09:00:00Z", project: {retention: {handled: {least: 0}}}}, async bot => {
    await bot.say("/who")
    const stored = async () => {
      const asked = await fetch(`${bot.url}/api/inbox`, {headers: {authorization: `Bearer ${bot.token}`}})
      return (await asked.json()).items.length
    }
    await bot.clock.advance(span)
    expect(await stored()).toBe(span.days > 30 ? 0 : 1)
  }),
)
