import assert from "node:assert/strict"
import {test} from "node:test"
import {type Bot, plugin, startBot} from "svc-runtime/test"
import {startDiscord, startTelegram} from "svc-runtime/test/platforms"
import moderation from "../plugins/moderation.ts"
import {createClub} from "./club.ts"

const config = {words: ["spam"], log: {endpoint: "sandbox", channel: "log"}}

test("deletes a message, mutes its author, logs both, and passes the appeal on", () =>
  plugin.test(moderation, {config, users: {ada: "trusted"}}, async bot => {
    const said = async (channel: string) => (await bot.messages(channel)).map(({text}) => text)
    const hears = async (channel: string, text: string) => assert.ok((await said(channel)).includes(text), text)

    await hears("log", "Moderation is on: spam.")
    await bot.say("buy spam", {channel: "team", user: "eve", group: true})
    assert.deepEqual(await said("team"), [])
    await hears("log", 'eve on sandbox wrote "buy spam" (spam): deleted, muted for 10 min.')
    await hears("@eve", 'The word "spam" is not allowed here. If this was a mistake, write here: /appeal and why.')
    await assert.rejects(bot.say("why?", {channel: "team", user: "eve", group: true}), /eve is muted/)

    const direct = {channel: "@eve", user: "eve"}
    assert.deepEqual(await bot.say("/appeal I meant the tin", direct), ["The moderators have your appeal."])
    await hears("log", 'eve appeals: "I meant the tin". To let them write: /pardon sandbox eve')
    await bot.say("/pardon sandbox eve", {channel: "log", user: "ada", group: true})
    await hears("log", "ada pardoned eve.")
    await hears("@eve", "You may write again.")
    await bot.say("thank you", {channel: "team", user: "eve", group: true})
    assert.deepEqual(await said("team"), ["thank you"])
    assert.deepEqual(await bot.say("/appeal again", direct), ["There is nothing to appeal."])
  }))

test("ignores quotes by moderators, and lets only moderators pardon", () =>
  plugin.test(moderation, {config, users: {ada: "trusted"}}, async bot => {
    assert.deepEqual(await bot.say("is spam a food?", {channel: "team", user: "ada", group: true}), [])
    assert.deepEqual(await bot.say("/pardon sandbox eve", {user: "ada"}), ["There is no open case for eve."])
    assert.deepEqual(await bot.say("/pardon sandbox eve", {user: "eve"}), ["/pardon needs the permission trusted."])
  }))

const log = {endpoint: "sandbox", channel: "log"}
const eve = {channel: "team", user: "eve", group: true}
const ada = {...eve, user: "ada"}
const users = {ada: "trusted"} as const

const said = async (bot: Bot, channel: string) => (await bot.messages(channel)).map(({text}) => text)
const newest = async (bot: Bot, channel: string) => (await said(bot, channel)).at(-1)

/** What happens to each of these messages of Eve: the end of the moderators' line, empty if there is none. */
const outcomes = (config: object, ...texts: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = []
  return plugin
    .test(moderation, {config: {log, ...config}, users}, async bot => {
      for (const text of texts) {
        const before = (await said(bot, "log")).length
        await bot.say(text, eve)
        const line = (await said(bot, "log")).slice(before).join("\n")
        found.push(line.replace(`eve on sandbox wrote "${text}" `, ""))
      }
    })
    .then(() => found)
}

test("finds whole words and parts of words, however they are written", async () => {
  const config = {words: ["cat", "free money"], parts: ["casino"], actions: {words: "log", parts: "log"}}
  const texts = ["a CAT!", "concatenate", "FREE  money", "my ｃａｔ", "ca\u200bt", "OnlineCasino24", "dog"]
  assert.deepEqual(await outcomes(config, ...texts), [
    "(cat): only logged.",
    "",
    "(free money): only logged.",
    "(cat): only logged.",
    "(cat): only logged.",
    "(casino): only logged.",
    "",
  ])
})

