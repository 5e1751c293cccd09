import assert from "node:assert/strict"
import {test} from "node:test"
import type {Feature} from "svc-runtime"
import {type BotOptions, plugin, startBot} from "svc-runtime/test"
import {startDiscord, startTelegram} from "svc-runtime/test/platforms"
import welcome from "../plugins/welcome.ts"
import {createClub} from "./club.ts"

const log = {endpoint: "club~one", channel: "log"}
const all: readonly Feature[] = ["open", "guild.member.role.set", "guild.member.list"]

interface Setup {
  readonly features?: readonly Feature[]
  readonly project?: BotOptions["config"]
}

/** Runs a story in the club. `join` and `leave` resolve once everything that follows is done. */
const inClub = async (
  config: object,
  {features = all, project}: Setup,
  story: (club: ReturnType<typeof createClub>, bot: Awaited<ReturnType<typeof startBot>>, act: Acts) => Promise<void>,
) => {
  const club = createClub(features, ["ann", "bob", "eve"])
  const plugins = {
    welcome: {plugin: welcome, config: {...config}},
    club: {plugin: club.plugin, endpoints: [{id: "one"}]},
  }
  const bot = await startBot({plugins, ...(project && {config: project})})
  const told =
    (type: "guild-member-added" | "guild-member-removed") =>
    async (user: object, place: object = inHall) => {
      await club.happen(type, user, place)
      await bot.settle()
    }
  try {
    await story(club, bot, {join: told("guild-member-added"), leave: told("guild-member-removed")})
  } finally {
    await bot.close()
  }
}

interface Acts {
  readonly join: (user: object, place?: object) => Promise<void>
  readonly leave: (user: object, place?: object) => Promise<void>
}

const inHall = {channel: {id: "hall", type: 0}, guild: {id: "g", name: "The Club"}}
const ann = {id: "ann", name: "Ann"}

test("greets who joins, once, in the channel of the report, and no bots", () =>
  inClub({}, {}, async (club, bot, {join, leave}) => {
    await join(ann)
    await join({id: "robo", is_bot: true})
    assert.deepEqual(club.did(), [])
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ["hall: Welcome, Ann!"])
    await leave(ann)
    await bot.clock.advance({hours: 1})
    assert.deepEqual(club.did(), [])
  }))

test("greets a raid of 50 in one message", () =>
  inClub({direct: "Hello {user}"}, {}, async (club, bot, {join}) => {
    for (let n = 1; n <= 50; n++) {
      await join({id: `r${n}`})
      await bot.clock.advance(1)
    }
    const direct = Array.from({length: 10}, (_, n) => `@r${n + 1}: Hello r${n + 1}`)
    assert.deepEqual(club.did(), direct)
    await bot.clock.advance(10)
    assert.deepEqual(club.did(), ["hall: Welcome, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, and 40 others!"])
  }))

test("waits at most a minute for others", () =>
  inClub({wait: 60}, {}, async (club, bot, {join}) => {
    await join(ann)
    await bot.clock.advance(59)
    await join({id: "bob"})
    await bot.clock.advance(1)
    assert.deepEqual(club.did(), ["hall: Welcome, Ann and bob!"])
  }))

test("says its texts, goodbye and the number of members, and gives roles", () => {
  const places = [{endpoint: "club~one", guild: "g", channel: "door", roles: ["7", "8"]}]
  const config = {
    places,
    text: "{user} is number {count} of {guild}",
    goodbye: true,
    goodbyeText: "{user} left {guild}",
  }
  return inClub(config, {}, async (club, bot, {join, leave}) => {
    await join(ann)
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), [
      "guild.member.role.set ann 7",
      "guild.member.role.set ann 8",
      "door: Ann is number 3 of The Club",
    ])
    await leave(ann)
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ["door: Ann left The Club"])
    await join({id: "eve"}, {...inHall, guild: {id: "other"}})
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ["hall: eve is number 3 of other"])
  })
})

