import assert from "node:assert/strict"
import {test} from "node:test"
import {definePlugin, Type} from "svc-runtime"
import {type Bot, plugin, startBot} from "svc-runtime/test"
import {startTelegram} from "svc-runtime/test/platforms"
import tickets from "../plugins/tickets.ts"
import {createClub} from "./club.ts"

const config = {team: {endpoint: "sandbox", channel: "team"}}
const options = {config, plugins: {workroom: {}}, users: {ada: "trusted", bob: "trusted"}} as const
const ada = {channel: "team", group: true, user: "ada"}
const bob = {...ada, user: "bob"}
const eve = {channel: "@eve", user: "eve"}

const said = async (bot: Bot, channel: string) =>
  (await bot.messages(channel)).filter(({from}) => from === "bot").map(({text}) => text)
const newest = async (bot: Bot, channel: string) => (await said(bot, channel)).at(-1)

/** The form that the newest button of a message opens. */
const form = "[1] Fill in (text)"

test("takes, answers and closes a ticket by buttons", () =>
  plugin.test(tickets, options, async bot => {
    const head = "Ticket 1 by eve (sandbox): My key is lost"
    assert.deepEqual(await bot.say("/ticket My key is lost", eve), ["The team has your ticket 1."])
    assert.deepEqual(await said(bot, "team"), [`${head}\n[1] Take  [2] Answer  [3] Close`])
    await bot.press("Take", ada)
    assert.deepEqual(await said(bot, "team"), [`${head}\nTaken by ada.\n[1] Answer  [2] Close`])
    assert.deepEqual(await bot.say("/tickets", bob), ["1, eve: My key is lost (taken by ada)"])

    assert.deepEqual(await bot.press("Answer", ada), [form])
    await bot.fill("Fill in", {text: "Come to the desk"}, ada)
    assert.equal(await newest(bot, "@eve"), "Answer to your ticket 1: Come to the desk\n[1] Reply")
    assert.equal(await newest(bot, "team"), "ada answered ticket 1: Come to the desk")
    assert.deepEqual(await bot.press("Reply", eve), [form])
    assert.deepEqual(await bot.fill("Fill in", {text: "Thanks"}, eve), ["The team has your reply."])
    assert.equal(await newest(bot, "team"), "eve adds to ticket 1: Thanks\n[1] Answer")

    await bot.press("Close", bob)
    assert.equal((await said(bot, "team"))[0], `${head}\nClosed by bob.`)
    assert.equal(await newest(bot, "@eve"), "Your ticket 1 is closed.")
    assert.deepEqual(await bot.say("/tickets", ada), ["There are no open tickets."])
    await bot.press("Reply", eve)
    assert.deepEqual(await bot.fill("Fill in", {text: "Hello?"}, eve), ["Ticket 1 is not open."])
  }))

/** Asks the Host's API about the workroom, or gives it a command, as the console does. */
const workroom = async (bot: Bot, path: string, command?: object): Promise<Record<string, unknown>> => {
  const headers = {authorization: `Bearer ${bot.token}`, "content-type": "application/json"}
  const init = command === undefined ? {headers} : {headers, method: "POST", body: JSON.stringify(command)}
  const answer = await fetch(`${bot.url}/api/workroom/${path}`, init)
  assert.equal(answer.ok, true, `${path}: ${answer.status}`)
  return (await answer.json()) as Record<string, unknown>
}

const item = async (bot: Bot, n: number) => {
  const {state, title, assignee, labels, createdBy, comments} = await workroom(bot, `items/${n}`)
  return {state, title, assignee, labels, createdBy, comments}
}

test("keeps a work item for each ticket, without a word of its user", () =>
  plugin.test(tickets, options, async bot => {
    await bot.say("/ticket My key is lost", eve)
    const open = {title: "Ticket from sandbox", labels: ["ticket"], createdBy: "host", comments: []}
    assert.deepEqual(await item(bot, 1), {...open, state: "open", assignee: null})
    await bot.say("/tickets take 1", ada)
    assert.deepEqual(await item(bot, 1), {...open, state: "active", assignee: "user:sandbox/ada"})
    await bot.say("/tickets answer 1 Come", ada)
    await bot.press("Reply", eve)
    await bot.fill("Fill in", {text: "Thanks"}, eve)
    await bot.say("/tickets close 1", bob)
    assert.deepEqual(await item(bot, 1), {...open, state: "done", assignee: "user:sandbox/ada"})
    assert.doesNotMatch(JSON.stringify(await workroom(bot, "journal")), /eve|key|Come|Thanks/)
  }))

