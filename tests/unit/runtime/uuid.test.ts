import {afterEach, expect, test, vi} from "vitest"

const now = Date.UTC(2026, 0, 1)
const layout = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3}-[0-9a-f]{12})$/
const timeIn = (id = "") => Number.parseInt(id.replace(layout, "$1$2"), 16)

/** A generator without earlier ids, as in another process. */
const start = async () => {
  vi.resetModules()
  return (await import("../../../server/runtime/uuid.ts")).uuid
}

afterEach(() => {
  vi.useRealTimers()
})

test("ids sort in the order of their making, in one millisecond, when the clock goes back and later", async () => {
  vi.useFakeTimers({toFake: ["Date"], now})
  const uuid = await start()
  const ids = [now, now - 60_000, now + 1, now + 1000].flatMap(time => {
    vi.setSystemTime(time)
    return Array.from({length: 5000}, uuid)
  })
  expect(ids.filter(id => !layout.test(id))).toEqual([])
  expect(ids).toEqual([...new Set(ids)].sort())
  expect([0, 4095, 4096, 10_000, 15_000].map(n => timeIn(ids[n]) - now)).toEqual([0, 0, 1, 2, 1000])
})

test("no random part repeats, not even in two processes with the same clock", async () => {
  vi.useFakeTimers({toFake: ["Date"], now})
  const ids = [...Array.from({length: 10_000}, await start()), ...Array.from({length: 10_000}, await start())]
  expect(timeIn(ids[0])).toBe(timeIn(ids[10_000]))
  expect(new Set(ids.map(id => id.replace(layout, "$4"))).size).toBe(ids.length)
})
