import assert from "node:assert/strict"
import {test} from "node:test"
import {plugin, startBot} from "svc-runtime/test"
import {startTelegram} from "svc-runtime/test/platforms"
import standup from "../plugins/standup.ts"

const report = {endpoint: "sandbox", channel: "team"}
const people = [{user: "ada", name: "Ada"}, {user: "bob"}]
const team = {name: "team", time: "9:30", report, people, questions: ["Done?", "Next?"]}
/** A Friday. */
const now = "2026-03-06T09:29:00Z"
const options = {config: {standups: [team]}, users: {ada: "trusted"}, now} as const

type Bot = Parameters<Parameters<typeof plugin.test>[2] & {}>[0]

const textsIn = async (bot: Bot, channel: string): Promise<readonly string[]> =>
  (await bot.messages(channel)).filter(({from}) => from === "bot").map(({text}) => text)

const newest = async (bot: Bot, channel: string) => (await textsIn(bot, channel)).at(-1)

/** Says something to the bot directly. */
const tell = (bot: Bot, user: string, text: string) => bot.say(text, {channel: `@${user}`, user})

/** A bot whose plugin `telegram` is this has no endpoint `telegram~one`, but settings may name it. */
const disabled = {enabled: false, endpoints: [{id: "one"}]}

const intro = "Standup team, 2 questions until 11:30 AM. To skip it: /standup skip\nDone?"

test("asks everyone at its time, one question after another, and reports when all have answered", () =>
  plugin.test(standup, options, async bot => {
    await bot.clock.advance({seconds: 59})
    assert.deepEqual(await textsIn(bot, "@ada"), [])
    await bot.clock.advance(1)
    assert.deepEqual(await textsIn(bot, "@ada"), [intro])
    assert.deepEqual(await textsIn(bot, "@bob"), [intro])
    assert.deepEqual(await tell(bot, "ada", "The <b>roof</b> @everyone"), ["Next?"])
    assert.deepEqual(await tell(bot, "bob", "The door"), ["Next?"])
    assert.deepEqual(await tell(bot, "bob", "The floor"), ["Thank you."])
    assert.deepEqual(await textsIn(bot, "team"), [])
    assert.deepEqual(await tell(bot, "ada", "The wall"), ["Thank you."])
    assert.deepEqual(await textsIn(bot, "team"), [
      "Standup team, Mar 6, 2026\nAda\n- Done? The <b>roof</b> @everyone\n- Next? The wall\n\n" +
        "bob\n- Done? The door\n- Next? The floor",
    ])
    // The end of the time changes nothing any more, and the weekend is free.
    await bot.clock.set("2026-03-09T09:29:59Z")
    assert.equal((await textsIn(bot, "team")).length, 1)
    assert.equal((await textsIn(bot, "@bob")).length, 3)
    await bot.clock.advance(1)
    assert.equal((await textsIn(bot, "@bob")).length, 4)
  }))

test("reports after two hours, and names those who did not answer", () =>
  plugin.test(standup, options, async bot => {
    await bot.clock.advance({minutes: 1})
    await tell(bot, "bob", "The door")
    await bot.clock.advance({minutes: 119, seconds: 59})
    assert.deepEqual(await textsIn(bot, "team"), [])
    await bot.clock.advance(1)
    assert.deepEqual(await textsIn(bot, "team"), [
      "Standup team, Mar 6, 2026\nbob\n- Done? The door\n\nNo answer: Ada, bob",
    ])
    assert.deepEqual(await tell(bot, "bob", "/standup"), ["There is no open question for you."])
    assert.deepEqual(await tell(bot, "ada", "too late"), [])
  }))

test("skips a day of a user, before and after it asks", () =>
  plugin.test(standup, options, async bot => {
    assert.deepEqual(await tell(bot, "ada", "/standup skip"), ["You skip team today."])
    await bot.clock.advance({minutes: 1})
    assert.equal(await newest(bot, "@ada"), "You skip team today.")
    await tell(bot, "bob", "The door")
    assert.deepEqual(await tell(bot, "bob", "/standup skip"), ["You skip team today."])
    assert.deepEqual(await textsIn(bot, "team"), ["Standup team, Mar 6, 2026\nSkipped: Ada, bob"])
    assert.deepEqual(await tell(bot, "eve", "/standup skip"), ["You are in no standup."])
    // A skip is for one day.
    await bot.clock.set("2026-03-09T09:30:00Z")
    assert.equal(await newest(bot, "@ada"), intro)
  }))

