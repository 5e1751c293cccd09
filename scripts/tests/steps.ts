import {spawn} from "node:child_process"
import {once} from "node:events"
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
 * Runs the steps in the repository, in order; those of a list side by side. Exits with 1 at the first that fails. Failed
 * test files run again at the end; if SVC_TEST_FAILURES_FOLDER names a folder, their list is left there for a later step.
 */
export const runSteps = async (steps: readonly (Step | readonly Step[])[]): Promise<void> => {
  const {SVC_TEST_FAILURES_FOLDER: later} = process.env
  const folder = later ?? mkdtempSync(join(tmpdir(), "svc-failures-"))
  for (const step of steps) {
    const ended = Array.isArray(step)
      ? await Promise.all(step.map(each => runStep(each, folder, "pipe")))
      : [await runStep(step as Step, folder, "inherit")]
    if (ended.includes(false)) {
      if (later === undefined) rmSync(folder, {recursive: true, force: true})
      process.exit(1)
    }
  }
  if (later === undefined && !repeatFailures(folder)) process.exit(1)
}

/** Returns how long the machine's cores have been busy until now, summed up, in milliseconds. */
const busyTime = (): number => cpus().reduce((sum, {times: {user, nice, sys, irq}}) => sum + user + nice + sys + irq, 0)

/** Returns whether the steps go on: the step has passed, or it has left failures in the folder to repeat. */
const runStep = async (
  {name, command: [command = "", ...args], env, isTests = false}: Step,
  folder: string,
  output: "inherit" | "pipe",
): Promise<boolean> => {
  const file = isTests ? join(folder, `${name.replaceAll(" ", "-")}.json`) : undefined
  const start = performance.now()
  const busyBefore = busyTime()
  const child = spawn(command, args, {
    cwd: root,
    stdio: ["ignore", output, output],
    env: {...testEnvironment, SVC_TEST_FAILURES: file, ...env},
  })
  const printed: Uint8Array[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", chunk => printed.push(chunk))
  const [code] = await once(child, "close")
  const took = performance.now() - start
  const busy = Math.min(1, (busyTime() - busyBefore) / took / cpus().length)
  const told = `${(took / 1000).toFixed(1)} s, cores ${(busy * 100).toFixed(0)} % busy`
  process.stdout.write(`${Buffer.concat(printed)}${code === 0 ? "passed" : "FAILED"}: ${name} (${told})\n`)
  if (code === 0) return true
  // The file of an interrupted run is missing.
  const failures = file === undefined ? [] : readFailuresOf(file)
  if (failures.length > 0)
    process.stdout.write(`${failures.length} failed: their files run once more, alone, at the end\n`)
  return failures.length > 0
}
