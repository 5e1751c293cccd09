import {spawnSync} from "node:child_process"
import {symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, onTestFinished, test, vi} from "vitest"
import {type FailedFile, readFailures} from "../../../scripts/tests/failure.ts"
import {testEnvironment, vitest} from "../../../scripts/tests/programs.ts"
import {judge, repeatFailures} from "../../../scripts/tests/repeat.ts"
import {makeFolder} from "../../support/host/project.ts"
import {root} from "../../support/host/runtimes.ts"

const failureOf = (file: string) => ({file, names: ["a test"], output: "it failed", onBun: false})

test("a run of tests that is cut off fails, whatever an earlier run left behind", () => {
  const folder = makeFolder()
  writeFileSync(join(folder, "deployment.json"), JSON.stringify([failureOf("tests/deploy/systemd.test.ts")]))
  const steps = `import {runSteps} from "${root}scripts/tests/steps.ts"
runSteps([{name: "tests", command: ["false"], isTests: true}, {name: "more", command: ["true"]}])`
  const env = {...process.env, SVC_TEST_FAILURES_FOLDER: folder}
  const {status, stdout} = spawnSync(process.execPath, ["--input-type=module", "-e", steps], {env, encoding: "utf8"})
  expect({status, stdout}).toEqual({
    status: 1,
    stdout: expect.stringMatching(/^FAILED: tests \([0-9.]+ s, cores [0-9]+ % busy\)\n$/),
  })
})

const failed = (files: number): readonly FailedFile[] =>
  Array.from({length: files}, (_, n) => {
    const file = `tests/e2e/${n}.test.ts`
    return {file, onBun: false, failures: [failureOf(file)]}
  })

test.each([
  [3, true],
  [4, false],
])("a run in which %i files failed and passed alone has passed: %j", (files, passed) => {
  const verdict = judge(failed(files), () => ({passed: true, output: "it passed"}))
  expect(verdict.passed).toBe(passed)
  expect(verdict.report.split("Unsteady:")[1]).toMatch(/it failed[\s\S]*it passed/)
})

test("a file that fails twice fails the run, before the list of the unsteady ones", () => {
  const {passed, report} = judge(failed(2), ({file}) => ({passed: file.includes("1"), output: "again"}))
  expect(passed).toBe(false)
  expect(report).toMatch(/Failed: 1 file\n[\s\S]*0\.test\.ts[\s\S]*Unsteady: 1 file [\s\S]*1\.test\.ts/)
})

test.each([
  ["more than twelve files", failed(13)],
  ["an error outside of the files", [{file: "", onBun: false, failures: [failureOf("")]}]],
])("%s are not repeated", (_, files) => {
  const {passed, report} = judge(files, () => expect.unreachable())
  expect(passed).toBe(false)
  expect(report).toContain("it failed")
})

/** A repository whose tests fail when they run for the first time, except one that always fails. */
const files = {
  loop: `describe("a kill (1)", () => { test("of [x]", unsteady) })\ntest("the seed", () => {
  expect(\`seed \${process.env.SVC_TEST_SEED}\`).toBe("")
})`,
  before: `beforeAll(() => { if (!isSecond()) throw new Error("gone") })\ntest("a", () => {})`,
  after: `test("a", () => { if (!isSecond()) setTimeout(() => { throw new Error("gone") }) })`,
  skipped: `test.skipIf(isSecond())("a", () => { expect(1).toBe(2) })`,
  killed: `test("a", () => { if (!isSecond()) process.kill(process.pid, "SIGKILL") })`,
}

test("each kind of failure is recorded with its file, which runs once more with the same seed", {
  timeout: 60_000,
}, () => {
  const repository = makeFolder()
  symlinkSync(`${root}node_modules`, join(repository, "node_modules"))
  // Vitest empties the cache beside its packages if a lockfile changed; the run around this test uses that cache.
  writeFileSync(join(repository, "vitest.config.mjs"), "export default {test: {fsModuleCache: false}}\n")
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(
      join(repository, `${name}.test.ts`),
      `import {existsSync, writeFileSync} from "node:fs"
import {beforeAll, describe, expect, test} from "vitest"
const isSecond = () => existsSync("${name}") || (writeFileSync("${name}", ""), false)
const unsteady = () => expect(isSecond()).toBe(true)
${text}`,
    )
  }
  const folder = makeFolder()
  const [command = "", ...args] = [...vitest, "--reporter", `${root}scripts/tests/failure-reporter.ts`]
  const env = {...testEnvironment, SVC_TEST_FAILURES: join(folder, "tests.json")}
  expect(spawnSync(command, args, {cwd: repository, env}).status).toBe(1)
  const recorded = readFailures(folder).map(({file, names}) => [file, ...names])
  expect(recorded.sort()).toEqual([
    ["after.test.ts"],
    ["before.test.ts"],
    ["killed.test.ts"],
    ["loop.test.ts", "a kill (1)", "of [x]"],
    ["loop.test.ts", "the seed"],
    ["skipped.test.ts", "a"],
  ])

  const printed: string[] = []
  const write = vi.spyOn(process.stdout, "write").mockImplementation(text => printed.push(String(text)) > 0)
  onTestFinished(() => write.mockRestore())
  expect(repeatFailures(folder, repository)).toBe(false)
  write.mockRestore()
  expect(printed.join("")).toContain("Failed: 2 files")
  const [failing = "", unsteady = ""] = printed.join("").split("Unsteady: 3 files")
  expect(failing).toContain("1 passed")
  expect(new Set(failing.match(/seed \d+/g))).toEqual(new Set([`seed ${testEnvironment.SVC_TEST_SEED}`]))
  for (const name of ["after", "before", "killed"]) expect(unsteady).toContain(`${name}.test.ts, first:`)
})
