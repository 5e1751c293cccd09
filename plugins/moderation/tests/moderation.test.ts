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
    await hears("log", 'eve in team on sandbox wrote "buy spam" (spam): deleted, muted for 10 min.')
    await hears("@eve", 'The word "spam" is not allowed here. If this was a mistake, write here: /appeal and why.')
    await assert.rejects(bot.say("why?", {channel: "team", user: "eve", group: true}), /eve is muted/)

    const direct = {channel: "@eve", user: "eve"}
    assert.deepEqual(await bot.say("/appeal I meant the tin", direct), ["The moderators have your appeal."])
    await hears("log", 'eve appeals: "I meant the tin". To let them write: /pardon sandbox eve')
    await bot.say("/pardon sandbox eve", {channel: "log", user: "ada", group: true})
    await hears("log", "ada pardoned eve in team.")
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
        found.push(line.replace(`eve in team on sandbox wrote "${text}" `, ""))
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

test("finds links without a scheme, and in other disguises", async () => {
  const links = {
    "evil.example/x": "evil.example",
    "see t.me/joinchat": "t.me",
    "join discord.gg/abc": "discord.gg",
    "go to (EVIL.COM), now": "evil.com",
    "T.Me/x!": "t.me",
    "пример.рф is mine": "xn--e1afmkfd.xn--p1ai",
    "bücher.example/x": "xn--bcher-kva.example",
    "_evil.com_ and **example.org**": "evil.com",
    "[free](evil.com/x)": "evil.com",
    "hxxps://evil.test/x": "evil.test",
    "https:/evil.test": "evil.test",
    "https://EVIL.test.": "evil.test",
    "ev\u200bil.net": "evil.net",
    "Buy at evil.com.Then come back": "evil.com",
    "203.0.113.5:8080": "203.0.113.5",
    "tg://resolve?domain=evil": "resolve",
    "Www.Evil.Test": "www.evil.test",
  }
  const found = await outcomes({allow: ["example.org"], actions: {links: "log"}}, ...Object.keys(links))
  assert.deepEqual(
    found,
    Object.values(links).map(host => `(${host}): only logged.`),
  )
})

test("takes no ordinary text for a link", async () => {
  const texts = [
    "e.g. this, i.e. that, z.B. dort/hier",
    "Hello.World, I like it.He/she does too",
    "ok.so what",
    "see main.py:10, src/lib/index.ts, readme.md and index.html#top",
    "node.js/react, v1.2.3/4, 192.168.0.0/24, 12.30/13.00",
    "mail ann.lee@example.com",
    "wait...what?",
    "docs.EXAMPLE.org/x, [https://example.org](https://example.org), ||https://example.org||, https://example.org.",
    "<a href='mailto:ann@evil.test'>mail</a> <a href='Example.org/x'>x</a>",
    "https://",
  ]
  const found = await outcomes({allow: ["example.org"], actions: {links: "log"}}, ...texts)
  assert.deepEqual(
    found,
    texts.map(() => ""),
  )
})

