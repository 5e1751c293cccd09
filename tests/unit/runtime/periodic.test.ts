import {expect, onTestFinished, test, vi} from "vitest"
import {repeat} from "../../../server/runtime/flow/periodic.ts"

test("work at whole seconds shares one timer, which ends with the last of it", () => {
  vi.useFakeTimers({toFake: ["setInterval", "clearInterval", "performance"]})
  onTestFinished(() => void vi.useRealTimers())
  const runs = {quick: 0, each: 0, fifth: 0}
  const count = (name: keyof typeof runs) => () => {
    runs[name]++
  }
  const endEach = repeat(1000, count("each"))
  vi.advanceTimersByTime(1500)
  const endFifth = repeat(5000, count("fifth"))
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(10_000)
  expect(runs).toEqual({quick: 0, each: 11, fifth: 2})
  endEach()
  const endQuick = repeat(200, count("quick"))
  vi.advanceTimersByTime(1000)
  expect([runs, vi.getTimerCount()]).toEqual([{quick: 5, each: 11, fifth: 2}, 2])
  endQuick()
  endFifth()
  expect(vi.getTimerCount()).toBe(0)
})