test("does not greet those who have left, and says no goodbye to them", () =>
  inClub({goodbye: true}, {}, async (club, bot, {join, leave}) => {
    await join(ann)
    await leave(ann)
    await bot.clock.advance({minutes: 5})
    assert.deepEqual(club.did(), [])
  }))

test("shows a name as text, and mentions only if it is asked to", async () => {
  const nasty = {id: "eve", name: '<at type="all"/>\n@everyone'}
  await inClub({}, {}, async (club, bot, {join}) => {
    await join(nasty)
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ['hall: Welcome, <at type="all"/> @everyone!'])
  })
  await inClub({mention: true}, {}, async (club, bot, {join}) => {
    await join(nasty)
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ["hall: Welcome, <at>!"])
  })
})

test("greets in the language of the channel", () => {
  const languages = {rules: [{endpoint: "club~one", channel: "hall", language: "de"}]}
  return inClub({goodbye: true}, {project: {languages}}, async (club, bot, {join, leave}) => {
    for (let n = 1; n <= 12; n++) await join({id: `r${n}`})
    await bot.clock.advance(5)
    const names = "r1, r2, r3, r4, r5, r6, r7, r8, r9, r10"
    assert.deepEqual(club.did(), [`hall: Willkommen, ${names} und 2 weitere Personen!`])
    await leave(ann)
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ["hall: Auf Wiedersehen, Ann."])
  })
})

test("says once what a platform cannot do", () => {
  const places = [{endpoint: "club~one", channel: "hall", roles: ["7", "8"]}]
  return inClub({places, log, direct: "Hi", text: "{user}, {count}"}, {features: []}, async (club, bot, {join}) => {
    await join(ann)
    await join({id: "bob"})
    await bot.clock.advance(5)
    const noRoles = "log: Welcome: club~one cannot give roles."
    assert.deepEqual(club.did(), [
      noRoles,
      "log: Welcome: club~one cannot send direct messages.",
      "hall: Ann and bob, ?",
    ])
    await join({id: "eve"})
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ["hall: eve, ?"])
  })
})

test("asks for a channel if the platform names none", () =>
  inClub({log}, {}, async (club, bot, {join}) => {
    await join(ann, {guild: {id: "g"}})
    await join({id: "bob"}, {guild: {id: "g"}})
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ["log: Welcome: no channel for greetings of g at club~one. Name one in places."])
  }))

test("lets only the team try a greeting", () =>
  plugin.test(welcome, {config: {text: "Hi {user} of {guild}"}, users: {ada: "trusted"}}, async bot => {
    const hall = {channel: "hall", group: true}
    assert.deepEqual(await bot.say("/welcome", {...hall, user: "ada"}), ["Hi ada of Sandbox"])
    assert.deepEqual(await bot.say("/welcome", {...hall, user: "eve"}), ["/welcome needs the permission trusted."])
  }))

test("refuses a configuration with an error", async () => {
  await assert.rejects(
    plugin.test(welcome, {config: {wait: 61}}, () => {}),
    /wait/,
  )
  await assert.rejects(
    plugin.test(welcome, {config: {text: " "}}, () => {}),
    /text/,
  )
  await assert.rejects(
    plugin.test(welcome, {config: {places: [{channel: "hall"}]}}, () => {}),
    /endpoint/,
  )
  const nowhere = {endpoint: "sandbx", channel: "log"}
  await assert.rejects(
    plugin.test(welcome, {config: {places: [nowhere], log: nowhere}}, () => {}),
    /places\[0\]\.endpoint: .*"sandbx".*"sandbox"[\s\S]*log\.endpoint: .*"sandbx"/,
  )
})

test("greets on a fake of Discord, which names no channel", async () => {
  const discord = await startDiscord()
  const places = [{endpoint: "discord~one", channel: "600", roles: ["700"]}]
  const bot = await startBot({
    plugins: {
      welcome: {plugin: welcome, config: {places}},
      discord: {endpoints: [{...discord.account, id: "one", intents: ["guilds", "guild_members"]}]},
    },
  })
  try {
    const user = {id: "43", username: "bob", discriminator: "0", global_name: null, avatar: null}
    await discord.deliver({t: "GUILD_MEMBER_ADD", d: {guild_id: "500", user, roles: []}})
    await bot.settle()
    await bot.clock.advance(5)
    assert.deepEqual(
      discord.sent().map(({text}) => text),
      ["Welcome, bob!"],
    )
    assert.ok(discord.requests.some(({method}) => method === "PUT /guilds/500/members/43/roles/700"))
  } finally {
    await bot.close()
    await discord.close()
  }
})

