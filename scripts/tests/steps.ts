import {spawnSync} from "node:child_process"
import {mkdtempSync, rmSync} from "node:fs"
import {cpus, tmpdir} from "node:os"
import {join} from "node:path"
import {root} from "../root.ts"
import {isRepeatable, readFailuresOf} from "./failure.ts"
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
  const end = (status: number): never => {
    if (later === undefined) rmSync(folder, {recursive: true, force: true})
    process.exit(status)
  }
  for (const step of steps) {
    const file = step.isTests === true ? join(folder, `${step.name.replaceAll(" ", "-")}.json`) : undefined
    const status = runStep(step, file)
    if (status === 0) continue
    // A run that was cut off has left no file, and no other run's file answers for it.
    const failures = file === undefined ? [] : readFailuresOf(file)
    if (failures.length === 0 || !failures.every(isRepeatable)) end(status)
    process.stdout.write(`${failures.length} of the tests that failed are run once more, alone, at the end\n`)
  }
  if (later === undefined && !repeatFailures(folder)) end(1)
}

/** For how many milliseconds the cores of the machine have been busy until now, all together. */
const busyTime = (): number => cpus().reduce((sum, {times: {user, nice, sys, irq}}) => sum + user + nice + sys + irq, 0)

const runStep = ({name, command: [command = "", ...args], env}: Step, failures: string | undefined): number => {
  const start = performance.now()
  const busyBefore = busyTime()
  const {status} = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: {...testEnvironment, SVC_TEST_FAILURES: failures, ...env},
  })
  const took = performance.now() - start
  const busy = Math.min(1, (busyTime() - busyBefore) / took / cpus().length)
  const told = `${(took / 1000).toFixed(1)} s, cores ${(busy * 100).toFixed(0)} % busy`
  process.stdout.write(`${status === 0 ? "passed" : "FAILED"}: ${name} (${told})\n`)
  return status ?? 1
}
