import assert from "node:assert/strict"
import {test} from "node:test"
import {plugin} from "svc-runtime/test"
import greeter from "../plugins/greeter.ts"

test("greets by name", () =>
  plugin.test(greeter, {config: {greeting: "good morning"}}, async bot => {
    assert.deepEqual(await bot.say("/greet Ada"), ["good morning Ada"])
    assert.deepEqual(await bot.say("ping"), ["pong"])
  }))