test("keeps the texts in the work item if the operator wants that", () =>
  plugin.test(tickets, {...options, config: {...config, itemText: true}}, async bot => {
    await bot.say("/ticket My key\nis lost", eve)
    await bot.say(`/ticket ${"a".repeat(300)}`, eve)
    await bot.say("/tickets answer 1 Come", ada)
    await bot.press("Reply", eve)
    await bot.fill("Fill in", {text: "Thanks"}, eve)
    const {title, createdBy, comments} = await item(bot, 1)
    assert.deepEqual([title, createdBy], ["My key is lost", "user:sandbox/eve"])
    assert.deepEqual(
      (comments as {actor: string; text: string}[]).map(({actor, text}) => [actor, text]),
      [
        ["user:sandbox/ada", "Come"],
        ["user:sandbox/eve", "Thanks"],
      ],
    )
    const long = await workroom(bot, "items/2")
    assert.deepEqual([long.title, long.description], [`${"a".repeat(199)}…`, "a".repeat(300)])
  }))

test("follows what others do with the work item", () =>
  plugin.test(tickets, options, async bot => {
    const command = async (n: number, name: string, fields: object = {}) => {
      const {revision} = await workroom(bot, `items/${n}`)
      await workroom(bot, `items/${n}/${name}`, {...fields, expectedRevision: revision, actor: "user:mia"})
      await bot.settle()
    }
    for (const text of ["one", "two", "three"]) await bot.say(`/ticket ${text}`, eve)
    await command(1, "claim")
    assert.match((await said(bot, "team"))[0] ?? "", /^Ticket 1 by eve \(sandbox\): one\nTaken by mia\.\n\[1\] Answer/)
    await command(1, "block", {reason: "the locksmith is away"})
    await command(2, "cancel", {reason: "a double"})
    assert.equal((await said(bot, "team"))[1], "Ticket 2 by eve (sandbox): two\nWork item 2 was cancelled: a double.")
    assert.equal(await newest(bot, "@eve"), "Your ticket 2 is closed.")
    assert.deepEqual(await bot.say("/tickets take 2", ada), ["Ticket 2 is not open."])

    await bot.say("/tickets take 1", ada)
    assert.equal((await item(bot, 1)).assignee, "user:sandbox/ada")
    await command(1, "review")
    await bot.say("/tickets close 1", ada)
    assert.equal((await item(bot, 1)).state, "done")
    await command(3, "claim")
    await command(3, "block", {reason: "lunch"})
    await bot.say("/tickets close 3", ada)
    assert.deepEqual(await bot.say("/tickets", ada), ["There are no open tickets."])
    const {assignee, state} = await item(bot, 3)
    assert.deepEqual([assignee, state], ["user:mia", "done"])
  }))

test("catches up on work items when it starts again", () =>
  plugin.test(tickets, options, async bot => {
    await bot.say("/ticket one", eve)
    await bot.upgrade(definePlugin({config: Type.Unknown(), setup: () => {}}))
    await workroom(bot, "items/1/cancel", {expectedRevision: 1})
    await bot.upgrade(tickets)
    await bot.settle()
    assert.equal(await newest(bot, "@eve"), "Your ticket 1 is closed.")
  }))

test("gives a ticket the number of its work item", () =>
  plugin.test(tickets, options, async bot => {
    await workroom(bot, "items", {title: "Something else"})
    assert.deepEqual(await bot.say("/ticket one", eve), ["The team has your ticket 2."])
    assert.deepEqual(await bot.say("/tickets take 1", ada), ["Ticket 1 is not open."])
  }))

test("opens a ticket by the panel's form, also a year later", () =>
  plugin.test(tickets, options, async bot => {
    await bot.say("/tickets panel", {...ada, channel: "hall"})
    assert.deepEqual(await said(bot, "hall"), ["Do you need help? Open a ticket.\n[1] Open a ticket"])
    await bot.clock.advance({days: 365})
    assert.deepEqual(await bot.press("Open a ticket", {channel: "hall", group: true, user: "eve"}), [form])
    await bot.fill("Fill in", {text: "My key is lost"}, {channel: "hall", group: true, user: "eve"})
    assert.match((await newest(bot, "team")) ?? "", /^Ticket 1 by eve \(sandbox\): My key is lost/)
    assert.deepEqual(await bot.say("/ticket", eve), [form])
  }))

