import {readFileSync} from "node:fs"
import {expect, test} from "vitest"
import {withValue} from "../../../server/config/edit/text.ts"
import {root} from "../../support/host/runtimes.ts"

test.each([
  ["an entry comes before it", "plugins:\n  a: {} # why\n", "plugins:\n  a: {} # why\n  dice: {}\n"],
  [
    "comments and keys follow",
    "plugins:\n  a:\n    config: {x: 1}\n\n  # b: {}\nlog_level: info\n",
    "plugins:\n  a:\n    config: {x: 1}\n  dice: {}\n\n  # b: {}\nlog_level: info\n",
  ],
  [
    "the last entry is deep",
    "plugins:\n    a:\n        endpoints:\n            - id: x\n              y: [1,\n                2]\n",
    "plugins:\n    a:\n        endpoints:\n            - id: x\n              y: [1,\n                2]\n    dice: {}\n",
  ],
  [
    "the last value is a block",
    "plugins:\n  a:\n    config:\n      text: |\n        one\n        two\n",
    "plugins:\n  a:\n    config:\n      text: |\n        one\n        two\n  dice: {}\n",
  ],
  ["the file has no last line break", "plugins:\n  a: {}", "plugins:\n  a: {}\n  dice: {}\n"],
  ["plugins is empty", "plugins: # none yet\nhttp: {port: 0}\n", "plugins: # none yet\n  dice: {}\nhttp: {port: 0}\n"],
  ["plugins is on one line", "plugins: {a: {}}\n", "plugins: {a: {}, dice: {}}\n"],
  ["plugins is an empty mapping", "plugins: {}\n", "plugins:\n  dice: {}\n"],
  ["there are no plugins", "http: {port: 0}\n", "http: {port: 0}\nplugins:\n  dice: {}\n"],
  ["the file is empty", "", "plugins:\n  dice: {}\n"],
])("adding a plugin keeps every other character when %s", (_, text, expected) => {
  expect(withValue(text, ["plugins", "dice"], {})).toBe(expected)
})

test.each([
  ["plugins is an alias", "x: &all {a: {}}\nplugins: *all\n"],
  ["the file is broken", "plugins: [\n"],
  ["plugins is a list", "plugins: [a]\n"],
])("nothing is added if %s", (_, text) => {
  expect(withValue(text, ["plugins", "dice"], {})).toBeUndefined()
})

test("the starter's configuration keeps its comments", () => {
  const text = readFileSync(`${root}cli/init/template/svc.config.yml`, "utf8")
  expect(withValue(text, ["plugins", "dice"], {})).toBe(text.replace("  sandbox: {}\n", "  sandbox: {}\n  dice: {}\n"))
})

test("an entry may name its package", () => {
  expect(withValue("plugins:\n  a: {}\n", ["plugins", "dice"], {use: "@team/svc-plugin-dice", enabled: false})).toBe(
    'plugins:\n  a: {}\n  dice:\n    use: "@team/svc-plugin-dice"\n    enabled: false\n',
  )
})
