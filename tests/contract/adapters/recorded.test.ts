import {existsSync, readdirSync, readFileSync, statSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import type {RecordedPlatform} from "../../../server/adapters/recording/platform.ts"
import {platforms} from "../../../server/adapters/recording/recorder.ts"
import type {Recording} from "../../../server/adapters/recording/recording.ts"
import {script} from "../../../server/adapters/recording/script.ts"
import {replay} from "../../support/adapters/playback.ts"
import {annabelOn, personal, type RecordedFake} from "../../support/adapters/recording.ts"
import {differencesOf} from "../../support/adapters/shape.ts"
import {runCommand} from "../../support/host/command-line.ts"
import {startHost} from "../../support/host/host.ts"
import {startProcess, until} from "../../support/host/process.ts"
import {makeProject} from "../../support/host/project.ts"
import {bunOr, root, type TestRuntime, usualRuntime} from "../../support/host/runtimes.ts"
import {shared} from "../../support/host/shared.ts"

type Adapter = keyof typeof annabelOn
const adapters = Object.keys(annabelOn) as Adapter[]

/** A project with one account at a fake, and the environment that it needs. */
const projectAt = ({account, secrets}: Pick<RecordedFake, "account" | "secrets">, adapter: string) => {
  const variables = Object.keys(secrets).map(key => [key, `\${${key.toUpperCase()}}`])
  const endpoint = {id: "main", ...account, ...Object.fromEntries(variables)}
  const config = {http: {port: 0}, plugins: {[adapter]: {endpoints: [endpoint]}}}
  const lines = Object.entries(secrets).map(([key, value]) => `${key.toUpperCase()}=${value}\n`)
  return {config: JSON.stringify(config), files: {".env": lines.join("")}}
}

/** Runs the command at the fake of a platform, with a person who does the first steps. */
const recordFake = async (adapter: Adapter, runtime: TestRuntime, steps = script.length) => {
  const fake = await annabelOn[adapter]()
  const project = makeProject(projectAt(fake, adapter))
  const running = startProcess([...runtime.command, "adapter", "record", `${adapter}~main`], {cwd: project.folder})
  const untilStep = (step: number) =>
    until(`step ${step}`, () => running.output().includes(`${step}/${script.length} `))
  for (const [index, {name}] of script.slice(0, steps).entries()) {
    await untilStep(index + 1)
    await fake.acts[name]?.()
  }
  if (steps < script.length) await untilStep(steps + 1)
  const file = project.path(`recordings/${adapter}.json`)
  return {fake, running, file, read: () => JSON.parse(readFileSync(file, "utf8")) as Recording}
}

const platformOf = (adapter: string): RecordedPlatform => {
  const found = platforms[adapter]
  if (found === undefined) throw new Error(`there is no recorder of ${adapter}`)
  return found
}

// No account of a real platform exists here. These tests prove the recorder, not the platform.
describe.each(bunOr("node24").flatMap(runtime => adapters.map(adapter => ({adapter, runtime, name: runtime.name}))))(
  "a recording of the fake of $adapter, on $name",
  ({adapter, runtime}) => {
    const whole = shared(async () => {
      const {fake, running, file, read} = await recordFake(adapter, runtime)
      return {ended: await running.finished, fake, file, text: readFileSync(file, "utf8"), recording: read()}
    })

    test("has every step of the script with its events", () => {
      const {ended, recording, file} = whole()
      expect(ended.code).toBe(0)
      expect(recording.steps.map(({step, ended: how, events}) => [step, how, ...events])).toEqual([
        ["connect", "done"],
        ["hello", "done", "message-created"],
        ["edit", "done", "message-updated"],
        ["press", "done", "interaction/button"],
        ["file", "done", "message-created"],
        ["acts", "done", ...(adapter === "discord" ? ["message-deleted"] : [])],
        ["join", "done", "guild-added"],
        ["group", "done", "message-created"],
        ["react", "done", "reaction-added"],
      ])
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })

    test("has neither the secrets nor anything of a person", () => {
      const {text, fake} = whole()
      for (const secret of [...Object.values(fake.secrets), ...personal]) expect(text).not.toContain(secret)
      expect(text).not.toMatch(/authorization|user-agent/i)
    })

    test("makes the same events when it is replayed", async () => {
      const {recording} = whole()
      expect(await replay(recording, platformOf(adapter))).toEqual(recording.steps.flatMap(({events}) => events))
    })

    test("differs from the fake only where a difference was planted", () => {
      const {recording} = whole()
      expect(differencesOf(recording, recording)).toEqual([])
      const planted = structuredClone(recording)
      const exchange = planted.steps[1]?.exchanges.find(({response}) => response !== null)
      Object.assign(exchange?.response ?? {}, {planted: {below: 1}})
      expect(differencesOf(planted, recording)).toEqual([
        `hello ${exchange?.method} planted: the platform has object, the fake none`,
      ])
    })
  },
)

test("Ctrl-C keeps the steps that were done", async () => {
  const {running, read} = await recordFake("telegram", usualRuntime, 2)
  running.child.kill("SIGINT")
  expect((await running.finished).code).toBe(0)
  expect(read().steps.map(({step, ended}) => [step, ended])).toEqual([
    ["connect", "done"],
    ["hello", "done"],
    ["edit", "done"],
    ["press", "skipped"],
  ])
})

test("Enter skips a step", async () => {
  const project = makeProject(projectAt(await annabelOn.telegram(), "telegram"))
  const enter = `until grep -q "$n/${script.length} " told; do sleep 0.05; done; echo`
  const numbers = script.map((_, index) => index + 1).join(" ")
  const command = [...usualRuntime.command, "adapter record telegram~main 2>told"].join(" ")
  const lines = `touch told; { for n in ${numbers}; do ${enter}; done; }`
  const {code} = await startProcess(["sh", "-c", `${lines} | ${command}`], {cwd: project.folder}).finished
  const {steps} = JSON.parse(project.read("recordings/telegram.json")) as Recording
  const skipped = steps.flatMap(({step, ended}) => (ended === "skipped" ? [step] : []))
  expect([code, ...skipped]).toEqual([0, ...script.flatMap(({name, until}) => (until === undefined ? [] : [name]))])
})

test("an endpoint of a running Host is not recorded", async () => {
  const host = await startHost(projectAt(await annabelOn.telegram(), "telegram"))
  const {code, stderr} = await runCommand(host.project, "adapter record telegram~main --json")
  expect([code, JSON.parse(stderr).code]).toEqual([1, "conflict"])
  expect(existsSync(host.project.path("recordings"))).toBe(false)
})

test.each([
  ["irc~main", "unsupported"],
  ["telegram~other", "endpoint_unknown"],
])("%s is refused", async (name, problem) => {
  const project = makeProject(projectAt({account: {}, secrets: {token: "999:token"}}, "telegram"))
  const {code, stderr} = await runCommand(project, `adapter record ${name} --json`)
  expect([code, JSON.parse(stderr).code]).toEqual([1, problem])
})

test("an account that the platform refuses is not recorded", async () => {
  const {account} = await annabelOn.telegram()
  const project = makeProject(projectAt({account, secrets: {token: "999:another-token"}}, "telegram"))
  const {code, stderr} = await runCommand(project, "adapter record telegram~main --json")
  expect([code, JSON.parse(stderr).code]).toEqual([1, "request_invalid"])
})

const folder = join(root, "tests/recordings")
const files = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith(".json")) : []
const recordings = files.map(name => JSON.parse(readFileSync(join(folder, name), "utf8")) as Recording)

