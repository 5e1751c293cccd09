import {expect, test} from "vitest"
import {BoundedMap} from "../../../server/runtime/bounded-map.ts"

test("one entry above its limit drops the oldest", () => {
  const map = new BoundedMap<string, number>(2)
  map.set("a", 1).set("b", 2).set("c", 3)
  expect([...map]).toEqual([
    ["b", 2],
    ["c", 3],
  ])
})

test("an entry that is set again is the newest; one that is read keeps its place", () => {
  const map = new BoundedMap<string, number>(2)
  map.set("a", 1).set("b", 2).set("a", 3)
  expect(map.get("b")).toBe(2)
  expect([...map.set("c", 4).keys()]).toEqual(["a", "c"])
})

test("it never holds more than its limit", () => {
  const map = new BoundedMap<number, number>(10)
  for (let entry = 0; entry < 1000; entry++) {
    map.set((entry * 7919) % 31, entry)
    expect(map.size).toBeLessThanOrEqual(10)
  }
})
