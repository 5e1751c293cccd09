import assert from "node:assert/strict"
import {test} from "node:test"
import {plugin, startBot} from "svc-runtime/test"
import poll from "../plugins/polls.ts"
import {startPlain} from "./plain.ts"

const team = {channel: "team", group: true}
const lunch = '/poll "Lunch?" Pizza Salad Soup'
const buttons = "[1] Pizza  [2] Salad  [3] Soup"
const heading = "Lunch? (60 minutes to vote)"

test("counts one vote of each user, and shows the counts in its message", () =>
  plugin.test(poll, async bot => {
    const shown = async () => (await bot.messages("team")).find(({from}) => from === "bot")?.text
    assert.deepEqual(await bot.say(lunch, {...team, user: "ada"}), [`${heading}\n${buttons}`])
    const one = `${heading}\nPizza: 1 vote\nSalad: 0 votes\nSoup: 0 votes\n${buttons}`
    assert.deepEqual(await bot.press("Pizza", {...team, user: "ann"}), [one])
    await bot.press("2", {...team, user: "bob"})
    await bot.press("Pizza", {...team, user: "ada"})
    assert.equal(await shown(), `${heading}\nPizza: 2 votes\nSalad: 1 vote\nSoup: 0 votes\n${buttons}`)

    await bot.press("Soup", {...team, user: "ann"})
    assert.deepEqual(await bot.press("Soup", {...team, user: "ann"}), ["ann has voted for Soup already."])
    assert.equal(await shown(), `${heading}\nPizza: 1 vote\nSalad: 1 vote\nSoup: 1 vote\n${buttons}`)

    const result = "The poll is over: Lunch?\nPizza: 1 vote\nSalad: 1 vote\nSoup: 1 vote"
    assert.deepEqual(await bot.say("/poll close", {...team, user: "ada"}), [result])
    assert.equal(await shown(), result)
    await assert.rejects(bot.press("Pizza", {...team, user: "eve"}), /no message in team has the button Pizza/)
  }))

test("ends at its time, not before", () =>
  plugin.test(poll, {config: {minutes: 10}, now: "2026-03-01T12:00:00Z"}, async bot => {
    await bot.say(lunch)
    await bot.press("Salad")
    await bot.clock.advance({minutes: 9, seconds: 59})
    for (const prefix of ["/", "!"])
      assert.deepEqual(await bot.say(lunch.replace("/", prefix)), [
        `There is an open poll here. End it first: ${prefix}poll close`,
      ])
    await bot.changes()
    await bot.clock.advance(1)
    const result = "The poll is over: Lunch?\nPizza: 0 votes\nSalad: 1 vote\nSoup: 0 votes"
    assert.deepEqual(
      (await bot.changes()).map(({change, ...rest}) => [change, "text" in rest ? rest.text : ""]),
      [
        ["edited", result],
        ["said", result],
      ],
    )
    assert.deepEqual(await bot.say("/poll close"), ["There is no open poll here."])

    // The next poll has its own end.
    await bot.say(`${lunch} --minutes 1`)
    await bot.say("/poll close")
    await bot.say(`${lunch} --minutes 5`)
    await bot.clock.advance({minutes: 4})
    assert.deepEqual(await bot.say("/poll show"), [`Lunch? (1 minute to vote)\n${buttons}`])
    await bot.clock.advance({minutes: 1})
    assert.deepEqual(await bot.say("/poll show"), ["There is no open poll here."])
  }))