test("finds invitations", async () => {
  const config = {actions: {invites: "delete"}}
  const texts = ["join DISCORD.gg/abc", "https://t.me/+abc", "t.me/ann", "tg://join?invite=abc"]
  assert.deepEqual(await outcomes(config, ...texts), [
    "(DISCORD.gg/abc): deleted.",
    "(t.me/+abc): deleted.",
    "",
    "(tg://join?invite=abc): deleted.",
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
      assert.equal(
        await newest(bot, "log"),
        'eve in team on sandbox wrote "seven" (4 messages): deleted, muted for 10 min.',
      )
      await bot.clock.advance({minutes: 11})
      for (const text of ["buy", "well", "buy", "Buy"]) {
        await bot.say(text, {...eve, user: "mia"})
        await bot.clock.advance(11)
      }
      assert.deepEqual(await said(bot, "team"), ["one", "two", "three", "well"])
      assert.equal(await newest(bot, "log"), 'mia in team on sandbox wrote "Buy" (3× the same): deleted.')
      assert.equal(await newest(bot, "@mia"), "Please do not repeat your message.")
    },
  ))

test("counts warnings, mutes at the third, bans at the fifth, and lets them expire", () =>
  plugin.test(moderation, {config: {log, warnings: {days: 10}}, users, now: "2026-03-01T12:00:00Z"}, async bot => {
    await bot.say("hello", eve)
    await bot.say("/warn eve be kind", ada)
    assert.equal(await newest(bot, "log"), "Warning for eve in team by ada (be kind): warned (1).")
    assert.equal(await newest(bot, "@eve"), "This is warning 1: be kind")
    await bot.clock.advance({days: 6})
    await bot.say("/warn eve again", ada)
    assert.deepEqual(await bot.say("/warnings eve", ada), ["Mar 1, 2026, ada: be kind\nMar 7, 2026, ada: again"])
    await bot.clock.advance({days: 5})
    assert.deepEqual(await bot.say("/warnings eve", ada), ["Mar 7, 2026, ada: again"])
    await bot.say("/warn eve two", ada)
    await bot.say("/warn eve three", ada)
    assert.equal(await newest(bot, "log"), "Warning for eve in team by ada (three): warned (3), muted for 10 min.")
    await bot.clock.advance({minutes: 10})
    await bot.say("/warn eve four", ada)
    await bot.say("/warn eve five", ada)
    assert.equal(await newest(bot, "log"), "Warning for eve in team by ada (five): warned (5), banned.")
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
    assert.equal(await newest(bot, "log"), 'eve in team on sandbox wrote "spam" (spam): deleted, warned (1).')
    assert.equal(await newest(bot, "@eve"), 'This is warning 1: The word "spam" is not allowed here.')
  }))

test("mutes, ends a mute and bans by command, and says what a platform cannot do", () =>
  plugin.test(moderation, {config: {log}, users}, async bot => {
    await bot.say("hello", eve)
    await bot.say("/mute eve 5 too loud", ada)
    assert.equal(await newest(bot, "log"), "Mute of eve in team by ada (too loud): muted for 5 min.")
    assert.equal(await newest(bot, "@eve"), "A moderator muted you for 5 min: too loud")
    await assert.rejects(bot.say("hello", eve), /eve is muted/)
    await bot.say("/unmute eve", ada)
    assert.equal(await newest(bot, "log"), "End of the mute of eve in team by ada: done.")
    await bot.say("hello", eve)
    await bot.say("/mute eve 1", ada)
    assert.equal(await newest(bot, "log"), "Mute of eve in team by ada (no reason given): muted for 1 min.")
    await bot.clock.advance({minutes: 1})
    assert.equal(await newest(bot, "log"), "The mute of eve in team has ended.")
    await bot.say("/ban eve", ada)
    assert.equal(await newest(bot, "log"), "Ban of eve in team by ada (no reason given): banned.")
    await bot.say("/unban eve", ada)
    assert.equal(await newest(bot, "log"), "End of the ban of eve in team by ada: this platform cannot do it.")
  }))

test("reads how long a mute is", () =>
  plugin.test(moderation, {config: {log}, users}, async bot => {
    await bot.say("hello", eve)
    for (const [length, minutes, why] of [
      ["2 hours loud", 120, "loud"],
      ["2hrs loud", 120, "loud"],
      ["1,5h loud", 90, "loud"],
      ["1 Tag laut", 1440, "laut"],
      ["10 min", 10, "no reason given"],
      ["10 mice came", 10, "mice came"],
      ["spam", 10, "spam"],
    ]) {
      await bot.say(`/mute eve ${length}`, ada)
      assert.equal(await newest(bot, "log"), `Mute of eve in team by ada (${why}): muted for ${minutes} min.`)
    }
  }))

test("explains what is wrong with a command", () =>
  plugin.test(moderation, {config: {log}, users}, async bot => {
    const lengths = ["A mute lasts 1 minute to 28 days: write 10m, 2h or 1d."]
    for (const wrong of ["0", "-5", "2x", "1h30", "29d", "2mute"])
      assert.deepEqual(await bot.say(`/mute eve ${wrong}`, ada), lengths)
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
    assert.equal(await newest(bot, "log"), "eve in team an sandbox schrieb „spam“ (spam): gelöscht, 10 min stumm.")
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

const notAllowed = 'The word "spam" is not allowed here. If this was a mistake, write here: /appeal and why.'

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
      'log: 7 (Eve) in hall on club~one wrote "spam" (spam): not deleted, not muted.',
      `hall: @7: ${notAllowed}`,
    ])
    assert.deepEqual(await say("/ban 7 spam", {id: "ada"}), ["log: Ban of 7 (Eve) in hall by ada (spam): not banned."])
  }))

