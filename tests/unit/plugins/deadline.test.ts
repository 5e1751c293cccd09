import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {withDeadline} from "../../../shared/sdk/sdk.ts"

const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise(resolve => signal.addEventListener("abort", () => resolve(signal.reason.name ?? signal.reason)))

test("a deadline aborts the work's signal, and the work decides how it ends", async () => {
  expect(await withDeadline(10, untilAborted)).toBe("TimeoutError")
})

test("the outer signal aborts the work with its own reason, before it begins or later", async () => {
  const outer = new AbortController()
  const later = withDeadline(600_000, untilAborted, outer.signal)
  outer.abort("stopped")
  expect(await later).toBe("stopped")
  expect(await withDeadline(1, ({reason}) => sleep(20, reason), outer.signal)).toBe("stopped")
})

test("nothing aborts after the work has ended", async () => {
  const outer = new AbortController()
  const signal = await withDeadline(20, given => given, outer.signal)
  await sleep(60)
  outer.abort()
  expect(signal.aborted).toBe(false)
})
