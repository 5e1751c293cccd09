import {expect, test} from "vitest"
import {bunAnd, makeProject, runProcess} from "../../support/host/host.ts"

const passing = `
import {definePlugin, Type} from "svc-runtime"
import {plugin} from "svc-runtime/test"

const bot = definePlugin({
  setup(plugin) {
    const now = () => new Date(plugin.now()).toISOString()
    const once = plugin.timer("once", () => "once " + now())
    const daily = plugin.timer("daily", () => "daily " + now())
    const counter = plugin.state("plugin", Type.Number({default: 0}), {name: "n"})
    let failures = 2
    plugin.command("once <seconds:integer>", async ({args, session}) => {
      await session.setTimer(once, {in: args.seconds * 1000})
    })
    plugin.command("daily", async ({session}) => {
      await session.setTimer(daily, {cron: "0 9 * * *", timezone: "Europe/Berlin"})
    })
    plugin.command("flaky", {retries: 3}, () => {
      if (failures-- > 0) throw new Error("not yet")
      return "at last"
    })
    plugin.command("cool", {cooldown: {per: "user", seconds: 60}}, () => "cool")
    plugin.command("later", async () => {
      await plugin.send({endpoint: "sandbox", channel: "test"}, "planned", {at: plugin.now() + 60_000})
    })
    const name = plugin.prompt("name", {expires: 60}, ({answer}) => "you are " + answer)
    plugin.command("ask", async ({session}) => void (await session.prompt(name, "who?")))
    plugin.command("mute", async ({session}) => void (await session.call("guild.member.mute", {user_id: "eve", duration: 60_000})))
    plugin.command("count", async ({session}) => {
      await session.state(counter).update(n => n + 1)
      return "counted"
    })
    plugin.job("tick", {schedule: {cron: "*/10 * * * *", timezone: "UTC"}}, async run => {
      await run.send({endpoint: "sandbox", channel: "jobs"}, run.scheduledFor.toISOString() + " " + now())
    })
  },
})

const texts = async (bot, channel) => (await bot.changes(channel)).map(({text}) => text)
const seen = {}
await plugin.test(bot, {now: "2026-03-28T07:55:00Z"}, async bot => {
  await bot.say("/once 30")
  await bot.say("/once 10")
  await bot.say("/daily")
  seen.still = await texts(bot)
  await bot.clock.advance({minutes: 15})
  seen.order = await texts(bot)
  await bot.clock.set("2026-03-30T07:30:00Z")
  seen.daily = (await texts(bot)).filter(text => text.startsWith("daily"))
  seen.jobs = (await bot.messages("jobs")).length

  seen.cool = [...(await bot.say("/cool")), ...(await bot.say("/cool"))]
  await bot.clock.advance(60)
  seen.cool.push(...(await bot.say("/cool")))
  await bot.say("/later")
  await bot.clock.advance(59)
  seen.early = await texts(bot, "test")
  await bot.clock.advance(1)
  seen.planned = await texts(bot, "test")
  await bot.say("/ask")
  seen.answer = await bot.say("ada")
  await bot.say("/ask")
  await bot.clock.advance({seconds: 61})
  seen.expired = await bot.say("ada")
  await bot.say("hello", {user: "eve", channel: "team", group: true})
  await bot.say("/mute")
  seen.muted = await bot.say("hello", {user: "eve", channel: "team"}).catch(error => error.message)
  await bot.clock.advance({minutes: 1})
  seen.unmuted = await bot.say("hello", {user: "eve", channel: "team"})

  seen.flaky = await bot.say("/flaky").catch(error => error.message)
  await texts(bot)
  await bot.clock.advance({minutes: 1})
  seen.retried = await texts(bot, "test")
  seen.counted = (await Promise.all(Array.from({length: 8}, (_, n) => bot.say("/count", {channel: "c" + n})))).flat().length
  seen.back = await bot.clock.set("2026-01-01T00:00:00Z").catch(error => error.name)
  seen.now = bot.clock.now.toISOString()
})
console.log(JSON.stringify(seen))
`

test.each(bunAnd("node24"))("bot.clock makes all that a bot waits for due, in order, on $name", async ({command}) => {
  const project = makeProject({files: {"try.mjs": passing}})
  const ran = await runProcess([command[0] ?? "", "try.mjs"], {cwd: project.folder})
  expect({code: ran.code, stderr: ran.code === 0 ? "" : ran.stderr}).toEqual({code: 0, stderr: ""})
  const tick = (at: string) => `${at} ${at}`
  expect(JSON.parse(ran.stdout)).toEqual({
    still: [],
    order: [
      "once 2026-03-28T07:55:10.000Z",
      "once 2026-03-28T07:55:30.000Z",
      tick("2026-03-28T08:00:00.000Z"),
      "daily 2026-03-28T08:00:00.000Z",
      tick("2026-03-28T08:10:00.000Z"),
    ],
    // Summer time starts on the 29th.
    daily: ["daily 2026-03-29T07:00:00.000Z", "daily 2026-03-30T07:00:00.000Z"],
    jobs: 286,
    cool: ["cool", "/cool is cooling down: 60 s to go.", "cool"],
    early: expect.not.arrayContaining(["planned"]),
    planned: ["planned"],
    answer: ["you are ada"],
    expired: [],
    muted: expect.stringContaining("eve is muted"),
    unmuted: [],
    flaky: expect.stringMatching(
      /^say\("\/flaky"\):\n- root\/plugin\/command\/flaky of event \d+ .* attempt 1: not yet; .*\bbot\.clock\b/,
    ),
    retried: ["at last"],
    counted: 8,
    back: "RangeError",
    now: "2026-03-30T07:35:01.000Z",
  })
})