test("has a command for each button", () =>
  plugin.test(tickets, options, async bot => {
    await bot.say("/ticket one", eve)
    await bot.say("/ticket two", eve)
    await bot.say("/tickets take 2", ada)
    await bot.say("/tickets answer 2 Yes", ada)
    assert.equal(await newest(bot, "@eve"), "Answer to your ticket 2: Yes\n[1] Reply")
    await bot.say("/tickets close 1", ada)
    assert.equal(await newest(bot, "@eve"), "Your ticket 1 is closed.")
    assert.deepEqual(await bot.say("/tickets", ada), ["2, eve: two (taken by ada)"])
    assert.deepEqual(await bot.say("/tickets close 1", ada), ["Ticket 1 is not open."])
    assert.deepEqual(await bot.say("/tickets take 9", ada), ["Ticket 9 is not open."])
  }))

test("limits the tickets of a user, and their length", () =>
  plugin.test(tickets, {...options, config: {...config, limit: 1, longest: 50}}, async bot => {
    assert.deepEqual(await bot.say(`/ticket ${"a".repeat(51)}`, eve), ["A ticket has at most 50 characters."])
    await bot.say("/ticket one", eve)
    const enough = "You already have 1 open ticket. The team will answer."
    assert.deepEqual(await bot.say("/ticket two", eve), [enough])
    assert.deepEqual(await bot.say("/ticket", eve), [enough])
    assert.deepEqual(await bot.say("/ticket three", {user: "mia"}), ["The team has your ticket 2."])
    await bot.say("/tickets close 1", ada)
    assert.deepEqual(await bot.say("/ticket four", eve), ["The team has your ticket 3."])
  }))

test("lets only the team see and handle tickets, in its channel", () =>
  plugin.test(tickets, options, async bot => {
    await bot.say("/ticket one", eve)
    const eveInTeam = {...ada, user: "eve"}
    assert.deepEqual(await bot.press("Take", eveInTeam), ["This needs the permission trusted."])
    assert.deepEqual(await bot.say("/tickets", eveInTeam), ["/tickets needs the permission trusted."])
    assert.deepEqual(await bot.say("/tickets panel", eve), ["/tickets panel needs the permission trusted."])
    const hall = {...ada, channel: "hall"}
    for (const command of ["/tickets", "/tickets take 1", "/tickets close 1", "/tickets answer 1 Yes"]) {
      assert.deepEqual(await bot.say(command, hall), ["Write this in the team's channel: team at sandbox."])
      const [refused] = await bot.say(command, {...hall, user: "eve"})
      assert.match(refused ?? "", /needs the permission trusted\.$/)
    }
    assert.deepEqual(await bot.say("/tickets", ada), ["1, eve: one"])
  }))

test("speaks the language of the user and that of the team", () => {
  const languages = {rules: [{endpoint: "sandbox", channel: "team", language: "de"}]}
  return plugin.test(tickets, {...options, project: {languages}}, async bot => {
    await bot.say("/ticket one", eve)
    await bot.say("/ticket zwei", {channel: "@mia", user: "mia", language: "de"})
    assert.deepEqual(await said(bot, "team"), [
      "Anfrage 1 von eve (sandbox): one\n[1] Übernehmen  [2] Antworten  [3] Schließen",
      "Anfrage 2 von mia (sandbox): zwei\n[1] Übernehmen  [2] Antworten  [3] Schließen",
    ])
    await bot.say("/tickets close 1", ada)
    await bot.say("/tickets close 2", ada)
    assert.equal(await newest(bot, "@eve"), "Your ticket 1 is closed.")
    assert.equal(await newest(bot, "@mia"), "Deine Anfrage 2 ist geschlossen.")
  })
})

test("shows what a user writes as text", () =>
  plugin.test(tickets, options, async bot => {
    await bot.say('/ticket <at type="all"/> {n} @everyone', eve)
    assert.match((await newest(bot, "team")) ?? "", /^Ticket 1 by eve \(sandbox\): <at type="all"\/> \{n\} @everyone\n/)
  }))

test("forgets a user's tickets with the user", () =>
  plugin.test(tickets, options, async bot => {
    await bot.say("/ticket one", eve)
    await bot.say("/ticket two", {channel: "@mia", user: "mia"})
    const headers = {authorization: `Bearer ${bot.token}`, "content-type": "application/json"}
    const body = JSON.stringify({endpoint: "sandbox", user: "eve"})
    assert.equal((await fetch(`${bot.url}/api/users/forget`, {method: "POST", headers, body})).status, 200)
    assert.deepEqual(await bot.say("/tickets", ada), ["2, mia: two"])
    assert.deepEqual(await bot.say("/tickets close 1", ada), ["Ticket 1 is not open."])
  }))

