import {expect, test} from "vitest"
import {expectProblem, pluginWith, posting, startHost, story, type TestHost, until} from "../../support/host/host.ts"
import {messageIn, sendTo} from "../../support/messages/messages.ts"
import {hangingOn, linePlugin, notedBy} from "../../support/plugins/line-plugin.ts"

const config = `http: {port: 0}
plugins: {line: {}}
`
const start = (source: string, own = false) => startHost({own, config, plugins: {line: source}, args: ["--no-watch"]})
const again = (host: TestHost) => startHost({own: true, project: host.project, args: ["--no-watch"]})
const send = (host: TestHost, text: string, channel = "a") => sendTo(host, "line", channel, text)
const attempts = (host: TestHost) => notedBy(host.project).map(({id, channel, text}) => `${id} ${channel} ${text}`)

const hanging = hangingOn("hang")

test("a send interrupted by kill -9 is unknown unless the platform drops repetitions", story, async () => {
  const host = await start(linePlugin(hanging), true)
  const id = await send(host, "hang")
  const waiting = await send(host, "behind it")
  await until("the attempt", () => attempts(host).length === 1)
  await host.stop("SIGKILL")
  const later = await again(host)
  const message = await messageIn(later, id, "unknown")
  expect(message).toMatchObject({attempt: 1, error: expect.stringMatching(/\bmay have arrived\b/)})
  await messageIn(later, waiting, "sent")
  expect(attempts(later)).toEqual([`${id} a hang`, `${waiting} a behind it`])
  await until("the log line about it", () => /\bmay have been sent\b/.test(later.process.output()))
})

test("a message waits across a restart while its endpoint cannot send, and is sent later", async () => {
  const closed = pluginWith(
    'plugin.adapter("line", {history: "none", open: async () => { throw new Error("no route") }})',
  )
  const host = await start(closed)
  const id = await send(host, "hello")
  const {items} = await host.get("/api/endpoints")
  expect(items).toMatchObject([{state: expect.stringMatching(/connecting/), admission: "open"}])
  expect(await messageIn(host, id, "queued")).toMatchObject({attempt: 0})
  await host.stop()
  host.project.write("plugins/line.ts", linePlugin(""))
  expect(await messageIn(await again(host), id, "sent")).toMatchObject({attempt: 1})
})

test("a message to an unknown endpoint is rejected with the names of the known ones", async () => {
  const host = await start(linePlugin(""))
  const response = await host.fetch("/api/outbox", posting({endpoint: "lime", channel: "a", text: "hello"}))
  expect(await expectProblem(response, 404, "endpoint_unknown")).toMatchObject({
    detail: expect.stringContaining("line"),
  })
})

test("a stop does not wait for pending retries, and the next start continues them", async () => {
  const host = await start(linePlugin('throw new Error("not now")'))
  const id = await send(host, "one")
  await until("an attempt to fail", async () => (await messageIn(host, id, "queued")).attempt > 0)
  const {code, stdout} = await host.stop()
  expect(code).toBe(0)
  expect(stdout).not.toContain("were still running")
  const before = attempts(host).length
  host.project.write("plugins/line.ts", linePlugin(""))
  expect(await messageIn(await again(host), id, "sent")).toMatchObject({attempt: before + 1})
})
