import assert from "node:assert/strict"
import {test} from "node:test"
import {plugin} from "svc-runtime/test"
import reminders from "../plugins/reminders.ts"

test("reminds, lists and cancels", () =>
  plugin.test(reminders, {now: "2026-03-01T12:00:00Z"}, async bot => {
    assert.deepEqual(await bot.say("/remind in 10m tea", {user: "ada"}), [
      "Reminder 1, on Mar 1, 2026 at 12:10 PM: tea",
    ])
    await bot.say("/remind every 2h water", {user: "ada"})
    assert.deepEqual(await bot.say("/reminders", {user: "ada"}), [
      "1, on Mar 1, 2026 at 12:10 PM: tea\n2, every 2h: water",
    ])

    await bot.changes()
    await bot.clock.advance({minutes: 10})
    assert.deepEqual(await bot.changes(), [{change: "said", channel: "test", text: "ada: tea"}])
    assert.deepEqual(await bot.say("/reminders", {user: "ada"}), ["2, every 2h: water"])
    assert.deepEqual(await bot.say("/cancel 2", {user: "bob"}), ["You have no reminder 2."])
    assert.deepEqual(await bot.say("/cancel 2", {user: "ada"}), ["Reminder 2 is cancelled."])
    assert.deepEqual(await bot.say("/reminders", {user: "ada"}), ["You have no reminders."])

    await bot.changes()
    await bot.clock.advance({days: 1})
    assert.deepEqual(await bot.changes(), [])
  }))

test("follows daylight saving time", () =>
  plugin.test(reminders, {now: "2026-03-27T12:00:00Z"}, async bot => {
    await bot.say("/timezone Europe/Berlin")
    await bot.say("/remind every 9:00 stand up")
    await bot.clock.set("2026-03-28T07:59:59Z")
    await bot.changes()
    await bot.clock.advance(1)
    assert.deepEqual(await bot.changes(), [{change: "said", channel: "test", text: "tester: stand up"}])
    // The clocks go forward in the night.
    await bot.clock.set("2026-03-29T07:00:00Z")
    assert.deepEqual(await bot.changes(), [{change: "said", channel: "test", text: "tester: stand up"}])
  }))

test("follows the time zone of each user", () =>
  plugin.test(reminders, async bot => {
    assert.deepEqual(await bot.say("/timezone Asia/Kolkata", {user: "ada"}), ["Your time zone is Asia/Kolkata."])
    assert.deepEqual(await bot.say("/remind every 9:00 stand up", {user: "ada"}), [
      "Reminder 1, every day at 9:00 AM (Asia/Kolkata): stand up",
    ])
    await bot.say("/remind at 18:30 go home", {user: "ada"})
    await bot.say("/remind at 18:30 go home", {user: "bob"})
    const response = await fetch(`${bot.url}/api/timers`, {headers: {authorization: `Bearer ${bot.token}`}})
    const {items} = (await response.json()) as {items: {user: string; dueAt: string}[]}
    const times = items.map(({user, dueAt}) => `${user} ${dueAt.slice(11, 16)}`)
    assert.deepEqual(times.sort(), ["ada 03:30", "ada 13:00", "bob 18:30"])
  }))

test("explains what it does not understand", () =>
  plugin.test(reminders, async bot => {
    assert.deepEqual(await bot.say("/remind me 10m tea"), ["Write in, at or every: /remind in 10m tea."])
    assert.deepEqual(await bot.say("/remind in 25:00 tea"), [
      '"25:00" is not a time. Write 90s, 10m, 2h, 1d, or 18:30.',
    ])
    assert.deepEqual(await bot.say("/timezone Mars"), [
      'There is no time zone "Mars". Write Europe/Berlin, for example.',
    ])
  }))

test("says all of it in German too", () =>
  plugin.test(reminders, {now: "2026-03-01T12:00:00Z", config: {limit: 2}}, async bot => {
    const says = async (text: string, answer: string) =>
      assert.deepEqual(await bot.say(text, {user: "jan", language: "de"}), [answer])
    await says("/timezone Europe/Berlin", "Deine Zeitzone ist Europe/Berlin.")
    await says("/remind in 10m Tee", "Erinnerung 1, am 1. März 2026 um 13:10: Tee")
    await says("/remind every 9:00 steh auf", "Erinnerung 2, jeden Tag um 09:00 (Europe/Berlin): steh auf")
    await says("/remind in 1h Kuchen", "Du hast schon 2 Erinnerungen. Lösche zuerst eine: /cancel 1.")
    await says("/remind mir 1h Kuchen", "Schreibe in, at oder every: /remind in 10m Tee.")
    await says("/remind in 25:00 Kuchen", "„25:00“ ist keine Zeit. Schreibe 90s, 10m, 2h, 1d oder 18:30.")
    await says("/cancel 1", "Erinnerung 1 ist gelöscht.")
    await says("/cancel 1", "Du hast keine Erinnerung 1.")
    // The list is in the language of the person who reads it.
    await bot.say("/language en", {user: "jan"})
    assert.deepEqual(await bot.say("/reminders", {user: "jan"}), ["2, every day at 9:00 AM (Europe/Berlin): steh auf"])
  }))

test("has a time zone for people who chose none, a limit, and a shortest interval", () =>
  plugin.test(
    reminders,
    {now: "2026-03-01T12:00:00Z", config: {timezone: "Asia/Tokyo", limit: 1, shortest: 3600}},
    async bot => {
      assert.deepEqual(await bot.say("/remind every 59m drink"), [
        "A reminder here can repeat every 3,600 seconds at most.",
      ])
      assert.deepEqual(await bot.say("/remind at 22:00 sleep"), ["Reminder 1, on Mar 1, 2026 at 10:00 PM: sleep"])
      assert.deepEqual(await bot.say("/remind in 1m tea"), [
        "You already have 1 reminder. Cancel one first: /cancel 1.",
      ])
      assert.deepEqual(await bot.say("/remind in 1m tea", {user: "bob"}), [
        "Reminder 1, on Mar 1, 2026 at 9:01 PM: tea",
      ])
      await bot.clock.advance({hours: 1})
      assert.deepEqual(await bot.say("/remind every 1h drink"), ["Reminder 2, every 1h: drink"])
    },
  ))

test("refuses a configuration with an unknown time zone", async () => {
  await assert.rejects(
    plugin.test(reminders, {config: {timezone: "Mars"}}, () => {}),
    /no time zone "Mars"/,
  )
  await assert.rejects(
    plugin.test(reminders, {config: {limit: 0}}, () => {}),
    /configuration has an error/,
  )
})
