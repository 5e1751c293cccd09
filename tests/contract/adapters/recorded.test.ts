import {existsSync, readdirSync, readFileSync, statSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {platforms} from "../../../server/adapters/recording/recorder.ts"
import type {Recording} from "../../../server/adapters/recording/recording.ts"
import {script} from "../../../server/adapters/recording/script.ts"
import {replay} from "../../support/adapters/playback.ts"
import {annabel, personal} from "../../support/adapters/recording.ts"
import {differencesOf} from "../../support/adapters/shape.ts"
import {runCommand} from "../../support/host/command-line.ts"
import {startHost} from "../../support/host/host.ts"
import {startProcess, until} from "../../support/host/process.ts"
import {makeProject} from "../../support/host/project.ts"
import {bunOr, root, type TestRuntime, usualRuntime} from "../../support/host/runtimes.ts"
import {shared} from "../../support/host/shared.ts"
import {startTelegram} from "../../support/platforms/fakes.ts"

const token = "999:AbCdEfGh-the-right-token"

const configAt = (address: string) =>
  `http: {port: 0}\nplugins: {telegram: {endpoints: [{id: main, token: "\${TOKEN}", apiRoot: "${address}"}]}}\n`

/** Runs the command at the fake of Telegram, with a person who does the first steps. */
const recordFake = async (runtime: TestRuntime, steps = script.length) => {
  const fake = await startTelegram({token})
  const project = makeProject({config: configAt(fake.url), files: {".env": `TOKEN=${token}\n`}})
  const running = startProcess([...runtime.command, "adapter", "record", "telegram~main"], {cwd: project.folder})
  for (const [index, {name}] of script.slice(0, steps).entries()) {
    await until(`step ${name}`, () => running.output().includes(`${index + 1}/${script.length} `))
    await annabel[name]?.(fake)
  }
  await until("the end of the steps", () =>
    steps === script.length ? true : running.output().includes(`${steps + 1}/${script.length} `),
  )
  const file = project.path("recordings/telegram.json")
  return {fake, running, file, read: () => JSON.parse(readFileSync(file, "utf8")) as Recording}
}

// No account of a real platform exists here. These tests prove the recorder, not the platform.
describe.each(bunOr("node24"))("a recording of the fake of Telegram, on $name", runtime => {
  const whole = shared(async () => {
    const {running, file, read} = await recordFake(runtime)
    return {ended: await running.finished, file, text: readFileSync(file, "utf8"), recording: read()}
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
      ["acts", "done"],
      ["join", "done", "guild-added"],
      ["group", "done", "message-created"],
      ["react", "done", "reaction-added"],
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test("has neither the token nor anything of a person", () => {
    const {text} = whole()
    for (const secret of [token, token.slice(4), ...personal]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/authorization|user-agent/i)
  })

  test("makes the same events when it is replayed", async () => {
    const {recording} = whole()
    const {telegram} = platforms
    if (telegram === undefined) throw new Error("there is no recorder of telegram")
    expect(await replay(recording, telegram)).toEqual(recording.steps.flatMap(({events}) => events))
  })

  test("differs from the fake only where a difference was planted", async () => {
    const {recording} = whole()
    expect(differencesOf(recording, recording)).toEqual([])
    const planted = structuredClone(recording)
    const me = planted.steps[0]?.exchanges[0]?.response as {result: Record<string, unknown>}
    me.result.id = String(me.result.id)
    me.result.has_topics_enabled = {since: 1}
    expect(differencesOf(planted, recording)).toEqual([
      "connect getMe result.id: the platform has string, the fake number",
      "connect getMe result.has_topics_enabled: the platform has object, the fake none",
    ])
  })
})

test("Ctrl-C keeps the steps that were done", async () => {
  const {running, read} = await recordFake(usualRuntime, 2)
  running.child.kill("SIGINT")
  expect((await running.finished).code).toBe(0)
  expect(read().steps.map(({step, ended}) => [step, ended])).toEqual([
    ["connect", "done"],
    ["hello", "done"],
    ["edit", "done"],
    ["press", "skipped"],
  ])
})

test("an endpoint of a running Host is not recorded", async () => {
  const fake = await startTelegram({token})
  const host = await startHost({config: configAt(fake.url), files: {".env": `TOKEN=${token}\n`}})
  const {code, stderr} = await runCommand(host.project, "adapter record telegram~main --json")
  expect([code, JSON.parse(stderr).code]).toEqual([1, "conflict"])
  expect(existsSync(host.project.path("recordings"))).toBe(false)
})

test.each([
  ["irc~main", "unsupported"],
  ["telegram~other", "endpoint_unknown"],
])("%s is refused", async (name, problem) => {
  const project = makeProject({config: configAt("http://127.0.0.1:9"), files: {".env": `TOKEN=${token}\n`}})
  const {code, stderr} = await runCommand(project, `adapter record ${name} --json`)
  expect([code, JSON.parse(stderr).code]).toEqual([1, problem])
})

const folder = join(root, "tests/recordings")
const files = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith(".json")) : []
const recordings = files.map(name => JSON.parse(readFileSync(join(folder, name), "utf8")) as Recording)

// A contributor's recording of the real platform.
describe.runIf(recordings.length > 0).each(recordings)("the recording of $adapter", recording => {
  test("has answers of the same shape as the fake, and the adapter makes the same events of it", async () => {
    const platform = platforms[recording.adapter]
    if (platform === undefined) throw new Error(`there is no recorder of ${recording.adapter}`)
    const {running, read} = await recordFake(usualRuntime)
    await running.finished
    expect(differencesOf(recording, read())).toEqual([])
    const done = recording.steps.flatMap(({step, ended}) => (ended === "done" ? [step] : []))
    const made = read().steps.flatMap(({step, events}) => (done.includes(step) ? events : []))
    expect(new Set(await replay(recording, platform))).toEqual(new Set(made))
  })
})

test("the page on platforms says recorded, with the day, exactly where there is a recording", () => {
  const page = readFileSync(join(root, "docs/adapters/README.md"), "utf8")
  const said = [...page.matchAll(/^\| \[.*?\]\((\w[\w-]*)\.md\)[^|]*\| ([^|]*?) \|/gm)].flatMap(
    ([, adapter = "", how = ""]) => (/^recorded\b/.test(how) ? [`${adapter} ${how}`] : []),
  )
  expect(said.sort()).toEqual(recordings.map(({adapter, recorded}) => `${adapter} recorded ${recorded}`).sort())
})
