import {describe, expect, test} from "vitest"
import {shipped} from "../../../scripts/build/bundles.ts"
import {readApart, withChangesApart} from "../../../server/config/apart.ts"
import {withChanges} from "../../../server/config/edit/changes.ts"
import {readYaml} from "../../../server/config/text/yaml.ts"
import type {ConfigChange} from "../../../shared/api/configuration/file.ts"

const keys = (count: number) => Array.from({length: count}, (_, index) => `        k${index}: 1\n`).join("")
const long = `__proto__: "\\ud800"\nplugins:\n  a:\n    config:\n${keys(2000)}`
const set = (value: unknown): ConfigChange => ({change: "set", plugin: "a", path: ["b"], value})

/** Returns whether the event loop went on meanwhile. */
const goesOn = async (work: () => Promise<unknown>): Promise<boolean> => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await work()
  clearInterval(timer)
  return turns > 0
}

describe("a long text", () => {
  test("is read away from the event loop, with the same result", async () => {
    for (const text of [long, `${long}*`, `${long}plugins: 1\n`]) {
      expect(await readApart(text)).toEqual(JSON.parse(JSON.stringify(readYaml(text))))
      expect(await goesOn(() => readApart(text))).toBe(true)
    }
  })

  test("is changed away from the event loop, with the same result", async () => {
    expect(await withChangesApart(long, [set({c: 1})])).toBe(withChanges(long, [set({c: 1})]))
    await expect(withChangesApart(long, [{...set(1), plugin: "none"}])).rejects.toMatchObject({code: "plugin_unknown"})
  })

  test("is read by a module that the build ships", () => {
    expect(shipped).toContain("server/config/config-child.ts")
  })

  test("is given up when the Host stops", async () => {
    const stopping = new AbortController()
    const read = readApart(long, stopping.signal)
    stopping.abort()
    await expect(read).rejects.toMatchObject({code: "stopping"})
  })
})

describe("a change", () => {
  const many = Object.fromEntries(Array.from({length: 3000}, (_, index) => [`key${index}`, index]))

  test("of many keys at once is one change", () => {
    const text = `plugins:\n  a:\n    config:\n      b:\n${keys(500)}`
    expect(withChanges(`${text}  other: {} # kept\n`, [set(many)])).toMatch(/key2999: 2999\n {2}other: \{\} # kept\n$/)
  })

  test.each([
    ["nested too deeply", set(Array.from({length: 5000}).reduce<unknown>(inner => [inner], 1)), "config_not_editable"],
    ["that is not JSON", {...set(undefined), yaml: "a: &a [*a]"}, "request_invalid"],
  ])("%s is refused", (_, change, code) => {
    expect(() => withChanges("plugins: {a: {}}\n", [change])).toThrow(expect.objectContaining({code}))
  })
})