test("asks in the author's language, and answers each user in their own", () =>
  plugin.test(poll, async bot => {
    const frage = {...team, user: "jan", language: "de"}
    assert.deepEqual(await bot.say('/poll "Mittag?" Pizza Salat', frage), [
      "Mittag? (60 Minuten Zeit)\n[1] Pizza  [2] Salat",
    ])
    await bot.press("Salat", {...team, user: "ann"})
    assert.deepEqual(await bot.press("Salat", {...team, user: "ann"}), ["ann has voted for Salat already."])
    assert.deepEqual(await bot.say("/poll close", {...team, user: "ann"}), [
      "Only jan, who started this poll, or a moderator can end it.",
    ])
    assert.deepEqual(await bot.say("/poll close", {...team, user: "pia", language: "de"}), [
      "Nur jan, von wem die Frage ist, oder ein Moderator beendet diese Umfrage.",
    ])
    const result = "Die Umfrage ist beendet: Mittag?\nPizza: 0 Stimmen\nSalat: 1 Stimme"
    assert.deepEqual(await bot.say("/poll close", frage), [result])
    await bot.say("/language de", {...team, user: "ann"})
    assert.deepEqual(await bot.say("/poll show", {...team, user: "ann"}), ["Hier läuft keine Umfrage."])
  }))

test("keeps the polls of two channels apart, and lets moderators end them", () =>
  plugin.test(poll, {users: {mod: "trusted"}}, async bot => {
    const other = {...team, channel: "other"}
    await bot.say(lunch, {...team, user: "ada"})
    await bot.say('/poll "Tea?" Yes No', {...other, user: "ada"})
    await bot.press("Soup", {...team, user: "ann"})
    await bot.press("Yes", {...other, user: "ann"})
    assert.deepEqual(await bot.say("/poll close", {...team, user: "mod"}), [
      "The poll is over: Lunch?\nPizza: 0 votes\nSalad: 0 votes\nSoup: 1 vote",
    ])
    assert.deepEqual(await bot.say("/poll show", {...other, user: "bob"}), [
      "Tea? (60 minutes to vote)\nYes: 1 vote\nNo: 0 votes\n[1] Yes  [2] No",
    ])
  }))

test("does not count presses of a poll that is over", () =>
  plugin.test(poll, async bot => {
    await bot.say(lunch)
    await bot.press("Pizza", {user: "ann"})
    // The earlier message keeps its buttons.
    await bot.say("/poll show")
    await bot.say("/poll close")
    await bot.say('/poll "Tea?" Yes No')
    assert.deepEqual(await bot.press("Pizza", {user: "bob"}), ["This poll is over."])
    await bot.press("Yes", {user: "ann"})
    assert.deepEqual(await bot.say("/poll close"), ["The poll is over: Tea?\nYes: 1 vote\nNo: 0 votes"])
  }))

test("explains what is wrong with a poll", () =>
  plugin.test(poll, async bot => {
    const says = async (text: string, answer: string) => assert.deepEqual(await bot.say(text), [answer])
    await says('/poll "Lunch?" Pizza', "A poll has 2 to 10 choices.")
    await says(`/poll Number? ${"a b c d e f g h i j k"}`, "A poll has 2 to 10 choices.")
    await says('/poll " " Pizza Salad', "A question has 1 to 200 characters.")
    await says(`/poll ${"?".repeat(201)} Pizza Salad`, "A question has 1 to 200 characters.")
    await says('/poll Lunch? Pizza " "', "A choice has 1 to 60 characters: ")
    await says("/poll Lunch? Pizza Salad pizza", "Two choices are the same: pizza")
    await says("/poll Lunch? Pizza Salad --minutes 0", "A poll here can run for 1 to 60 minutes.")
    await says("/poll Lunch? Pizza Salad --minutes 61", "A poll here can run for 1 to 60 minutes.")
    await says("/poll show", "There is no open poll here.")
    await says("/poll close", "There is no open poll here.")
    await assert.rejects(
      plugin.test(poll, {config: {minutes: 0}}, () => {}),
      /configuration has an error/,
    )
  }))

