import assert from "node:assert/strict"
import {readFileSync} from "node:fs"
import {test} from "node:test"
import {fileURLToPath} from "node:url"
import {type Bot, plugin} from "svc-runtime/test"
import {queryOf, sectionsOf} from "../lib/sections.ts"
import docs from "../plugins/docs.ts"
import {withModel} from "./model.ts"

/** Starts a bot with the agent of `svc.config.yml` and the recorded model. */
const withBot = (body: (bot: Bot) => Promise<void>): Promise<void> =>
  withModel(url => {
    const helper = {
      provider: "openai-compatible",
      baseURL: url,
      model: "recorded",
      instructions: readFileSync(new URL("../agent.md", import.meta.url), "utf8"),
      tools: {
        "docs.search": {},
        "workroom.add": {permission: "user"},
        send: {permission: "user", approval: true, to: [{endpoint: "sandbox", channel: "team"}]},
      },
      approval: {permission: "trusted"},
      triggers: {direct: true, mention: true, command: "ask"},
    }
    const config = {folder: fileURLToPath(new URL("../docs", import.meta.url))}
    return plugin.test(docs, {name: "docs", config, users: {ada: "trusted"}, project: {agents: {helper}}}, body)
  })

/** Returns the last message in a channel, once the agent is done or waits. */
const last = async (bot: Bot, channel = "test") => (await bot.messages(channel)).at(-1)?.text

test("answers from the documentation, by a direct message and by its command", () =>
  withBot(async bot => {
    const answer =
      "Seven days. You can extend the loan once, by another seven days, unless somebody has reserved the tool. (borrowing.md)"
    await bot.say("How long may I keep a drill?", {user: "eve"})
    assert.equal(await last(bot), answer)
    await bot.say("/ask How long may I keep a drill?", {user: "eve", channel: "hall", group: true})
    assert.equal(await last(bot, "hall"), answer)
  }))

test("opens a work item if the documentation has no answer", () =>
  withBot(async bot => {
    await bot.say("Do you sharpen saws?", {user: "eve"})
    assert.equal(await last(bot), "The documentation does not say. Should the team look into it?")
    await bot.say("Yes, please.", {user: "eve"})
    assert.equal(await last(bot), "I opened work item 1 for the team.")
    const response = await fetch(`${bot.url}/api/workroom/items`, {headers: {authorization: `Bearer ${bot.token}`}})
    const {items} = (await response.json()) as {items: {title: string; createdBy: string}[]}
    assert.deepEqual(
      items.map(({title, createdBy}) => ({title, createdBy})),
      [{title: "Answer whether we sharpen saws", createdBy: "agent:helper"}],
    )
  }))

test("sends to the team only what a team member approves", () =>
  withBot(async bot => {
    const team = async () => (await bot.messages("team")).map(({text}) => text)
    await bot.say("The grey box is on fire!", {user: "eve"})
    assert.match(
      (await last(bot)) ?? "",
      /asks to call send:\nSend to team at sandbox:\n> The grey box beside the door/,
    )
    assert.deepEqual(await bot.press("Approve", {user: "eve"}), ["To decide this you need the permission trusted."])
    assert.deepEqual(await team(), [])
    await bot.press("Approve", {user: "ada"})
    assert.deepEqual(await team(), ["The grey box beside the door is on fire."])
    assert.equal(await last(bot), "I have told the team.")

    await bot.say("Tell the team a joke.", {user: "eve"})
    await bot.press("Deny", {user: "ada"})
    assert.equal((await team()).length, 1)
    assert.equal(await last(bot), "The team did not want it.")
  }))

test("finds sections with their headings, and passes no FTS5 syntax on from the model", () => {
  assert.deepEqual(sectionsOf("# A\nintro\n## B\n```\n# no heading\n```\n# C\n\n"), [
    {heading: "A", text: "intro"},
    {heading: "A > B", text: "```\n# no heading\n```"},
  ])
  assert.equal(queryOf('saw" OR text:* (Säge'), '"saw" OR "OR" OR "text" OR "Säge"')
  assert.equal(queryOf("?!"), "")
})