test("starts now for a moderator, and asks again", () =>
  plugin.test(standup, {...options, now: "2026-03-07T12:00:00Z"}, async bot => {
    const group = {channel: "team", group: true}
    assert.deepEqual(await bot.say("/standup now", {...group, user: "bob"}), [
      "/standup now needs the permission trusted.",
    ])
    assert.deepEqual(await bot.say("/standup now", {...group, user: "ada"}), ["team: I ask 2 people."])
    await bot.settle()
    assert.deepEqual(await bot.say("/standup now", {...group, user: "ada"}), ["team is running already."])
    assert.deepEqual(await tell(bot, "ada", "  "), ["Please answer with 1 to 1000 characters.\nDone?"])
    assert.deepEqual(await tell(bot, "ada", "x".repeat(1001)), ["Please answer with 1 to 1000 characters.\nDone?"])
    assert.deepEqual(await bot.say("/standup", {...group, user: "ada"}), ["Write this to me directly."])
    await tell(bot, "ada", "The roof")
    assert.deepEqual(await tell(bot, "ada", "/standup"), [
      "Standup team, 1 question until 2:00 PM. To skip it: /standup skip\nNext?",
    ])
    assert.deepEqual(await tell(bot, "ada", "The wall"), ["Thank you."])
    assert.deepEqual(await tell(bot, "ada", "/standup skip"), ["You have answered or skipped team already."])
  }))

test("has two standups, and asks a user of both one after the other", () => {
  const other = {
    name: "ops",
    time: "9:30",
    report: {...report, channel: "ops"},
    people: [{user: "ada"}],
    questions: ["Up?"],
  }
  return plugin.test(standup, {...options, config: {standups: [team, other]}}, async bot => {
    assert.deepEqual(await tell(bot, "ada", "/standup now"), ["Which standup? There is team, ops."])
    assert.deepEqual(await tell(bot, "ada", "/standup now web"), ["There is no standup web. There is team, ops."])
    await bot.clock.advance({minutes: 1})
    assert.equal(await newest(bot, "@ada"), intro)
    await tell(bot, "ada", "The roof")
    assert.deepEqual(await tell(bot, "ada", "The wall"), [
      "Thank you.",
      "Standup ops, 1 question until 11:30 AM. To skip it: /standup skip\nUp?",
    ])
    assert.deepEqual(await tell(bot, "ada", "Yes"), ["Thank you."])
    assert.deepEqual(await textsIn(bot, "ops"), ["Standup ops, Mar 6, 2026\nada\n- Up? Yes"])
    assert.deepEqual(await textsIn(bot, "team"), [])
  })
})

test("asks in the language of each user, and reports in that of the channel", () => {
  const {questions: _, ...usual} = team
  const languages = {rules: [{endpoint: "sandbox", channel: "team", language: "de"}]}
  const config = {standups: [{...usual, timezone: "Europe/Berlin", time: "10:30", people: [{user: "ada"}]}]}
  return plugin.test(standup, {...options, config, project: {languages}}, async bot => {
    await tell(bot, "ada", "/language de")
    await bot.clock.advance({minutes: 1})
    assert.equal(
      await newest(bot, "@ada"),
      "Standup team, 3 Fragen bis 12:30. Auslassen: /standup skip\nWas hast du seit dem letzten Standup gemacht?",
    )
    await tell(bot, "ada", "Dach")
    await tell(bot, "ada", "Wand")
    assert.deepEqual(await tell(bot, "ada", "Nichts"), ["Danke."])
    assert.deepEqual(await textsIn(bot, "team"), [
      "Standup team, 6. März 2026\nada\n- Was hast du seit dem letzten Standup gemacht? Dach\n" +
        "- Was machst du als Nächstes? Wand\n- Was steht dir im Weg? Nichts",
    ])
  })
})

