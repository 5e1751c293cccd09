import assert from "node:assert/strict"
import {test} from "node:test"
import {definePlugin} from "svc-runtime"
import {type Bot, plugin, startBot} from "svc-runtime/test"
import {startDiscord, startTelegram} from "svc-runtime/test/platforms"
import roles from "../plugins/roles.ts"

const colours = {
  name: "colours",
  text: "Which colour?",
  one: true,
  roles: [
    {id: "red", label: "Red"},
    {id: "blue", label: "Blue"},
  ],
}
const news = {name: "news", text: "What do you want to read?", roles: [{id: "games", label: "Games"}]}
const config = {panels: [colours, news]}
const ada = {channel: "hall", group: true, user: "ada"}
const eve = {channel: "hall", group: true, user: "eve"}

/** Makes the roles of the sandbox. */
const owner = definePlugin({
  setup(plugin) {
    plugin.command("make <ids:string...>", async ({args, session}) => {
      for (const name of args.ids) await session.call("guild.role.create", {guild_id: "sandbox", role: {name}})
    })
  },
})
const options = {config, users: {ada: "trusted"}, plugins: {owner: {plugin: owner}}} as const

/** Makes roles in the sandbox. Eve is its member once she has spoken. */
const make = async (bot: Bot, ids: string) => {
  await bot.say(`/make ${ids}`, ada)
  await bot.say("Hello", eve)
}

const newest = async (bot: Bot) => (await bot.messages("hall")).at(-1)?.text
/** Resolves to what the bot says in the channel after a press. */
const presses = async (bot: Bot, button: string, by: object) => {
  await bot.press(button, by)
  return newest(bot)
}

const moderated = async (bot: Bot) =>
  (await bot.changes()).flatMap(each => (each.change === "moderated" ? [each.what] : []))
const told = async (bot: Bot, user: string) => (await bot.messages(`@${user}`)).map(({text}) => text)

test("gives and takes a role by one button, and tells the user alone", () =>
  plugin.test(roles, options, async bot => {
    await make(bot, "games")
    await bot.say("/roles show news", ada)
    assert.equal(await newest(bot), "What do you want to read?\n[1] Games")
    await bot.changes()
    assert.deepEqual(await bot.press("Games", eve), [])
    assert.deepEqual(await moderated(bot), ["gives eve the role games"])
    assert.deepEqual(await told(bot, "eve"), ["You have the role Games now."])
    await bot.clock.advance({minutes: 5})
    await bot.press("Games", eve)
    assert.deepEqual(await moderated(bot), ["takes the role games from eve"])
    assert.deepEqual(await told(bot, "eve"), ["You have the role Games now.", "You no longer have the role Games."])
  }))

test("keeps one role of a panel", () =>
  plugin.test(roles, {...options, config: {...config, answer: "channel"}}, async bot => {
    await make(bot, "red blue")
    await bot.say("/roles show colours", ada)
    assert.equal(await presses(bot, "Red", eve), "You have the role Red now.")
    assert.equal(await presses(bot, "Blue", eve), "You have the role Blue now, and no longer Red.")
    await bot.changes()
    await bot.clock.advance({minutes: 5})
    assert.equal(await presses(bot, "Red", eve), "You have the role Red now, and no longer Blue.")
    assert.deepEqual(await moderated(bot), ["takes the role blue from eve", "gives eve the role red"])
  }))

test("works a year later, and says when a role is no longer offered", () =>
  plugin.test(roles, {...options, config: {panels: [news], answer: "channel"}}, async bot => {
    await make(bot, "games")
    await bot.say("/roles show", ada)
    await bot.clock.advance({days: 365})
    assert.equal(await presses(bot, "Games", eve), "You have the role Games now.")
    const setup: typeof roles.setup = (api, settings, services) =>
      roles.setup(api, {...settings, panels: [{...news, one: false, roles: colours.roles}]}, services)
    await bot.upgrade({...roles, setup}, {plugin: "plugin"})
    assert.deepEqual(await bot.press("Games", eve), ["This role is no longer offered."])
  }))

test("answers in the language of who presses", () =>
  plugin.test(roles, {...options, config: {panels: [news], answer: "channel"}}, async bot => {
    await make(bot, "games")
    await bot.say("/roles show", ada)
    assert.equal(await presses(bot, "Games", {...eve, language: "de"}), "Du hast jetzt die Rolle Games.")
    assert.equal(await presses(bot, "Games", {...eve, language: "de"}), "Du hast die Rolle Games nicht mehr.")
  }))

test("says what the platform refuses, and what is wrong with a call", () =>
  plugin.test(roles, {...options, config: {...config, answer: "channel"}}, async bot => {
    await bot.say("Hello", eve)
    assert.deepEqual(await bot.say("/roles show news", ada), [
      "The server has no role with the id games. Correct the configuration.",
    ])
    await assert.rejects(bot.press("Games", eve), /no role games/)
    await bot.settle()
    assert.equal(await newest(bot), "The platform did not change the role Games. Ask the team of this server.")
    assert.deepEqual(await bot.say("/roles show food", ada), ["There is no panel food. There is: colours, news"])
    assert.deepEqual(await bot.say("/roles show news", eve), ["/roles show needs the permission trusted."])
    assert.deepEqual(await bot.say("/roles show news", {user: "ada"}), [
      "Roles belong to a server or group: press the button there.",
    ])
  }))

test("refuses a configuration with an error", async () => {
  const refuses = (panels: unknown, why: RegExp) =>
    assert.rejects(
      plugin.test(roles, {config: {panels}}, () => {}),
      why,
    )
  await refuses([], /panels/)
  await refuses([{...news, name: "My News"}], /name/)
  await refuses([{...news, roles: []}], /roles/)
  await refuses([news, news], /two panels have the name "news"/)
  await refuses([{...news, roles: [...news.roles, ...news.roles]}], /"news" has the role games twice/)
})

/** Starts a bot on a fake of a platform, and closes both. */
const on = async (
  name: "discord" | "telegram",
  panels: readonly object[],
  story: (fake: Awaited<ReturnType<typeof startDiscord>>, bot: Bot) => Promise<void>,
) => {
  const fake = await (name === "discord" ? startDiscord() : startTelegram())
  const bot = await startBot({
    plugins: {roles: {plugin: roles, config: {panels}}, [name]: {endpoints: [{...fake.account, id: "one"}]}},
    config: {permissions: [{endpoint: `${name}~one`, user: "43", permission: "trusted"}]},
  })
  try {
    await story(fake, bot)
  } finally {
    await bot.close()
    await fake.close()
  }
}

test("gives a role on a fake of Discord", () =>
  on("discord", [{...news, roles: [{id: "700", label: "Helper"}]}], async (discord, bot) => {
    await discord.say("/roles show", {user: "43", channel: "600"})
    await bot.settle()
    await discord.press("Helper", {user: "42"})
    await bot.settle()
    assert.ok(discord.requests.some(({method}) => method === "PUT /guilds/500/members/42/roles/700"))
    const answer = discord.sent().at(-1)
    // The press reports the language of the user.
    assert.deepEqual([answer?.channel, answer?.text], ["42", "Du hast jetzt die Rolle Helper."])
  }))

test("posts no panel on a fake of Telegram, which has no roles", () =>
  on("telegram", [news], async (telegram, bot) => {
    await telegram.say("/roles show", {user: "43", channel: "-100"})
    await bot.settle()
    assert.deepEqual(
      telegram.sent().map(({text}) => text),
      ["This platform has no roles that a bot can give."],
    )
  }))
