import {spawnSync} from "node:child_process"
import {mkdtempSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {root} from "../root.ts"
import {isRepeatable, readFailures} from "./failure.ts"
import {testEnvironment} from "./programs.ts"
import {repeatFailures} from "./repeat.ts"

export interface Step {
  readonly name: string
  readonly command: readonly string[]
  /** A run of vitest with the reporters of `withFailures`: what may be run once more does not end the steps. */
  readonly isTests?: boolean
  /** Beside what all tests are started with. */
  readonly env?: Readonly<Record<string, string>>
}

/** Options of vitest: it prints as usual, and leaves the tests that failed in a file. */
export const withFailures = ["--reporter", "default", "--reporter", "./scripts/tests/failure-reporter.ts"] as const

/**
 * Runs them in the repository, in their order; ends the process with the code of the first that fails. Tests that failed and may
 * be run once more are run at the end; where SVC_TEST_FAILURES_FOLDER names a folder they are left there for a later step.
 */
export const runSteps = (steps: readonly Step[]): void => {
  const {SVC_TEST_FAILURES_FOLDER: later} = process.env
  const folder = later ?? mkdtempSync(join(tmpdir(), "svc-failures-"))
  for (const step of steps) {
    const status = runStep(step, folder)
    if (status === 0) continue
    const failures = step.isTests === true ? readFailures(folder) : []
    if (failures.length === 0 || !failures.every(isRepeatable)) process.exit(status)
    process.stdout.write(`${failures.length} of the tests that failed are run once more, alone, at the end\n`)
  }
  if (later === undefined && !repeatFailures(folder)) process.exit(1)
}

const runStep = ({name, command: [command = "", ...args], isTests, env}: Step, folder: string): number => {
  const start = performance.now()
  const failures = isTests === true ? join(folder, `${name.replaceAll(" ", "-")}.json`) : undefined
  const {status} = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: {...testEnvironment, SVC_TEST_FAILURES: failures, ...env},
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(`${status === 0 ? "passed" : "FAILED"}: ${name} (${seconds} s)\n`)
  return status ?? 1
}
