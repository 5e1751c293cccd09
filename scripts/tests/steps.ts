import {spawnSync} from "node:child_process"
import {mkdtempSync, rmSync} from "node:fs"
import {cpus, tmpdir} from "node:os"
import {join} from "node:path"
import {root} from "../root.ts"
import {readFailuresOf} from "./failure.ts"
import {testEnvironment} from "./programs.ts"
import {repeatFailures} from "./repeat.ts"

export interface Step {
  readonly name: string
  readonly command: readonly string[]
  /** Whether it is a run of vitest with the reporters of `withFailures`. Its failed files are repeated at the end. */
  readonly isTests?: boolean
  /** Variables in addition to those of all tests. */
  readonly env?: Readonly<Record<string, string>>
}

/** Options of vitest: it prints as usual, and writes the failed tests to a file. */
export const withFailures = ["--reporter", "default", "--reporter", "./scripts/tests/failure-reporter.ts"] as const

/**
 * Runs the steps in the repository, in order. Exits with the code of the first one that fails. Failed test files run again
 * at the end; if SVC_TEST_FAILURES_FOLDER names a folder, their list is left there for a later step.
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
    // Deletes the file of an earlier run, because an interrupted run leaves none.
    const failures = file === undefined ? [] : readFailuresOf(file)
    if (failures.length === 0) end(status)
    process.stdout.write(`${failures.length} failed: their files run once more, alone, at the end\n`)
  }
  if (later === undefined && !repeatFailures(folder)) end(1)
}

/** Returns how long the machine's cores have been busy until now, summed up, in milliseconds. */
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