test("lets users choose several, and names them", () =>
  plugin.test(poll, async bot => {
    const shown = async () => (await bot.messages("team")).find(({from}) => from === "bot")?.text
    const asked =
      "Lunch? (60 minutes to vote)\nYou may vote for several choices. Choose one again to take the vote back.\n" +
      "This poll names who votes for what."
    assert.deepEqual(await bot.say(`${lunch} --multiple --named`, {...team, user: "ada"}), [`${asked}\n${buttons}`])
    for (const [label, user] of [
      ["Pizza", "ann"],
      ["Soup", "ann"],
      ["Pizza", "@everyone"],
    ] as const)
      await bot.press(label, {...team, user})
    const rows = "Pizza: 2 votes (ann, @everyone)\nSalad: 0 votes\nSoup: 1 vote (ann)"
    assert.equal(await shown(), `${asked}\n${rows}\n${buttons}`)
    await bot.press("Pizza", {...team, user: "ann"})
    const result = "The poll is over: Lunch?\nPizza: 1 vote (@everyone)\nSalad: 0 votes\nSoup: 1 vote (ann)"
    assert.deepEqual(await bot.say("/poll close", {...team, user: "ada"}), [result])
  }))

test("shows the votes of a hidden poll at its end only", () =>
  plugin.test(poll, {config: {hidden: true}}, async bot => {
    const shown = async () => (await bot.messages("team")).find(({from}) => from === "bot")?.text
    const asked = "Lunch? (60 minutes to vote)\nThe votes are shown at the end."
    assert.deepEqual(await bot.say(lunch, {...team, user: "ada"}), [`${asked}\n${buttons}`])
    await bot.press("Pizza", {...team, user: "ann"})
    await bot.press("Soup", {...team, user: "ann"})
    assert.deepEqual(await bot.press("Soup", {...team, user: "ann"}), ["ann has voted."])
    assert.equal(await shown(), `${asked}\n1 person has voted.\n${buttons}`)
    await bot.press("Soup", {...team, user: "bob"})
    assert.equal(await shown(), `${asked}\n2 people have voted.\n${buttons}`)
    assert.deepEqual(await bot.say("/poll close", {...team, user: "ada"}), [
      "The poll is over: Lunch?\nPizza: 0 votes\nSalad: 0 votes\nSoup: 2 votes",
    ])
  }))

test("lets only some users start polls, if the configuration says so", () =>
  plugin.test(poll, {config: {permission: "trusted"}, users: {mod: "trusted"}}, async bot => {
    assert.deepEqual(await bot.say(lunch, {user: "ann"}), ["/poll needs the permission trusted."])
    await bot.say(lunch, {user: "mod"})
    await bot.press("Soup", {user: "ann"})
    assert.deepEqual(await bot.say("/poll show", {user: "ann"}), [
      `${heading}\nPizza: 0 votes\nSalad: 0 votes\nSoup: 1 vote\n${buttons}`,
    ])
  }))

test("answers each vote where a platform has neither buttons nor edits", async () => {
  const {plain, answers, say} = startPlain()
  const bot = await startBot({plugins: {plain: {plugin: plain}, polls: {plugin: poll}}})
  const says = async (user: string, text: string) => {
    await say(user, text)
    await bot.settle()
    return answers.splice(0)
  }
  try {
    const list = "1. Pizza\n2. Salad\n3. Soup"
    const several = "You may vote for several choices. Choose one again to take the vote back."
    assert.deepEqual(await says("ada", `${lunch} --multiple`), [`${heading}\n${several}\n${list}`])
    const rows = (pizza: string, soup: string) => `Pizza: ${pizza}\nSalad: 0 votes\nSoup: ${soup}`
    assert.deepEqual(await says("ann", "1"), [`ann votes for Pizza.\n${rows("1 vote", "0 votes")}`])
    assert.deepEqual(await says("ann", "3"), [`ann votes for Soup.\n${rows("1 vote", "1 vote")}`])
    assert.deepEqual(await says("ann", "1"), [`ann takes back the vote for Pizza.\n${rows("0 votes", "1 vote")}`])
    assert.deepEqual(await says("ada", "/poll close"), [`The poll is over: Lunch?\n${rows("0 votes", "1 vote")}`])
    assert.deepEqual(await says("ada", `${lunch} --hidden`), [`${heading}\nThe votes are shown at the end.\n${list}`])
    assert.deepEqual(await says("ann", "2"), ["ann has voted.\n1 person has voted."])
  } finally {
    await bot.close()
  }
})