test("says what a platform refuses", () =>
  inClub(createClub(["delete", "guild.member.mute"], ["guild.member.mute"]), async (say, bot) => {
    const did = await say("spam", {id: "7"}, {id: "m1"})
    assert.deepEqual(did.toSorted(), [
      "delete m1",
      `hall: @7: ${notAllowed}`,
      'log: 7 in hall on club~one wrote "spam" (spam): deleted, muted for 10 min.',
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
      `hall: @7: ${notAllowed}`,
      'log: 7 in hall on club~one wrote "spam" (spam): deleted, muted for 10 min.',
    ])
    assert.deepEqual(await say("spam", {id: "8", is_bot: true}), [])
    assert.deepEqual(await say('<at id="1" name="a"/> <at id="2" name="b"/>', {id: "7"}), [
      'log: 7 in hall on club~one wrote "@a @b" (2 mentions): only logged.',
    ])
    const ban = '/ban <at id="7" name="Eve Smith"/> because'
    assert.deepEqual((await say(ban, {id: "ada"})).toSorted(), [
      "guild.member.kick 7",
      "log: Ban of 7 (Eve Smith) in hall by ada (because): banned.",
    ])
  }))

test("warns in an answer, bans and lifts a ban on a fake of Discord", async () => {
  const discord = await startDiscord()
  const bot = await startBot({
    plugins: {
      moderation: {plugin: moderation, config: {log: {endpoint: "discord~one", channel: "602"}}},
      discord: {endpoints: [{...discord.account, id: "one"}]},
    },
    config: {permissions: [{endpoint: "discord~one", user: "43", permission: "trusted"}]},
  })
  try {
    const quote = await discord.say("hello", {user: "42", channel: "600"})
    await discord.say("/warn rude", {user: "43", channel: "600", quote})
    await bot.settle()
    const warning = "Warning for 42 (user42) in general by 43 (user43) (rude): warned (1)."
    assert.equal(discord.sent().find(({channel, text}) => channel === "602" && text.startsWith("Warn"))?.text, warning)
    await discord.say("/ban <@42>", {user: "43", channel: "600"})
    await bot.settle()
    await discord.say("/unban 42", {user: "43", channel: "600"})
    await bot.settle()
    const bans = discord.requests.map(({method}) => method).filter(method => method.includes("/bans/"))
    assert.deepEqual(bans, ["PUT /guilds/500/bans/42", "DELETE /guilds/500/bans/42"])
    assert.equal(discord.sent().at(-1)?.text, "End of the ban of 42 (user42) in general by 43 (user43): done.")
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
    assert.equal(telegram.sent().at(-1)?.text, "End of the ban of 42 (user42) in Group -100 by 43 (user43): done.")
  } finally {
    await bot.close()
    await telegram.close()
  }
})

test("judges no anonymous administrator and no linked channel, and only deletes what other channels write", () =>
  inGroup(async (_say, log, telegram, bot) => {
    const group = {id: -100, type: "supergroup", title: "Group -100"}
    let id = 900
    const writeAs = async (from: number, sender_chat: object, more: object = {}) => {
      const message = {
        message_id: ++id,
        date: Math.floor(Date.now() / 1000),
        chat: group,
        text: "buy spam",
        sender_chat,
      }
      const bots = {from: {id: from, is_bot: true, first_name: "of Telegram"}}
      await telegram.deliver({message: {...message, ...bots, ...more}})
      await bot.settle()
      return {...message, ...bots, ...more}
    }
    const news = {id: -300, type: "channel", title: "News"}
    const posts = [
      await writeAs(1087968824, group),
      await writeAs(777000, news, {is_automatic_forward: true}),
      await writeAs(136817688, {id: -400, type: "channel", title: "Stranger"}),
    ]
    assert.deepEqual(await log(), ['-400 (Stranger) in Group -100 on telegram~main wrote "buy spam" (spam): deleted.'])
    for (const reply_to_message of posts) {
      const entities = [{type: "bot_command", offset: 0, length: 5}]
      const from = {id: 43, is_bot: false, first_name: "User 43"}
      await writeAs(43, group, {text: "/warn no", from, sender_chat: undefined, reply_to_message, entities})
      assert.equal(telegram.sent().at(-1)?.text, "A group or a channel wrote this: you can only delete it.")
    }
    assert.deepEqual(await log(), [])
    const acts = telegram.requests.map(({method}) => method).filter(each => /^(delete|restrict|ban)/.test(each))
    assert.deepEqual(acts, ["deleteMessage"])
    assert.equal(telegram.sent().length, 3)
  }))