// A contributor's recording of the real platform.
describe.runIf(recordings.length > 0).each(recordings)("the recording of $adapter", recording => {
  test("has answers of the same shape as the fake, and the adapter makes the same events of it", async () => {
    const {running, read} = await recordFake(recording.adapter as Adapter, usualRuntime)
    await running.finished
    expect(differencesOf(recording, read())).toEqual([])
    const done = recording.steps.flatMap(({step, ended}) => (ended === "done" ? [step] : []))
    const made = read().steps.flatMap(({step, events}) => (done.includes(step) ? events : []))
    expect(new Set(await replay(recording, platformOf(recording.adapter)))).toEqual(new Set(made))
  })
})

test("the page on platforms says recorded, with the day, exactly where there is a recording", () => {
  const page = readFileSync(join(root, "docs/adapters/README.md"), "utf8")
  const rows = page.matchAll(/^\| \[.*?\]\((\w[\w-]*)\.md\)[^|]*\| ([^|]*?) \|/gm)
  const testedWith = new Map(Array.from(rows, ([, adapter = "", how = ""]) => [adapter, how]))
  expect([...testedWith.keys()]).toEqual(expect.arrayContaining(adapters))
  const said = [...testedWith].filter(([, how]) => how.startsWith("recorded"))
  expect(said).toEqual(recordings.map(({adapter, recorded}) => [adapter, `recorded ${recorded}`]))
})