const open = `
import {definePlugin} from "svc-runtime"
import {plugin} from "svc-runtime/test"

const bot = definePlugin({
  setup(plugin) {
    const breaks = plugin.timer("breaks", () => {
      throw new Error("the timer broke")
    })
    plugin.command("bad", () => {
      throw new Error("the command broke")
    })
    plugin.command("wrong", async ({session}) => void (await session.edit({platform: "none"}, "x")))
    plugin.command("breaks", async ({session}) => void (await session.setTimer(breaks, {in: 5000})))
    plugin.command("flaky", {retries: 3}, () => {
      throw new Error("never")
    })
    plugin.command("slow", () => new Promise(resolve => setTimeout(resolve, 5000)))
    plugin.command("count", async ({session}) => {
      session.typing()
      const id = await session.send("1")
      await session.edit(id, "2")
      await session.react("+1")
    })
    plugin.command("gone", async ({session}) => {
      const id = await session.send("oops")
      await session.delete(id)
      await session.send({endpoint: "sandbox", channel: "other"}, "elsewhere")
    })
    plugin.job("bad", () => {
      throw new Error("the job broke")
    })
    plugin.job("away", run => run.send({endpoint: "away", channel: "#a"}, "hello"))
    plugin.onStart(() => plugin.send({endpoint: "sandbox", channel: "log"}, "I am here"))
  },
})
const away = definePlugin({
  setup(plugin) {
    plugin.adapter("away", {
      history: "none",
      open: async () => {
        throw new Error("nobody answers")
      },
    })
  },
})

const why = promise => promise.then(() => "done", error => error.message)
const seen = {}
await plugin.test(bot, {plugins: {away: {plugin: away}}}, async bot => {
  seen.started = (await bot.changes("log")).map(({text}) => text)
  seen.counted = await bot.say("/count")
  seen.edited = await bot.changes()
  seen.messages = (await bot.messages()).map(({id, ...message}) => message)
  await bot.say("/gone")
  seen.deleted = await bot.changes()
  seen.left = (await bot.messages()).some(({text}) => text === "oops")

  seen.bad = await why(bot.say("/bad"))
  seen.note = (await bot.changes("test")).length
  seen.wrong = await why(bot.say("/wrong"))
  await bot.say("/breaks")
  seen.timer = await why(bot.clock.advance(10))
  seen.told = await why(bot.clock.advance(10))
  seen.job = await why(bot.fire("bad"))
  seen.away = await why(bot.fire("away"))
  seen.unit = await why(bot.clock.advance({weeks: 1}))
  seen.flaky = await why(bot.say("/flaky", {channel: "flaky"}))
  seen.behind = await why(bot.say("/count", {channel: "flaky"}))
  seen.slow = await why(bot.say("/slow"))
})
console.log(JSON.stringify(seen))
`

test.each(bunAnd("node24"))(
  "a bot under test shows edits and deletions, and names the reason for a missing answer, on $name",
  async ({command}) => {
    const project = makeProject({files: {"try.mjs": open}})
    const ran = await runProcess([command[0] ?? "", "try.mjs"], {cwd: project.folder})
    expect({code: ran.code, stderr: ran.code === 0 ? "" : ran.stderr}).toEqual({code: 0, stderr: ""})
    expect(ran.stderr).toMatch(
      /svc-runtime\/test: say\("\/slow"\) has waited \d+ s, at .* of bot\.clock, for:\n- root\/plugin\/command\/slow of event \d+ .* since .*, attempt 1\n/,
    )
    const handler = (name: string) => `root/plugin/${name} of event \\d+ \\(.*\\)`
    expect(JSON.parse(ran.stdout)).toEqual({
      started: ["I am here"],
      counted: ["2"],
      edited: [
        {change: "typing", channel: "test"},
        {change: "said", channel: "test", text: "1"},
        {change: "edited", channel: "test", before: "1", text: "2"},
        {change: "reacted", channel: "test", text: "/count", emoji: "+1"},
      ],
      messages: [
        {from: "user", text: "/count", edited: false, reactions: ["+1"]},
        {from: "bot", text: "2", edited: true, reactions: []},
      ],
      deleted: expect.arrayContaining([
        {change: "said", channel: "test", text: "oops"},
        {change: "deleted", channel: "test", text: "oops"},
        {change: "said", channel: "other", text: "elsewhere"},
      ]),
      left: false,
      bad: expect.stringMatching(
        `^say\\("/bad"\\):\n- ${handler("command/bad")} is failed \\(since .*\\): the command broke$`,
      ),
      note: 1,
      wrong: expect.stringMatching(/^say\("\/wrong"\):\n- edit .* to test at sandbox is failed: message_unknown, /),
      timer: expect.stringMatching(
        `^bot.clock.advance\\(\\):\n- ${handler("timer/breaks")} is failed \\(since .*\\): the timer broke$`,
      ),
      told: "done",
      job: expect.stringMatching(/^fire\("bad"\):\n- .*\bjob bad .*: the job broke$/),
      away: expect.stringMatching(
        /^fire\("away"\):\n- message .* to #a at away .*: away is reconnecting: nobody answers$/,
      ),
      unit: expect.stringMatching(/^bot\.clock\.advance\(\) .*, not weeks$/),
      flaky: expect.stringMatching(/ failed at .*, attempt 1: never; .*\bbot\.clock\.advance\b/),
      behind: expect.stringMatching(
        `^say\\("/count"\\) .*\\bbot.clock.advance\\(\\):\n- ${handler("command/count")} .*\nOther work:\n- (.|\n)*${handler("command/flaky")} failed at `,
      ),
      slow: "done",
    })
  },
)