test("works on a platform with nothing but messages", async () => {
  const club = createClub([])
  const team = {endpoint: "club~one", channel: "team"}
  const bot = await startBot({
    plugins: {
      tickets: {plugin: tickets, config: {team}},
      workroom: {},
      club: {plugin: club.plugin, endpoints: [{id: "one"}]},
    },
    config: {permissions: [{endpoint: "club~one", user: "ada", permission: "trusted"}]},
  })
  const say = async (text: string, user: string, channel: string) => {
    await club.say(text, user, channel)
    await bot.settle()
    return club.did()
  }
  try {
    const list = "1. Take\n2. Answer\n3. Close"
    assert.deepEqual(await say("/ticket one", "eve", "hall"), [
      `team: Ticket 1 by eve (club~one): one\n${list}`,
      "hall: The team has your ticket 1.",
    ])
    assert.deepEqual(await say("1", "ada", "team"), ["team: ada takes ticket 1."])
    assert.deepEqual(await say("2", "ada", "team"), ['team: Your answer?\nAnswer "cancel" to stop.'])
    assert.deepEqual((await say("Yes", "ada", "team")).sort(), [
      "hall: Answer to your ticket 1: Yes\n1. Reply",
      "team: ada answered ticket 1: Yes",
    ])
    assert.deepEqual((await say("/tickets close 1", "ada", "team")).sort(), [
      "hall: Your ticket 1 is closed.",
      "team: ada closed ticket 1.",
    ])
  } finally {
    await bot.close()
  }
})

test("answers from a team in the sandbox to a fake of Telegram", async () => {
  const telegram = await startTelegram()
  const bot = await startBot({
    plugins: {
      tickets: {plugin: tickets, config},
      workroom: {},
      telegram: {endpoints: [{...telegram.account, id: "one"}]},
    },
    users: {ada: "trusted"},
  })
  try {
    await telegram.say("/ticket My key is lost", {user: "42", channel: "-100"})
    await bot.settle()
    await bot.press("Answer", ada)
    await bot.fill("Fill in", {text: "Come to the desk"}, ada)
    assert.deepEqual(
      telegram.sent().map(({channel, text}) => [channel, text]),
      [
        ["-100", "The team has your ticket 1."],
        ["42", "Answer to your ticket 1: Come to the desk"],
      ],
    )
  } finally {
    await bot.close()
    await telegram.close()
  }
})

test("answers where the ticket was opened, if a fake of Telegram refuses to deliver it to the user", async () => {
  const telegram = await startTelegram()
  const bot = await startBot({
    plugins: {
      tickets: {plugin: tickets, config},
      workroom: {},
      telegram: {endpoints: [{...telegram.account, id: "main"}]},
    },
    users: {ada: "trusted"},
  })
  try {
    await telegram.say("/ticket My key is lost", {user: "55", channel: "-100"})
    await bot.settle()
    const description = "Forbidden: bot can't initiate conversation with a user"
    telegram.refuseNext("sendMessage", {status: 403, body: {description}})
    await bot.say("/tickets answer 1 Come", ada).catch(() => {})
    await bot.clock.advance(5).catch(() => {})
    assert.deepEqual(
      telegram.sent().map(({channel, text}) => [channel, text]),
      [
        ["-100", "The team has your ticket 1."],
        ["-100", "@User 55 Answer to your ticket 1: Come"],
      ],
    )
    await telegram.press("Reply", {user: "55"})
    await bot.settle().catch(() => {})
    assert.equal(telegram.sent().at(-1)?.channel, "-100")
  } finally {
    await bot.close()
    await telegram.close()
  }
})

test("tells users while the plugin of the team's endpoint is disabled", () => {
  const team = {endpoint: "telegram~one", channel: "-100"}
  const plugins = {...options.plugins, telegram: {enabled: false, endpoints: [{id: "one"}]}}
  return plugin.test(tickets, {...options, config: {team}, plugins}, async bot => {
    const noTeam = "Nobody can read tickets now. Please tell an operator of this bot."
    assert.deepEqual(await bot.say("/ticket one", eve), [noTeam])
    assert.equal((await item(bot, 1)).state, "cancelled")
  })
})

test("refuses a configuration with an error", async () => {
  const telegram = {enabled: false, endpoints: [{id: "one"}]}
  const plugins = {...options.plugins, telegram}
  const refuses = (settings: object, why: RegExp) =>
    assert.rejects(
      plugin.test(tickets, {...options, plugins, config: {...config, ...settings}}, () => {}),
      why,
    )
  await refuses({team: {endpoint: "sandbox"}}, /channel/)
  await refuses({team: {endpoint: "sandbx", channel: "team"}}, /team\.endpoint: .*"sandbx".*"sandbox"/)
  await refuses({limit: 0}, /limit/)
  await refuses({permission: "user"}, /permission/)
})
