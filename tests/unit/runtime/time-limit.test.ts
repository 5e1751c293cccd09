import {stat} from "node:fs/promises"
import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {Running} from "../../../server/runtime/flow/running.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../../server/runtime/flow/time-limit.ts"

const never = new Promise<never>(() => {})

test("work that ends in time returns its result", async () => {
  expect(await withTimeLimit(1000, () => 1)).toBe(1)
  expect(await withTimeLimit(1000, async () => 2)).toBe(2)
})

test("work that throws or rejects passes its error on", async () => {
  const thrown = withTimeLimit(1000, () => {
    throw new Error("thrown")
  })
  await expect(thrown).rejects.toThrow("thrown")
  await expect(withTimeLimit(1000, () => Promise.reject(new Error("rejected")))).rejects.toThrow("rejected")
})

test("at the limit the signal is aborted and the promise rejects, whatever the work does", async () => {
  let seen: AbortSignal | undefined
  const limited = withTimeLimit(10, signal => {
    seen = signal
    return never
  })
  await expect(limited).rejects.toThrow(TimeLimitExceeded)
  await expect(limited).rejects.toThrow("timed out after 0.01 s")
  expect(seen?.aborted).toBe(true)
})

test("the signal of work that ended in time is never aborted", async () => {
  let seen: AbortSignal | undefined
  await withTimeLimit(5, signal => {
    seen = signal
  })
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(seen?.aborted).toBe(false)
})

test("an outer signal ends work with its own reason", async () => {
  const outer = new AbortController()
  let seen: AbortSignal | undefined
  const limited = withTimeLimit(
    1000,
    signal => {
      seen = signal
      return never
    },
    outer.signal,
  )
  outer.abort(new Error("asked to"))
  await expect(limited).rejects.toThrow("asked to")
  expect(seen?.aborted).toBe(true)
})

test("work whose outer signal is already aborted does not start", async () => {
  let begun = false
  const work = () => {
    begun = true
  }
  await expect(withTimeLimit(1000, work, AbortSignal.abort(new Error("too late")))).rejects.toThrow("too late")
  expect(begun).toBe(false)
})

test("work that holds the limit uses up no time, and has all of it again afterwards", async () => {
  const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))
  expect(await withTimeLimit(50, async (_, hold) => hold(sleep(150).then(() => "held")))).toBe("held")
  const after = withTimeLimit(50, async (_, hold) => {
    await Promise.all([hold(sleep(100)), hold(sleep(20))])
    return never
  })
  await expect(after).rejects.toThrow("timed out after 0.05 s")
  const failing = withTimeLimit(50, (_, hold) => hold(Promise.reject(new Error("inside"))).catch(() => never))
  await expect(failing).rejects.toThrow(TimeLimitExceeded)
})

test("while the event loop is blocked, the limit of an end hardly passes", async () => {
  const running = new Running()
  void running.add(async () => {
    await sleep(10)
    await stat(".")
  })
  const ended = running.ends(2000)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
  expect(await ended).toBe(true)
})

test("an end gives up at its limit", async () => {
  const running = new Running()
  const work = Promise.withResolvers<void>()
  void running.add(() => work.promise)
  expect(await running.ends(20)).toBe(false)
  work.resolve()
  expect(await running.ends()).toBe(true)
})
