import assert from "node:assert/strict"
import {test} from "node:test"
import {plugin} from "svc-runtime/test"
import definition from "../plugins/example.ts"

test("answers in the words of its configuration", () =>
  plugin.test(definition, {config: {answer: "Here I am."}}, async bot => {
    assert.deepEqual(await bot.say("/example"), ["Here I am."])
  }))