test("greets on a fake of Telegram in the group of the place only", async () => {
  const telegram = await startTelegram()
  const places = [
    {endpoint: "telegram~main", channel: "-100:7"},
    {endpoint: "telegram~main", guild: "-300", channel: "-301"},
  ]
  const bot = await startBot({
    plugins: {
      welcome: {plugin: welcome, config: {places, log: {endpoint: "sandbox", channel: "log"}}},
      telegram: {endpoints: [{...telegram.account, id: "main"}]},
    },
  })
  const user = {id: 55, is_bot: false, first_name: "Ann"}
  const join = async (chat: number) => {
    const [old_chat_member, new_chat_member] = ["left", "member"].map(status => ({status, user}))
    const place = {chat: {id: chat, type: "supergroup", title: `Group ${chat}`}, from: user}
    const date = Math.floor(Date.now() / 1000)
    await telegram.deliver({chat_member: {...place, date, old_chat_member, new_chat_member}})
    await bot.settle()
    await bot.clock.advance(5)
    return telegram.sent().map(({channel}) => channel)
  }
  try {
    assert.deepEqual(await join(-200), [])
    assert.deepEqual(
      (await bot.messages("log")).map(({text}) => text),
      ["Welcome: no channel for greetings of -200 at telegram~main. Name one in places."],
    )
    assert.deepEqual(await join(-100), ["-100"])
    assert.deepEqual(await join(-300), ["-100", "-301"])
  } finally {
    await bot.close()
    await telegram.close()
  }
})

test("keeps a place without a guild for the server of its channel on a fake of Discord", async () => {
  const discord = await startDiscord()
  const bot = await startBot({
    plugins: {
      welcome: {plugin: welcome, config: {places: [{endpoint: "discord~one", channel: "600", roles: ["700"]}]}},
      discord: {endpoints: [{...discord.account, id: "one", intents: ["guilds", "guild_members"]}]},
    },
  })
  const join = async (guild: string) => {
    const user = {id: "43", username: "bob", discriminator: "0", global_name: null, avatar: null}
    await discord.deliver({t: "GUILD_MEMBER_ADD", d: {guild_id: guild, user, roles: []}})
    await bot.settle()
    await bot.clock.advance(5)
    return discord.sent().length
  }
  try {
    discord.answerNext("GET /guilds/501/channels", [{id: "650", type: 0, name: "general", guild_id: "501"}])
    discord.answerNext("GET /users/@me/guilds", [
      {id: "500", name: "One"},
      {id: "501", name: "Two"},
    ])
    assert.equal(await join("501"), 0)
    assert.equal(await join("501"), 0)
    assert.ok(!discord.requests.some(({method}) => method.includes("/roles/")))
    assert.equal(await join("500"), 1)
  } finally {
    await bot.close()
    await discord.close()
  }
})

test("greets while the plugin of another place and of the log is disabled", async () => {
  const club = createClub(["open"], [])
  const config = {
    places: [
      {endpoint: "telegram~one", channel: "hall"},
      {endpoint: "club~one", guild: "g", roles: ["7"]},
    ],
    log: {endpoint: "telegram~one", channel: "log"},
  }
  const bot = await startBot({
    plugins: {
      welcome: {plugin: welcome, config},
      club: {plugin: club.plugin, endpoints: [{id: "one"}]},
      telegram: {enabled: false, endpoints: [{id: "one"}]},
    },
  })
  try {
    await club.happen("guild-member-added", ann, inHall)
    await bot.settle()
    await bot.clock.advance(5)
    assert.deepEqual(club.did(), ["hall: Welcome, Ann!"])
  } finally {
    await bot.close()
  }
})
