import {expect, test} from "vitest"
import {bunOr, eventOf, failureOf, pluginWith, startHost, tell, until} from "../../support/host/host.ts"

const orders = pluginWith(`
    plugin.hears(/(\\d+) (?:cups? of )?(?<drink>tea|coffee)/i, {name: "order"}, async ({match, session}) => {
      const [count, drink] = match.groups
      if (!existsSync(join(plugin.project, "killed"))) {
        await session.send("in vain")
        note("hung")
        await new Promise(() => {})
      }
      return count + " " + match.named.drink + (drink === match.named.drink ? "" : "?")
    })
    plugin.hears("please", ({match}) => match.text + "!")
    plugin.command("tea", () => "a command")`)

/** A plugin with two invalid patterns, in lines 10 and 12. */
const refused = pluginWith(`
    plugin.hears(/please(?=, now)/, () => "now")
    plugin.hears(/fine/, () => "fine")
    plugin.hears(/(a)\\1/, () => "twice")`)

const others = pluginWith(`plugin.hears("please", () => "to all")`)

test.each(bunOr("node22"))("a heard message is stored, and answered once after a kill, on $name", async runtime => {
  const first = await startHost({
    own: true,
    runtime,
    config: "http: {port: 0}\nplugins: {bot: {}, others: {}, sandbox: {}}\n",
    plugins: {bot: orders, others},
  })
  const {project} = first
  const seq = await tell(first, {text: "Please bring 2 cups of tea, please", group: true})
  await until("the handler to run", () => project.read("notes.log") === "hung\n")
  await first.stop("SIGKILL")
  project.write("killed", "")

  const second = await startHost({runtime, project})
  const {marks} = await eventOf(second, seq)
  expect(marks.map(({handler, state}) => [handler, state])).toEqual([
    ["root/bot/hears/0", "handled"],
    ["root/bot/hears/order", "handled"],
    ["root/others/hears/0", "handled"],
  ])
  const {items} = await second.get("/api/outbox")
  expect(items.map(({text}) => text).sort()).toEqual(["2 tea", "please!", "to all"])
  expect(await second.say("1 coffee")).toEqual(["1 coffee"])
  expect(await second.say("/tea 3 tea, please")).toEqual(['Unexpected "3". Usage: /tea'])
  const {items: plugins} = await second.get("/api/plugins")
  expect(plugins.find(({name}) => name === "bot")?.capabilities).toContainEqual({
    id: "root/bot/hears/order",
    kind: "hears",
    name: "order",
    description: "/(\\d+) (?:cups? of )?(?<drink>tea|coffee)/i",
  })

  project.write("plugins/bot.ts", refused)
  await expect(second.post("/api/system/reload")).rejects.toThrow("2 patterns are refused")
  expect((await failureOf(second)).issues).toEqual([
    expect.stringMatching(
      /^plugins\/bot\.ts:10:\d+ plugins\.bot: hears\(\/please\(\?=, now\)\/\): \(\?= at character 7 is/,
    ),
    expect.stringMatching(/^plugins\/bot\.ts:12:\d+ plugins\.bot: hears\(\/\(a\)\\1\/\): \\1 at character 4 is a back/),
  ])
  expect(await second.say("4 tea")).toEqual(["4 tea"])
  expect((await second.stop()).code).toBe(0)
})