/** Runs a story in a group of a fake of Telegram, whose moderators read the log in the sandbox. 43 is a moderator. */
const inGroup = async (
  story: (
    say: (text: string, user?: string, quote?: string) => Promise<string>,
    log: () => Promise<readonly string[]>,
    telegram: Awaited<ReturnType<typeof startTelegram>>,
    bot: Bot,
  ) => Promise<void>,
) => {
  const telegram = await startTelegram()
  const bot = await startBot({
    plugins: {
      moderation: {plugin: moderation, config: {log, words: ["spam"]}},
      telegram: {endpoints: [{...telegram.account, id: "main"}]},
    },
    config: {permissions: [{endpoint: "telegram~main", user: "43", permission: "trusted"}]},
  })
  const say = async (text: string, user = "43", quote?: string) => {
    const id = await telegram.say(text, {user, channel: "-100", ...(quote !== undefined && {quote})})
    await bot.settle()
    return id
  }
  let read = 1
  const told = async () => {
    const lines = (await said(bot, "log")).slice(read)
    read += lines.length
    return lines
  }
  try {
    await bot.settle()
    await story(say, told, telegram, bot)
  } finally {
    await bot.close()
    await telegram.close()
  }
}

const stranger = "Reply to a message of theirs, or name them by id: I do not know this person."

test("finds the person by an answer, a mention, an id or a name on a fake of Telegram", () =>
  inGroup(async (say, told, telegram, bot) => {
    const message = await say("hello", "55")
    await say("/warn so rude", "43", message)
    await say("/mute 5 too loud", "43", message)
    await say("/unmute", "43", message)
    await say("/ban @user55")
    await say("/unban @user55 please")
    await say("/mute @User55 2h")
    await say("/warn 1234567 rude", "43", message)
    assert.deepEqual(await told(), [
      "Warning for 55 (User 55) in Group -100 by 43 (user43) (so rude): warned (1).",
      "Mute of 55 (User 55) in Group -100 by 43 (user43) (too loud): muted for 5 min.",
      "End of the mute of 55 (User 55) in Group -100 by 43 (user43): done.",
      "Ban of 55 (user55) in Group -100 by 43 (user43) (no reason given): banned.",
      "End of the ban of 55 (user55) in Group -100 by 43 (user43): done.",
      "Mute of 55 (user55) in Group -100 by 43 (user43) (no reason given): muted for 120 min.",
      "Warning for 1234567 in Group -100 by 43 (user43) (rude): warned (1).",
    ])
    await say("/pardon", "43", message)
    assert.deepEqual(await told(), ["43 (user43) pardoned 55 in Group -100."])
    const date = Math.floor(Date.now() / 1000)
    const person = (id: number) => ({id, is_bot: false, first_name: "User", last_name: String(id)})
    const text = "/warn User 66 still rude"
    const entities = [
      {type: "bot_command", offset: 0, length: 5},
      {type: "text_mention", offset: 6, length: 7, user: person(66)},
    ]
    const chat = {id: -100, type: "supergroup", title: "Group -100"}
    await telegram.deliver({message: {message_id: 900, date, chat, from: person(43), text, entities}})
    await bot.settle()
    assert.deepEqual(await told(), ["Warning for 66 (User 66) in Group -100 by 43 (User 43) (still rude): warned (1)."])
    await say("/warnings 66")
    assert.match(telegram.sent().at(-1)?.text ?? "", /43 \(User 43\): still rude$/)
  }))

