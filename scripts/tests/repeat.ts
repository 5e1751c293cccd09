import {spawnSync} from "node:child_process"
import {mkdtempSync, readFileSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {root} from "../root.ts"
import {byFile, type FailedFile, readFailures, titleOf} from "./failure.ts"
import {testEnvironment, vitest, vitestOnBun} from "./programs.ts"

/** The most unsteady files (failed, then passed alone) with which a run still passes. */
const mostUnsteady = 3

/** The most files that are run again. When more have failed, the fault is not one of timing. */
const mostRepeated = 12

/** The most output of a repeated file, in bytes. */
const mostOutput = 64 * 1024 ** 2

/** How a file that failed ended when it ran alone. */
export interface Repeated {
  readonly passed: boolean
  readonly output: string
}

export interface Verdict {
  /** Whether the run of all tests has passed. */
  readonly passed: boolean
  readonly report: string
}

/** Runs a file without other tests beside it, with the same seed (`SVC_TEST_SEED`). */
const runAlone = ({file, onBun}: FailedFile, cwd: string): Repeated => {
  const folder = mkdtempSync(join(tmpdir(), "svc-repeat-"))
  const report = join(folder, "report.json")
  const reporters = ["--reporter", "default", "--reporter", "json", `--outputFile.json=${report}`]
  const [command = "", ...args] = [...(onBun ? vitestOnBun : vitest), file, ...reporters]
  const {status, stdout, stderr} = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: mostOutput,
    env: testEnvironment,
  })
  // Vitest also exits with 0 if it skips all tests.
  const passed = status === 0 && passedTests(report) > 0
  rmSync(folder, {recursive: true})
  return {passed, output: `${stdout}${stderr}`}
}

const passedTests = (report: string): number => {
  const {numPassedTests}: {numPassedTests: number} = JSON.parse(readFileSync(report, "utf8"))
  return numPassedTests
}

/**
 * Runs each failed file once more, and judges the run: a file that fails twice fails it, and so do more than
 * `mostUnsteady` files that pass the second time. The report lists the unsteady ones last, with both outputs.
 */
export const judge = (files: readonly FailedFile[], repeat: (file: FailedFile) => Repeated): Verdict => {
  const isRepeatable = ({file}: FailedFile) => file !== "" && files.length <= mostRepeated
  const ended = files.map(failed => ({failed, again: isRepeatable(failed) ? repeat(failed) : undefined}))
  const unsteady = ended.filter(({again}) => again?.passed === true)
  const failed = ended.filter(({again}) => again?.passed !== true)
  const lines = [
    ...(failed.length === 0 ? [] : [`\nFailed: ${count(failed.length)}`, ...failed.map(tell)]),
    ...(unsteady.length === 0 ? [] : [`\nUnsteady: ${count(unsteady.length)} ${allowance}`, ...unsteady.map(tell)]),
  ]
  return {passed: failed.length === 0 && unsteady.length <= mostUnsteady, report: lines.join("\n")}
}

const allowance = `failed and passed alone (a run passes with at most ${mostUnsteady})`

const count = (files: number) => `${files} ${files === 1 ? "file" : "files"}`

const indent = (text: string) => text.trimEnd().replace(/^/gm, "    ")

const tell = ({failed: {file, onBun, failures}, again}: {failed: FailedFile; again: Repeated | undefined}): string => {
  const first = failures.map(failure => `\n  ${titleOf(failure)}\n${indent(failure.output)}`).join("\n")
  const title = `\n  ${file || "vitest"}${onBun ? " (on Bun)" : ""}`
  if (again === undefined) return `${title}, not repeated:${first}`
  return `${title}, first:${first}\n\n  then, alone:\n${indent(again.output)}`
}

/**
 * Judges the failures that the steps of a run left in a folder, deletes the folder and prints the report. Returns whether
 * the run has passed.
 */
export const repeatFailures = (folder: string, repository = root): boolean => {
  const files = byFile(readFailures(folder))
  rmSync(folder, {recursive: true, force: true})
  const {passed, report} = judge(files, file => runAlone(file, repository))
  if (report !== "") process.stdout.write(`${report}\n`)
  return passed
}
