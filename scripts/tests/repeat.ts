import {spawnSync} from "node:child_process"
import {mkdtempSync, readFileSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {root} from "../root.ts"
import {type Failure, isRepeatable, readFailures, titleOf} from "./failure.ts"
import {testEnvironment, vitest} from "./programs.ts"

/** The most unsteady tests (failed, then passed) with which a run still passes. */
const mostUnsteady = 2

/** The most output of a repeated test, in bytes. */
const mostOutput = 64 * 1024 ** 2

interface Repeated {
  readonly failure: Failure
  readonly passed: boolean
  readonly output: string
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Repeats a failed test, or its whole file if that failed, without other tests beside it. */
const runAlone = (failure: Failure, cwd: string): Repeated => {
  const {file, names} = failure
  const only = names.length === 0 ? [] : ["-t", `${escapeRegExp(names.join(" > "))}$`]
  const folder = mkdtempSync(join(tmpdir(), "svc-repeat-"))
  const report = join(folder, "report.json")
  const reporters = ["--reporter", "default", "--reporter", "json", `--outputFile.json=${report}`]
  const [command = "", ...args] = [...vitest, file, ...only, ...reporters]
  const {status, stdout, stderr} = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: mostOutput,
    env: testEnvironment,
  })
  // Vitest also exits with 0 if no test has that name.
  const passed = status === 0 && passedTests(report) > 0
  rmSync(folder, {recursive: true})
  return {failure, passed, output: `${stdout}${stderr}`}
}

const passedTests = (report: string): number => {
  const {numPassedTests}: {numPassedTests: number} = JSON.parse(readFileSync(report, "utf8"))
  return numPassedTests
}

const print = (text: string) => process.stdout.write(`${text}\n`)

const indent = (text: string) => text.trimEnd().replace(/^/gm, "    ")

const tell = ({failure, output}: Repeated) =>
  print(`\n  ${titleOf(failure)}\n  first:\n${indent(failure.output)}\n  then, alone:\n${indent(output)}`)

/**
 * Repeats the failures in a folder that may be repeated, and deletes the folder. Prints the results at the end. Resolves to
 * false if the run of all tests has failed.
 */
export const repeatFailures = (folder: string, repository = root): boolean => {
  const failures = readFailures(folder)
  rmSync(folder, {recursive: true, force: true})
  const final = failures.filter(failure => !isRepeatable(failure))
  const repeated = failures.filter(isRepeatable).map(failure => runAlone(failure, repository))
  const unsteady = repeated.filter(({passed}) => passed)
  const failed = repeated.filter(({passed}) => !passed)
  if (failures.length === 0) return true
  if (unsteady.length > 0) {
    print(`\nUnsteady: ${unsteady.length} failed and passed alone (a run passes with at most ${mostUnsteady})`)
    for (const each of unsteady) tell(each)
  }
  if (final.length + failed.length > 0) {
    print(`\nFailed: ${final.length + failed.length}`)
    for (const each of failed) tell(each)
    for (const failure of final) print(`\n  ${titleOf(failure)}\n${indent(failure.output)}`)
  }
  return final.length + failed.length === 0 && unsteady.length <= mostUnsteady
}