test("refuses people whom it does not know, and does nothing to them", () =>
  inGroup(async (say, told, telegram, bot) => {
    const message = await say("hello", "55")
    await say("hello", "43")
    const before = telegram.sent().length
    const refused = [
      "/warn @user66 rude",
      "/mute user66",
      "/ban",
      "/unban @nobody",
      "/warnings @user66",
      "/pardon @user66",
    ]
    for (const command of refused) await say(command)
    await say("/warn @user66 rude", "43", message)
    assert.deepEqual(
      telegram
        .sent()
        .slice(before)
        .map(({text}) => text),
      Array(7).fill(stranger),
    )
    await say("/ban @user43")
    assert.equal(telegram.sent().at(-1)?.text, "You cannot moderate yourself.")
    assert.deepEqual(await told(), [])
    const {id = ""} = telegram.sent().at(-1) ?? {}
    await say("/ban", "43", id)
    assert.equal(telegram.sent().at(-1)?.text, stranger)
    assert.ok(!telegram.requests.some(({method}) => /ban|restrict/.test(method)))
    assert.equal((await bot.messages("log")).length, 1)
  }))

test("does not guess between two people with the same name", () =>
  inClub(createClub(["guild.member.kick"]), async say => {
    await say("hello", {id: "7", name: "Eve"})
    await say("hello", {id: "8", nick: "eve"})
    assert.deepEqual(await say("/ban @Eve", {id: "ada"}), [`hall: ${stranger}`])
    assert.deepEqual((await say("/ban 8 spam", {id: "ada"})).toSorted(), [
      "guild.member.kick 8",
      "log: Ban of 8 in hall by ada (spam): banned.",
    ])
  }))

test("tells a muted newcomer in the group, for some minutes, what a fake of Telegram refuses to deliver", () =>
  inGroup(async (say, told, telegram, bot) => {
    const description = "Forbidden: bot can't initiate conversation with a user"
    telegram.refuseNext("sendMessage", {status: 403, body: {description}})
    await assert.rejects(say("buy spam", "55"), /initiate/)
    await bot.clock.advance(5).catch(() => {})
    const notice =
      'user55: The word "spam" is not allowed here. If this was a mistake, write to me directly: /appeal and why.'
    assert.deepEqual(
      telegram.sent().map(({channel, text}) => [channel, text.replace("@", "")]),
      [["-100", notice]],
    )
    await bot.clock.advance({minutes: 5}).catch(() => {})
    assert.deepEqual(telegram.sent(), [])
    assert.equal((await told()).length, 1)
    await telegram.say("/appeal sorry", {user: "55"})
    await bot.settle()
    assert.deepEqual(await told(), ['55 (user55) appeals: "sorry". To let them write: /pardon telegram~main 55'])
  }))

test("acts while the plugin of the log's endpoint is disabled, and says so once", async () => {
  const lines: string[] = []
  const wrong = {log: {endpoint: "telegram~one", channel: "-100"}, words: ["spam"]}
  const plugins = {telegram: {enabled: false, endpoints: [{id: "one"}]}}
  await plugin.test(moderation, {config: wrong, plugins, users, log: line => lines.push(line)}, async bot => {
    await bot.say("buy spam", eve)
    assert.deepEqual(await said(bot, "team"), [])
    assert.deepEqual(await bot.say("/appeal sorry", {channel: "@eve", user: "eve"}), [
      "The moderators cannot read appeals now.",
    ])
    await bot.say("/warn mia rude", ada)
    assert.deepEqual(await bot.say("/warnings mia", ada).then(([line]) => line?.endsWith("rude")), true)
  })
  const errors = lines.filter(line => /^\S+ error /.test(line))
  assert.equal(errors.length, 1, lines.join("\n"))
  assert.match(errors[0] ?? "", /log\.endpoint: there is no endpoint telegram~one; known endpoints: sandbox/)
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
  await refuses({log: {...log, endpoint: "sandbx"}}, /log\.endpoint: .*"sandbx".*"sandbox"/)
})
