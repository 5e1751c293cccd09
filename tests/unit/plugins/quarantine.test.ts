import {expect, test} from "vitest"
import {Quarantine} from "../../../server/generation/containment.ts"

const minute = 60_000

test("the third exception within ten minutes is one too many", () => {
  const quarantine = new Quarantine()
  expect([0, 4, 9].map(at => quarantine.record("irc", 1, at * minute))).toEqual([false, false, true])
})

test("exceptions that are further apart are not counted together", () => {
  const quarantine = new Quarantine()
  expect([0, 6, 12, 18].map(at => quarantine.record("irc", 1, at * minute))).toEqual([false, false, false, false])
  expect(quarantine.record("irc", 1, 19 * minute)).toBe(true)
})

test("each plugin has its own count, and each generation starts at zero", () => {
  const quarantine = new Quarantine()
  quarantine.record("irc", 1, 0)
  quarantine.record("irc", 1, 1)
  expect(quarantine.record("matrix", 1, 2)).toBe(false)
  expect(quarantine.record("irc", 2, 3)).toBe(false)
  expect(quarantine.record("irc", 2, 4)).toBe(false)
  expect(quarantine.record("irc", 2, 5)).toBe(true)
})
