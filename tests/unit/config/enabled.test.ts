import {describe, expect, test} from "vitest"
import {saysTheSame, withEnabled} from "../../../server/config/enabled.ts"

describe("disabling a plugin in the text keeps every other character", () => {
  test.each([
    ["an empty mapping", "plugins: {moody: {}}\n", "plugins: {moody: {enabled: false}}\n"],
    [
      "a mapping in a line",
      "plugins:\n  moody: {use: x} # why\n",
      "plugins:\n  moody: {enabled: false, use: x} # why\n",
    ],
    [
      "a mapping over lines",
      "plugins:\n  moody:\n    # first\n    use: x\n  other: {}\n",
      "plugins:\n  moody:\n    # first\n    enabled: false\n    use: x\n  other: {}\n",
    ],
    ["nothing", "plugins:\n  moody:\n  other: {}\n", "plugins:\n  moody:\n    enabled: false\n  other: {}\n"],
    ["a null", "plugins: {moody: null, other: {}}\n", "plugins: {moody: {enabled: false}, other: {}}\n"],
    [
      "the key itself",
      "plugins:\n  moody:\n    enabled: true # why\n",
      "plugins:\n  moody:\n    enabled: false # why\n",
    ],
  ])("when its entry is %s", (_, text, expected) => {
    expect(withEnabled(text, "moody", false)).toBe(expected)
  })
})

test.each([
  ["its entry is an alias", "plugins:\n  other: &one {use: x}\n  moody: *one\n"],
  ["another's entry is its alias", "plugins:\n  moody: &one {use: x}\n  other: *one\n"],
  ["there is no such plugin", "plugins: {other: {}}\n"],
])("nothing is edited if %s", (_, text) => {
  expect(withEnabled(text, "moody", false)).toBeUndefined()
})

test("only a plugin that is enabled again equals one that was never disabled", () => {
  const text = "plugins:\n  moody: {config: {mood: bad}}\n  other:\n"
  const disabled = withEnabled(text, "moody", false) ?? ""
  expect(saysTheSame(text, disabled)).toBe(false)
  expect(saysTheSame(text, withEnabled(disabled, "moody", true) ?? "")).toBe(true)
  expect(saysTheSame(text, text.replace("bad", "good"))).toBe(false)
})
