import {expect, test} from "vitest"
import {isCode, newCode, readCode} from "../../../server/agents/strangers/code.ts"
import {isLoop} from "../../../server/agents/strangers/loop.ts"
import {Members, mayStart} from "../../../server/agents/strangers/members.ts"

test("a code has eight letters without look-alikes, and is read in any case and spacing", () => {
  const codes = Array.from({length: 1000}, newCode)
  for (const code of codes) expect(code).toMatch(/^[ACDEFGHJKMNPRTWXYZ]{8}$/)
  expect(new Set(codes).size).toBe(1000)
  const [code = ""] = codes
  expect(readCode(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `)).toBe(code)
  expect([isCode(code, code), isCode(code, code.slice(1)), isCode(code, `${code.slice(1)}B`)]).toEqual([
    true,
    false,
    false,
  ])
})

test.each([
  ["user", "member", false, false],
  ["user", "member", true, true],
  ["trusted", "member", false, true],
  ["user", "trusted", true, false],
  ["user", "user", false, true],
] as const)("with %s, a run that needs %s may start for a member (%s): %s", (has, needs, isMember, expected) => {
  expect(mayStart(has, needs, isMember)).toBe(expected)
})

/** Runs of which each begins `pauses` milliseconds after the end of the one before, the newest first. */
const runs = (pauses: readonly number[]) =>
  pauses.map((_, index) => {
    const created = 1_000_000 - pauses.slice(0, index + 1).reduce((sum, pause) => sum + pause + 100, 0)
    return {created_at: created, ended_at: created + 100}
  })
const sender = {endpoint: "e", event: {type: "message-created", user: {id: "u"}}} as const

test.each([
  [Array.from({length: 10}, () => 3000), true],
  [Array.from({length: 9}, () => 3000), false],
  [[11_000, ...Array.from({length: 9}, () => 3000)], false],
  [[...Array.from({length: 9}, () => 3000), 11_000], false],
  [[...Array.from({length: 9}, () => 3000), -50], false],
])("pauses of %j between answers and messages are those of a bot: %s", async (pauses, expected) => {
  const rows = runs(pauses)
  expect(await isLoop({read: async () => rows}, sender, 1_000_000)).toBe(expected)
})

test("only a message of a person in a shared channel stores a member, once in 30 days", () => {
  let now = 0
  let isNeeded = true
  const members = new Members({
    database: {read: async () => []},
    clock: {now: () => now},
    isNeeded: () => isNeeded,
    isLocal: () => false,
    fold: (_, id) => id.toLowerCase(),
  })
  const event = {
    sn: 1,
    type: "message-created",
    timestamp: 0,
    login: {platform: "e"},
    user: {id: "Ada"},
    channel: {id: "c", type: 0},
  }
  const args = (more: object) => members.seeing("e", {...event, ...more})?.statement.args
  for (const other of [{channel: {id: "c", type: 1}}, {user: {id: "b", is_bot: true}}, {type: "reaction-added"}])
    expect(args(other)).toBeUndefined()
  now = 86_400_000 * 100
  expect(args({})).toEqual(["e", "id ada", "ada", 100])
  members.seeing("e", event)?.stored()
  now = 86_400_000 * 129
  expect(args({})).toBeUndefined()
  expect(args({user: {id: "ada", account: "Ada"}})).toEqual(["e", "account ada", "ada", 129])
  now = 86_400_000 * 130
  expect(args({})).toEqual(["e", "id ada", "ada", 130])
  isNeeded = false
  expect(args({})).toBeUndefined()
})
