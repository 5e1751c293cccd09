import {raiseTimeLimit} from "../time-limit.ts"
import type {Check} from "./check.ts"
import {allChecks} from "./checks.ts"
import type {AdapterUnderTest} from "./platform.ts"
import {type Found, openTrial} from "./trial.ts"

export type {
  AccountUnderTest,
  AdapterUnderTest,
  FileUnderTest,
  Heard,
  HostAddress,
  PlatformUnderTest,
} from "./platform.ts"

await raiseTimeLimit()

/** One promise of an adapter. */
export interface AdapterCheck {
  /** What the adapter does, as a sentence without its subject. */
  readonly name: string
  /**
   * Rejects with what is wrong. Resolves to why nothing was checked if the platform cannot show it, otherwise to
   * undefined.
   */
  run(): Promise<string | undefined>
}

/**
 * The conformance suite for adapters. Each check starts the author's platform, and a real Host in a separate process on
 * the runtime that runs the test. It works with any test runner: `for (const {name, run} of adapterChecks(mine))
 * test(name, run)`. A check that needs a feature which an earlier check found missing starts no Host.
 */
export const adapterChecks = (adapter: AdapterUnderTest): readonly AdapterCheck[] => {
  const found: Found = {}
  return Object.entries(allChecks).map(([name, check]) => ({name, run: () => runCheck(adapter, found, check)}))
}

const runCheck = async (adapter: AdapterUnderTest, found: Found, check: Check) => {
  const trial = await openTrial(adapter, found)
  try {
    return await check(trial)
  } finally {
    await trial.close()
  }
}
