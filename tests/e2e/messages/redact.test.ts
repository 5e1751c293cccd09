import {existsSync, readFileSync} from "node:fs"
import {expect, test} from "vitest"
import type {CheckpointDetail} from "../../../shared/api/checkpoint.ts"
import {makeCheckpoint, refusal} from "../../support/checkpoint/checkpoints.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {plainConfig, pluginWith, problemsIn, startHost, type TestHost, tell, until} from "../../support/host/host.ts"

const token = "a-long-token-of-the-test/+="
const config = `${plainConfig.replace("port: 0", "port: 0\n  token: ${HTTP_TOKEN}")}  echo: {}\n`
const echo = pluginWith(`
    plugin.on("message-created", session => {
      if (session.text === "fail") throw new Error("it failed at " + session.text)
      return "got " + session.text
    })`)

const started = (options: Parameters<typeof startHost>[0] = {}) =>
  startHost({
    config,
    plugins: {echo},
    files: {".env": `HTTP_TOKEN=${token}\n`},
    ...options,
    env: {HTTP_TOKEN: token, SVC_HTTP_TOKEN: token},
  })

const occursInFiles = (host: TestHost): readonly string[] =>
  ["", "-wal"]
    .map(end => host.project.path(`.svc/data.sqlite${end}`))
    .filter(file => existsSync(file) && readFileSync(file).includes(token))

const eventsOf = async (host: TestHost) => (await host.get("/api/events/history", {limit: 200})).items

test("a secret in messages is located by row, raises an alert, and blocks archives until it is redacted", async () => {
  const host = await started()
  for (const text of ["before", `my token is ${token}`, "after"]) await host.say(text)
  const {code, stdout} = await runCommand(host.project, "checkpoint create --json")
  const made = JSON.parse(stdout) as CheckpointDetail
  const {items} = await host.get("/api/outbox")
  const reply = items.find(({text}) => text.startsWith("got my"))?.id ?? ""
  expect([code, made.state, made.verification?.warnings.toSorted()]).toEqual([
    0,
    "verified",
    [
      expect.stringMatching(/^inbox 2 .*\bHTTP_TOKEN \(event\)$/),
      expect.stringMatching(`^outbox ${reply} .*HTTP_TOKEN \\(content\\)$`),
    ],
  ])
  await until("the alert", async () =>
    (await eventsOf(host)).some(
      ({type, data}) => type === "log.error" && /"message":"[^"]*inbox 2 holds/.test(JSON.stringify(data)),
    ),
  )
  for (const line of ["checkpoint export newest --output a.tar", "checkpoint create --output b.tar"]) {
    const text = await refusal(host.project, line)
    expect(text).toMatch(/\binbox 2 .*\bHTTP_TOKEN\b/)
    expect(text).toContain("svc inbox redact")
    expect(text).not.toContain(token)
  }
  expect(["a.tar", "b.tar"].filter(name => existsSync(host.project.path(name)))).toEqual([])

  expect(await printed(host.project, "inbox redact 2 --reason typed")).toContain("redacted event 2; ")
  expect(await printedJson(host.project, `outbox redact ${reply}`)).toEqual({erased: "file"})
  expect(occursInFiles(host)).toEqual([])
  const told = (await eventsOf(host)).filter(({type}) => type === "message.redacted").map(({data}) => data)
  expect(told).toContainEqual({sn: 2, message: null, reason: "typed"})
  expect(told).toContainEqual({sn: 2, message: reply, reason: null})
  expect((await host.get("/api/outbox/:id", {id: reply})).text).toBe("[redacted]")
  expect((await host.get("/api/inbox/:seq", {seq: 2})).event).toMatchObject({message: {content: "[redacted]"}})
  // The earlier checkpoint still contains the secret.
  expect(await refusal(host.project, ["checkpoint", "export", made.id, "--output", "c.tar"])).toContain("inbox 2")
  await makeCheckpoint(host.project)
  await printed(host.project, "checkpoint export newest --output d.tar")
  expect(readFileSync(host.project.path("d.tar")).includes(token)).toBe(false)
  expect(await host.say("still")).toEqual(["got still"])
})

test("redacting an event discards its failed handler and erases the error from the event log", async () => {
  const host = await started()
  const sn = await tell(host, {text: "fail"})
  const stateOf = async () => (await host.get("/api/inbox/:seq", {seq: sn})).state
  await until("the handler to fail", async () => (await stateOf()) === "failed")
  await host.post("/api/inbox/:seq/redact", {seq: sn})
  const marks = await host.get("/api/inbox/:seq", {seq: sn})
  expect(marks).toMatchObject({state: "discarded", marks: [{error: null}]})
  const failed = (await eventsOf(host)).filter(({type}) => type === "message.failed")
  expect(failed.map(({data}) => data)).toMatchObject([{error: null}])
  expect(await refusal(host.project, `inbox retry ${sn}`)).toContain("is discarded")
  expect(problemsIn(await refusal(host.project, "inbox redact 99"))).toEqual(["inbox_unknown"])
})