test("lets links lead to allowed domains only", async () => {
  const config = {allow: ["example.org"], actions: {links: "delete"}}
  const texts = [
    "https://example.org/a and www.example.org",
    "http://docs.example.org",
    "https://example.org@evil.test/",
    "https://evilexample.org",
    "www.evil.test",
  ]
  assert.deepEqual(await outcomes(config, ...texts), [
    "",
    "",
    "(evil.test): deleted.",
    "(evilexample.org): deleted.",
    "(www.evil.test): deleted.",
  ])
})

test("finds invitations", async () => {
  const config = {actions: {invites: "delete"}}
  assert.deepEqual(await outcomes(config, "join discord.gg/abc", "https://t.me/+abc", "t.me/ann"), [
    "(discord.gg/abc): deleted.",
    "(t.me/+abc): deleted.",
    "",
  ])
})

test("deletes all of a flood, and what somebody repeats", () =>
  plugin.test(
    moderation,
    {config: {log, flood: {messages: 4, seconds: 10}, actions: {flood: "mute", repeats: "delete"}}, users},
    async bot => {
      for (const text of ["one", "two", "three"]) await bot.say(text, eve)
      await bot.clock.advance(11)
      for (const text of ["four", "five", "six"]) await bot.say(text, eve)
      assert.equal((await said(bot, "team")).length, 6)
      await bot.say("seven", eve)
      assert.deepEqual(await said(bot, "team"), ["one", "two", "three"])
      assert.equal(await newest(bot, "log"), 'eve on sandbox wrote "seven" (4 messages): deleted, muted for 10 min.')
      await bot.clock.advance({minutes: 11})
      for (const text of ["buy", "well", "buy", "Buy"]) {
        await bot.say(text, {...eve, user: "mia"})
        await bot.clock.advance(11)
      }
      assert.deepEqual(await said(bot, "team"), ["one", "two", "three", "well"])
      assert.equal(await newest(bot, "log"), 'mia on sandbox wrote "Buy" (3× the same): deleted.')
      assert.equal(await newest(bot, "@mia"), "Please do not repeat your message.")
    },
  ))

test("counts warnings, mutes at the third, bans at the fifth, and lets them expire", () =>
  plugin.test(moderation, {config: {log, warnings: {days: 10}}, users, now: "2026-03-01T12:00:00Z"}, async bot => {
    await bot.say("hello", eve)
    await bot.say("/warn eve be kind", ada)
    assert.equal(await newest(bot, "log"), "Warning for eve by ada (be kind): warned (1).")
    assert.equal(await newest(bot, "@eve"), "This is warning 1: be kind")
    await bot.clock.advance({days: 6})
    await bot.say("/warn eve again", ada)
    assert.deepEqual(await bot.say("/warnings eve", ada), ["Mar 1, 2026, ada: be kind\nMar 7, 2026, ada: again"])
    await bot.clock.advance({days: 5})
    assert.deepEqual(await bot.say("/warnings eve", ada), ["Mar 7, 2026, ada: again"])
    await bot.say("/warn eve two", ada)
    await bot.say("/warn eve three", ada)
    assert.equal(await newest(bot, "log"), "Warning for eve by ada (three): warned (3), muted for 10 min.")
    await bot.clock.advance({minutes: 10})
    await bot.say("/warn eve four", ada)
    await bot.say("/warn eve five", ada)
    assert.equal(await newest(bot, "log"), "Warning for eve by ada (five): warned (5), banned.")
    await assert.rejects(bot.say("hello", eve), /eve was banned/)
    await bot.clock.advance({days: 11})
    assert.deepEqual(await bot.say("/warnings eve", ada), ["eve has no warnings."])
    const export_ = await fetch(`${bot.url}/api/users/export?endpoint=sandbox&user=eve`, {
      headers: {authorization: `Bearer ${bot.token}`},
    })
    assert.doesNotMatch(await export_.text(), /"part":"state"/)
  }))

test("warns by a filter", () =>
  plugin.test(moderation, {config: {log, words: ["spam"], actions: {words: "warn"}}, users}, async bot => {
    await bot.say("spam", eve)
    assert.deepEqual(await said(bot, "team"), [])
    assert.equal(await newest(bot, "log"), 'eve on sandbox wrote "spam" (spam): deleted, warned (1).')
    assert.equal(await newest(bot, "@eve"), 'This is warning 1: The word "spam" is not allowed here.')
  }))

