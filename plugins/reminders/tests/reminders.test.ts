import assert from "node:assert/strict"
import {test} from "node:test"
import {plugin} from "svc-runtime/test"
import reminders from "../plugins/reminders.ts"

test("reminds, lists and cancels", () =>
  plugin.test(reminders, {now: "2026-03-01T12:00:00Z"}, async bot => {
    assert.deepEqual(await bot.say("/remind in 10m tea", {user: "ada"}), ["Reminder 1, at 2026-03-01 12:10: tea"])
    await bot.say("/remind every 2h water", {user: "ada"})
    assert.deepEqual(await bot.say("/reminders", {user: "ada"}), ["1, at 2026-03-01 12:10: tea\n2, every 2h: water"])

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
      "Reminder 1, every day at 09:00 (Asia/Kolkata): stand up",
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
    assert.deepEqual(await bot.say("/remind me 10m tea"), ["Write in, at or every: remind in 10m tea."])
    assert.deepEqual(await bot.say("/remind in 25:00 tea"), [
      '"25:00" is not a time. Write 90s, 10m, 2h, 1d, or 18:30.',
    ])
    assert.deepEqual(await bot.say("/timezone Mars"), [
      'There is no time zone "Mars". Write Europe/Berlin, for example.',
    ])
  }))
