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

/** One promise that an adapter makes. */
export interface AdapterCheck {
  /** A sentence about the adapter. */
  readonly name: string
  /** Rejects with what is wrong. Resolves to why nothing was checked where the platform cannot show it, else to nothing. */
  run(): Promise<string | undefined>
}

/**
 * The conformance suite of adapters: each check starts the author's platform and a real Host in a process of its own, with
 * the runtime that runs the test. For any test runner: `for (const {name, run} of adapterChecks(mine)) test(name, run)`.
 * A check of what an earlier one has found missing starts no Host.
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