test("mutes, ends a mute and bans by command, and says what a platform cannot do", () =>
  plugin.test(moderation, {config: {log}, users}, async bot => {
    await bot.say("hello", eve)
    await bot.say("/mute eve 5 too loud", ada)
    assert.equal(await newest(bot, "log"), "Mute of eve by ada (too loud): muted for 5 min.")
    assert.equal(await newest(bot, "@eve"), "A moderator muted you for 5 min: too loud")
    await assert.rejects(bot.say("hello", eve), /eve is muted/)
    await bot.say("/unmute eve", ada)
    assert.equal(await newest(bot, "log"), "End of the mute of eve by ada: done.")
    await bot.say("hello", eve)
    await bot.say("/mute eve 1", ada)
    assert.equal(await newest(bot, "log"), "Mute of eve by ada (no reason given): muted for 1 min.")
    await bot.clock.advance({minutes: 1})
    assert.equal(await newest(bot, "log"), "The mute of eve has ended.")
    await bot.say("/ban eve", ada)
    assert.equal(await newest(bot, "log"), "Ban of eve by ada (no reason given): banned.")
    await bot.say("/unban eve", ada)
    assert.equal(await newest(bot, "log"), "End of the ban of eve by ada: this platform cannot do it.")
  }))

test("explains what is wrong with a command", () =>
  plugin.test(moderation, {config: {log}, users}, async bot => {
    assert.deepEqual(await bot.say("/mute eve 0", ada), ["A mute lasts 1 to 40320 minutes."])
    assert.deepEqual(await bot.say("/ban ada", ada), ["You cannot moderate yourself."])
    assert.deepEqual(await bot.say("/ban eve", {user: "ada"}), ["Say this in a channel of the server or group."])
    for (const command of ["warn", "mute", "unmute", "ban", "unban", "warnings"])
      assert.deepEqual(await bot.say(`/${command} ada 1`, eve), [`/${command} needs the permission trusted.`])
  }))

test("writes to each in their language", () => {
  const languages = {rules: [{endpoint: "sandbox", channel: "log", language: "de"}]}
  return plugin.test(moderation, {config: {log, words: ["spam"]}, users, project: {languages}}, async bot => {
    assert.equal(await newest(bot, "log"), "Die Moderation ist an: spam.")
    await bot.say("spam", eve)
    assert.equal(await newest(bot, "log"), "eve an sandbox schrieb „spam“ (spam): gelöscht, 10 min stumm.")
    assert.equal(
      await newest(bot, "@eve"),
      'The word "spam" is not allowed here. If this was a mistake, write here: /appeal and why.',
    )
    await bot.say("spam", {...eve, user: "mia", language: "de"})
    assert.equal(
      await newest(bot, "@mia"),
      "Das Wort „spam“ ist hier nicht erlaubt. Wenn das ein Irrtum war, schreibe hier: /appeal und warum.",
    )
  })
})

/** Runs a story on a made-up platform with these features. */
const inClub = async (
  club: ReturnType<typeof createClub>,
  story: (say: (...said: Parameters<typeof club.say>) => Promise<readonly string[]>, bot: Bot) => Promise<void>,
) => {
  const config = {log: {endpoint: "club~one", channel: "log"}, words: ["spam"], mentions: 1, actions: {mentions: "log"}}
  const bot = await startBot({
    plugins: {moderation: {plugin: moderation, config}, club: {plugin: club.plugin, endpoints: [{id: "one"}]}},
    config: {permissions: [{endpoint: "club~one", user: "ada", permission: "trusted"}]},
  })
  try {
    await bot.settle()
    club.did()
    await story(async (...said) => {
      await club.say(...said)
      await bot.settle().catch(() => {})
      return club.did()
    }, bot)
  } finally {
    await bot.close()
  }
}

test("says what a platform cannot do at all", () =>
  inClub(createClub([]), async say => {
    assert.deepEqual(await say("spam", {id: "7", name: "Eve"}), [
      'log: 7 (Eve) on club~one wrote "spam" (spam): not deleted, not muted.',
    ])
    assert.deepEqual(await say("/ban 7 spam", {id: "ada"}), ["log: Ban of 7 by ada (spam): not banned."])
  }))