test("does not ask on holidays", () =>
  plugin.test(standup, {...options, config: {standups: [{...team, holidays: ["2026-03-06"]}]}}, async bot => {
    await bot.clock.advance({hours: 3})
    assert.deepEqual(await textsIn(bot, "@ada"), [])
    assert.deepEqual(await textsIn(bot, "team"), [])
    await bot.clock.set("2026-03-09T09:30:00Z")
    assert.deepEqual(await textsIn(bot, "@ada"), [intro])
  }))

test("reports those whom it cannot reach, and asks the others", () => {
  const config = {standups: [{...team, people: [...people, {user: "carl", endpoint: "telegram~one", name: "Carl"}]}]}
  return plugin.test(standup, {...options, config, plugins: {telegram: disabled}}, async bot => {
    await bot.clock.advance({minutes: 1})
    assert.deepEqual(await textsIn(bot, "team"), ["Standup team: I cannot write to Carl directly."])
    assert.deepEqual(await textsIn(bot, "@ada"), [intro])
    await bot.clock.advance({hours: 2})
    assert.equal(await newest(bot, "team"), "Standup team, Mar 6, 2026\nNo answer: Ada, bob, Carl")
  })
})

test("asks in the direct channel of a fake of Telegram", async () => {
  const telegram = await startTelegram()
  const endpoint = `telegram~${telegram.account.id}`
  const standups = [{...team, report: {endpoint, channel: "-77"}, people: [{user: "43", name: "Bob"}]}]
  const plugins = {telegram: {endpoints: [telegram.account]}, standup: {plugin: standup, config: {standups}}}
  const bot = await startBot({plugins, now})
  try {
    const shown = () => telegram.sent().map(({channel, text}) => `${channel}: ${text}`)
    await bot.clock.advance({minutes: 1})
    assert.deepEqual(shown(), [`43: ${intro}`])
    for (const text of ["The roof", "The wall"]) {
      await telegram.say(text, {user: "43", channel: "43"})
      await bot.settle()
    }
    assert.deepEqual(shown().slice(1), [
      "43: Next?",
      "43: Thank you.",
      "-77: Standup team, Mar 6, 2026\nBob\n- Done? The roof\n- Next? The wall",
    ])
  } finally {
    await bot.close()
    await telegram.close()
  }
})

test("continues after a new version of itself, and forgets what nobody needs", () =>
  plugin.test(standup, options, async bot => {
    await bot.clock.advance({minutes: 1})
    await tell(bot, "ada", "The roof")
    await bot.upgrade(standup)
    assert.deepEqual(await tell(bot, "ada", "The wall"), ["Thank you."])
    await bot.clock.advance({hours: 3})
    assert.equal((await textsIn(bot, "team")).length, 1)
    const headers = {authorization: `Bearer ${bot.token}`}
    const timers = (await (await fetch(`${bot.url}/api/timers`, {headers})).json()) as {items: unknown[]}
    assert.equal(timers.items.length, 1)
  }))

test("refuses a configuration that makes no sense", async () => {
  const refuses = (change: object, reason: RegExp) =>
    assert.rejects(
      plugin.test(standup, {config: {standups: [{...team, ...change}]}}, () => {}),
      reason,
    )
  await refuses({time: "25:00"}, /configuration has an error/)
  await refuses({days: ["funday"]}, /configuration has an error/)
  await refuses({people: []}, /configuration has an error/)
  await refuses({timezone: "Mars"}, /no time zone "Mars"/)
  await refuses({report: {endpoint: "sandbx", channel: "team"}}, /report\.endpoint: .*"sandbx".*"sandbox"/)
  await refuses({people: [{user: "ada", endpoint: "sandbx"}]}, /people\[0\]\.endpoint: .*"sandbx"/)
  await assert.rejects(
    plugin.test(standup, {config: {standups: [team, team]}}, () => {}),
    /two with the name "team"/,
  )
})

test("names the endpoint of the report to who starts the standup while its plugin is disabled", () => {
  const standups = [{...team, report: {endpoint: "telegram~one", channel: "-100"}, people: [{user: "55"}]}]
  return plugin.test(standup, {...options, config: {standups}, plugins: {telegram: disabled}}, async bot => {
    assert.deepEqual(await bot.say("/standup now", {user: "ada"}), [
      "team cannot run: there is no endpoint telegram~one for its report.",
    ])
  })
})
