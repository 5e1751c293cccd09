import {expect, test} from "vitest"
import {toExactJson, toJson} from "../../../shared/json.ts"

test.for([
  ["half a pair, the first", "a\ud83d", "a\ufffd"],
  ["half a pair, the second", "\ude00b", "\ufffdb"],
  ["two halves in the wrong order", "\ude00\ud83d", "\ufffd\ufffd"],
  ["half a pair after a backslash", "\\\ud83d", "\\\ufffd"],
  ["a whole pair", "😀", "😀"],
  ["text that only looks like half a pair", "\\ud83d", "\\ud83d"],
] as const)("JSON for the database has %s as Unicode", ([, text, expected]) => {
  expect(JSON.parse(toJson({[text]: [text]}))).toEqual({[expected]: [expected]})
})

test("JSON for a log shows the original value", () => {
  expect(JSON.parse(toExactJson("a\ud83d"))).toBe("a\ud83d")
})

test("a value without JSON stays undefined", () => {
  expect(toJson(undefined)).toBeUndefined()
})