test("says what a platform refuses", () =>
  inClub(createClub(["delete", "guild.member.mute"], ["guild.member.mute"]), async (say, bot) => {
    const did = await say("spam", {id: "7"}, {id: "m1"})
    assert.deepEqual(did.toSorted(), [
      "delete m1",
      'log: 7 on club~one wrote "spam" (spam): deleted, muted for 10 min.',
    ])
    await bot.clock.advance(3).catch(() => {})
    assert.deepEqual(await say("hello", {id: "ada"}), [
      "log: For 7 on club~one, the platform refused: mute (no_right).",
    ])
  }))

test("reads edits, mentions and links behind a text, and ignores bots", () =>
  inClub(createClub(["delete", "guild.member.mute", "guild.member.kick"]), async say => {
    assert.deepEqual((await say("spam", {id: "7"}, {type: "message-updated", id: "m1"})).toSorted(), [
      "delete m1",
      "guild.member.mute 7 600000",
      'log: 7 on club~one wrote "spam" (spam): deleted, muted for 10 min.',
    ])
    assert.deepEqual(await say("spam", {id: "8", is_bot: true}), [])
    assert.deepEqual(await say('<at id="1" name="a"/> <at id="2" name="b"/>', {id: "7"}), [
      'log: 7 on club~one wrote "@a @b" (2 mentions): only logged.',
    ])
    const ban = '/ban <at id="7" name="Eve Smith"/> because'
    assert.deepEqual((await say(ban, {id: "ada"})).toSorted(), [
      "guild.member.kick 7",
      "log: Ban of 7 by ada (Smith because): banned.",
    ])
  }))

test("lifts a ban on a fake of Discord", async () => {
  const discord = await startDiscord()
  const bot = await startBot({
    plugins: {
      moderation: {plugin: moderation, config: {log: {endpoint: "discord~one", channel: "602"}}},
      discord: {endpoints: [{...discord.account, id: "one"}]},
    },
    config: {permissions: [{endpoint: "discord~one", user: "43", permission: "trusted"}]},
  })
  try {
    await discord.say("/ban <@42>", {user: "43", channel: "600"})
    await bot.settle()
    await discord.say("/unban 42", {user: "43", channel: "600"})
    await bot.settle()
    const bans = discord.requests.map(({method}) => method).filter(method => method.includes("/bans/"))
    assert.deepEqual(bans, ["PUT /guilds/500/bans/42", "DELETE /guilds/500/bans/42"])
    assert.equal(discord.sent().at(-1)?.text, "End of the ban of 42 by 43: done.")
  } finally {
    await bot.close()
    await discord.close()
  }
})

test("mutes, bans and lifts a ban on a fake of Telegram", async () => {
  const telegram = await startTelegram()
  const bot = await startBot({
    plugins: {
      moderation: {plugin: moderation, config: {log: {endpoint: "telegram~one", channel: "-200"}, words: ["spam"]}},
      telegram: {endpoints: [{...telegram.account, id: "one"}]},
    },
    config: {permissions: [{endpoint: "telegram~one", user: "43", permission: "trusted"}]},
  })
  try {
    await telegram.say("buy spam", {user: "42", channel: "-100"})
    for (const command of ["/ban 42", "/unban 42"]) await telegram.say(command, {user: "43", channel: "-100"})
    await bot.settle()
    const acts = ["deleteMessage", "restrictChatMember", "banChatMember", "unbanChatMember"]
    const asked = telegram.requests.map(({method}) => method).filter(method => acts.includes(method))
    assert.deepEqual(asked, acts)
    assert.equal(telegram.sent().at(-1)?.text, "End of the ban of 42 by 43: done.")
  } finally {
    await bot.close()
    await telegram.close()
  }
})

test("refuses a configuration with an error", async () => {
  const refuses = (settings: object, why: RegExp) =>
    assert.rejects(
      plugin.test(moderation, {config: {log, ...settings}}, () => {}),
      why,
    )
  await refuses({minutes: 0}, /minutes/)
  await refuses({actions: {words: "kill"}}, /words/)
  await refuses({allow: ["https://example.org"]}, /allow/)
  await refuses({wrods: ["spam"]}, /wrods/)
})
