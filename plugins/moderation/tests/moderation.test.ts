import assert from "node:assert/strict"
import {test} from "node:test"
import {plugin} from "svc-runtime/test"
import moderation from "../plugins/moderation.ts"

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
