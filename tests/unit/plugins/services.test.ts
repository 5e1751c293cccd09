import {writeFileSync} from "node:fs"
import {expect, test} from "vitest"
import {collectRegistrations} from "../../../server/generation/instances/registrations.ts"
import {guardService} from "../../../server/generation/plugins/guard.ts"
import {findSharedState, stateIn} from "../../../server/generation/shared-state.ts"
import type {plugin as testing} from "../../../server/testing/testing.ts"
import {definePlugin, type Plugin, service} from "../../../shared/sdk/sdk.ts"
import {makeFolder} from "../../support/host/project.ts"

const clock = service<{now(): number}>("clock")

test("a service is typed in provide, in setup and in stand-ins", () => {
  const digest = definePlugin({
    uses: {clock},
    setup(plugin, _config, services) {
      const now: number = services.clock.now()
      plugin.log.info(String(now))
      // @ts-expect-error: no such method
      services.clock.later?.()
      // @ts-expect-error: no such service
      services.calendar?.()
    },
  })
  const provide = (plugin: Plugin) => {
    plugin.provide(clock, {now: () => 1})
    // @ts-expect-error: now returns a number
    plugin.provide(clock, {now: () => "noon"})
    // @ts-expect-error: now is missing
    plugin.provide(clock, {})
  }
  const standIn = (plugin: typeof testing) => [
    plugin.test(digest, {services: {clock: {now: () => 1}}}, () => {}),
    // @ts-expect-error: now returns a number
    plugin.test(digest, {services: {clock: {now: () => "noon"}}}, () => {}),
  ]
  expect([digest.uses?.clock.name, provide.length, standIn.length]).toEqual(["clock", 1, 1])
  expect(() => service("a b")).toThrow('service("a b"): 1 to 64 letters')
  expect(() => definePlugin({uses: {clock: "clock" as never}, setup: () => {}})).toThrow(/\buses\.clock\b/)
})

test("provide accepts an object or a function, once for each name, in setup", () => {
  const {declaring, close} = collectRegistrations("root/bot")
  const now = () => 1
  declaring.provide(clock, {now})
  declaring.provide("now", now)
  expect(() => declaring.provide("clock", {})).toThrow('provide("clock") is called twice')
  expect(() => declaring.provide("text", "no" as never)).toThrow(/\bobject\b.*\bfunction\b/)
  expect(() => declaring.provide("a b", {})).toThrow("letters, digits, _ and - only")
  expect([...close().services.keys()]).toEqual(["clock", "now"])
  expect(() => declaring.provide("late", {})).toThrow(/^provide\(\) .*\bsetup\b/)
})

test("a guarded service is unchanged, follows its provider's rules, and is read-only", () => {
  class Counter {
    #count = 0
    readonly step = 2
    add() {
      this.#count += this.step
      return this.#count
    }
  }
  let isOver = false
  const call = <T>(work: () => T): T => {
    if (isOver) throw new Error("it has ended")
    return work()
  }
  const counter = guardService(Object.freeze(new Counter()), call) as Counter
  const {add} = counter
  expect([counter.add(), add(), counter.step, counter instanceof Counter]).toEqual([2, 4, 2, true])
  expect(counter.add).toBe(add)
  expect([Object.keys(counter), "add" in counter]).toEqual([["step"], true])
  expect(() => Object.assign(counter, {step: 3})).toThrow(TypeError)
  const twice = guardService((n: number) => 2 * n, call) as (n: number) => number
  expect(twice(2)).toBe(4)
  isOver = true
  for (const use of [add, () => counter.step, () => twice(2)]) expect(use).toThrow("it has ended")
})

test("state of a module is found at its top level", () => {
  const states = [
    "let count = 0",
    "export var last: string | undefined",
    "const seen = new Set<string>()",
    "export const cache: Map<string, string> = new Map()",
    "const client = new Client(url)",
    "const list: string[] = []",
    "const table = {}",
  ]
  expect(stateIn(states.join("\n"))).toEqual(["count", "last", "seen", "cache", "client", "list", "table"])
  const constants = [
    'import {service} from "svc-runtime"',
    "export const limit = 3",
    'export const clock = service<Clock>("clock")',
    'const known = new Set(["a"])',
    "const format = new Intl.NumberFormat()",
    "const table = {a: 1}",
    "export const count = () => {\n  let n = 0\n  return n\n}",
    "export type Let = {}",
  ]
  expect(stateIn(constants.join("\n"))).toEqual([])
})

test("state is shared by plugins of different files, but not by instances of one or through a package", async () => {
  const project = makeFolder()
  writeFileSync(`${project}/counter.ts`, "let count = 0\n")
  const files = [`${project}/counter.ts`, `${project}/node_modules/x/index.js`, "/elsewhere.ts"]
  const [one, two] = ["one", "two"].map(name => ({name, from: `plugins/${name}.ts`, files}))
  if (one === undefined || two === undefined) throw new Error("there are two")
  expect(await findSharedState(project, [one, one])).toEqual([])
  expect(await findSharedState(project, [one, two, one])).toEqual([
    expect.stringMatching(/^counter\.ts .*\bcount\b.*\bone and two\b/),
  ])
})
