import assert from "node:assert/strict"
import {test} from "node:test"
import {plugin} from "svc-runtime/test"
import bridge from "../plugins/bridge/index.ts"

const rooms = [["here", "there", "everywhere"].map(channel => ({endpoint: "sandbox", channel}))]
const here = {channel: "here", user: "ada", group: true}
const there = {channel: "there", user: "bob", group: true}

test("copies a message to the other channels once, and never copies its own copies", () =>
  plugin.test(bridge, {config: {rooms}}, async bot => {
    const said = async (channel: string) => (await bot.messages(channel)).map(({text}) => text)
    await bot.say("hello", here)
    await bot.say("hi @ada", there)
    assert.deepEqual(await said("here"), ["hello", "bob: hi @ada"])
    assert.deepEqual(await said("there"), ["ada: hello", "hi @ada"])
    assert.deepEqual(await said("everywhere"), ["ada: hello", "bob: hi @ada"])

    await bot.say("a secret", {channel: "elsewhere", user: "ada", group: true})
    assert.deepEqual(await said("elsewhere"), ["a secret"])
    assert.equal((await said("there")).length, 2)
  }))

test("copies files, and names those that are too large", () =>
  plugin.test(bridge, {config: {rooms, megabytes: 0.001}}, async bot => {
    const files = [
      {name: "note.txt", type: "text/plain", bytes: new TextEncoder().encode("read me")},
      {name: "film.mp4", type: "video/mp4", bytes: new Uint8Array(2000)},
    ]
    await bot.say("two files", {...here, files})
    const [copied, ...others] = await bot.files("there")
    assert.deepEqual(
      {name: copied?.name, text: new TextDecoder().decode(copied?.bytes)},
      {name: "note.txt", text: "read me"},
    )
    assert.equal(others.length, 0)
    const text = (await bot.messages("there")).at(-1)?.text ?? ""
    assert.match(text, /^ada: two files.*\[film\.mp4\]/s)
  }))
