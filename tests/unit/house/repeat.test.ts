import {spawnSync} from "node:child_process"
import {mkdirSync, symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, onTestFinished, test, vi} from "vitest"
import {faults} from "../../../scripts/faults/table.ts"
import {isRepeatable, readFailures} from "../../../scripts/tests/failure.ts"
import {vitest} from "../../../scripts/tests/programs.ts"
import {repeatFailures} from "../../../scripts/tests/repeat.ts"
import {makeFolder} from "../../support/host/project.ts"
import {root} from "../../support/host/runtimes.ts"

const failureOf = (file: string) => ({file, names: ["a test"], output: "it failed"})

test.each([
  ...Object.values(faults).flatMap(({files}) => files.map(file => `tests/${file}.test.ts`)),
  "tests/contract/inbox/inbox.test.ts",
  "tests/e2e/checkpoint/checkpoint.test.ts",
  "tests/e2e/messages/outbox.test.ts",
  "tests/e2e/events/stream-clients.test.ts",
  "tests/deploy/daemon.test.ts",
  "tests/deploy/gateway-faults.test.ts",
  "",
])("a failure of %j is never repeated", file => {
  expect(isRepeatable(failureOf(file))).toBe(false)
})

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

describe("a test of the console that fails", () => {
  /** Runs a repository with these console tests once. Returns the failures that it recorded. */
  const run = (tests: string) => {
    const repository = makeFolder()
    symlinkSync(`${root}node_modules`, join(repository, "node_modules"))
    // Vitest empties the cache beside its packages if a lockfile changed; the run around this test uses that cache.
    writeFileSync(join(repository, "vitest.config.mjs"), "export default {test: {fsModuleCache: false}}\n")
    mkdirSync(join(repository, "tests/e2e/console"), {recursive: true})
    const head = `import {existsSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
const isSecond = (name: string) => existsSync(name) || (writeFileSync(name, ""), false)
`
    writeFileSync(join(repository, "tests/e2e/console/a.test.ts"), head + tests)
    const folder = makeFolder()
    const [command = "", ...args] = [...vitest, "--reporter", `${root}scripts/tests/failure-reporter.ts`]
    const env = {...process.env, SVC_TEST_FAILURES: join(folder, "tests.json")}
    expect(spawnSync(command, args, {cwd: repository, env}).status).toBe(1)
    return {repository, folder}
  }

  const repeat = ({repository, folder}: ReturnType<typeof run>) => {
    const printed: string[] = []
    const write = vi.spyOn(process.stdout, "write").mockImplementation(text => printed.push(String(text)) > 0)
    onTestFinished(() => write.mockRestore())
    const passed = repeatFailures(folder, repository)
    write.mockRestore()
    return {passed, printed: printed.join("")}
  }

  const unsteady = (name: string) => `test("${name}", () => expect(isSecond("${name}")).toBe(true))`

  test("but passes alone is listed as unsteady with both outputs, and the run passes", () => {
    const made = run(`describe("a page (1)", () => { ${unsteady("opens + loads [x]")} })\n${unsteady("closes")}`)
    expect(readFailures(made.folder).map(({names}) => names)).toEqual([["a page (1)", "opens + loads [x]"], ["closes"]])
    const {passed, printed} = repeat(made)
    const [, first = "", alone = ""] = printed.split(/ {2}first:| {2}then, alone:/)
    expect(printed).toContain("Unsteady: 2 failed and passed alone")
    expect(printed).toContain("a page (1) > opens + loads [x]\n")
    expect(first).toContain("AssertionError")
    expect(alone).toContain("1 passed")
    expect(passed).toBe(true)
  })

  test("more often than twice fails the run, though each passes alone", () => {
    const {passed, printed} = repeat(run(["a", "b", "c"].map(unsteady).join("\n")))
    expect(printed).toContain("Unsteady: 3")
    expect(passed).toBe(false)
  })

  test("and fails again fails the run", () => {
    const {passed, printed} = repeat(run(`${unsteady("a")}\ntest("b", () => expect(1).toBe(2))`))
    expect(printed).toContain("Unsteady: 1 ")
    expect(printed.split("Failed: 1")[1]).toContain("tests/e2e/console/a.test.ts > b")
    expect(passed).toBe(false)
  })

  test("before its first test fails as a whole file", () => {
    const made = run(`import {beforeAll} from "vitest"
beforeAll(() => { if (!isSecond("seen")) throw new Error("no browser") })
test("never", () => {})`)
    expect(readFailures(made.folder)).toMatchObject([{names: [], output: expect.stringContaining("no browser")}])
    expect(repeat(made).passed).toBe(true)
  })
}, 60_000)
