import assert from "node:assert/strict"
import {test} from "node:test"
import {startBot} from "svc-runtime/test"
import greeter from "../plugins/greeter.ts"

test("greets by name", async () => {
  const bot = await startBot({plugins: {greeter: {plugin: greeter, config: {greeting: "good morning"}}}})
  try {
    assert.deepEqual(await bot.say("/greet Ada"), ["good morning Ada"])
    assert.deepEqual(await bot.say("ping"), ["pong"])
  } finally {
    await bot.close()
  }
})
