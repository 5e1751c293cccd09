import {expect, test} from "vitest"
import {parseJson, toExactJson, toJson} from "../../../shared/json.ts"

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

test("JSON for a log shows the original value", () => expect(JSON.parse(toExactJson("a\ud83d"))).toBe("a\ud83d"))

test("a value without JSON stays undefined", () => expect(toJson(undefined)).toBeUndefined())

const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}1${"]}".repeat(levels / 2)}`

test.for([
  ["64 levels", nested(64), true],
  ["65 levels", `[${nested(64)}]`, false],
  ["5,000 levels", nested(5000), false],
  ["5,000 levels without an end", "[".repeat(5000), false],
  ["brackets inside of text", JSON.stringify(["[".repeat(100), '\\"[{'.repeat(100), "\\"]), true],
  ["a hundred lists side by side", `[${Array(100).fill("[{}]")}]`, true],
  ["a byte order mark", "\ufeff{}", true],
  ["two byte order marks", "\ufeff\ufeff{}", false],
  ["text without an end", '"[', false],
] as const)("JSON from elsewhere with %s", ([, text, isRead]) => {
  if (isRead) expect(parseJson(text)).toEqual(JSON.parse(text.replace("\ufeff", "")))
  else expect(() => parseJson(text)).toThrow(expect.objectContaining({code: "request_invalid"}))
})
