import {raiseTimeLimit} from "../../runtime/engines/test-time-limit.ts"
import type {Check} from "./check.ts"
import {allChecks} from "./checks.ts"
import type {AdapterUnderTest} from "./platform.ts"
import {type Found, openTrial, type Trial} from "./trial.ts"

export type {
  AccountUnderTest,
  AdapterUnderTest,
  FileUnderTest,
  Heard,
  HostAddress,
  HostileAccount,
  HostileAddress,
  PlatformUnderTest,
} from "./platform.ts"

await raiseTimeLimit()

/** One promise of an adapter. */
export interface AdapterCheck {
  /** What the adapter does, as a sentence without its subject. */
  readonly name: string
  /** Rejects with what is wrong. Resolves to why nothing was checked; undefined if it was. */
  run(): Promise<string | undefined>
}

/**
 * The conformance suite for adapters. A check starts the author's platform, and a real Host in a separate process on
 * the runtime that runs the test. It works with any test runner: `for (const {name, run} of adapterChecks(mine))
 * test(name, run)`. With the runner's `afterAll` (`after` of `node:test`), the checks share one platform and Host, one
 * after the other, and start a quarter of the Hosts. A check that needs a feature which an earlier check found missing
 * starts no Host.
 */
export const adapterChecks = (
  adapter: AdapterUnderTest,
  afterAll?: (close: () => Promise<void>) => unknown,
): readonly AdapterCheck[] => {
  const found: Found = {}
  let kept: Trial | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const close = async () => {
    const last = kept
    kept = undefined
    await last?.close()
  }
  const runAlone = async (check: Check) => {
    const trial = await openTrial(adapter, found)
    return check(trial).finally(() => trial.close())
  }
  const runShared = (check: Check) => {
    const next = turn.then(async () => {
      if ((await kept?.continues()) === false) await close()
      kept ??= await openTrial(adapter, found)
      return check(kept)
    })
    turn = next.catch(close)
    return next
  }
  afterAll?.(() => turn.then(close))
  return Object.entries(allChecks).map(([name, check]) => ({
    name,
    run: () => (afterAll === undefined ? runAlone(check) : runShared(check)),
  }))
}
