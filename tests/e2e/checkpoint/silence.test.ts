import {rmSync} from "node:fs"
import {expect, test} from "vitest"
import {makeCheckpoint, restore} from "../../support/checkpoint/checkpoints.ts"
import {changeDatabase} from "../../support/database/databases.ts"
import {gapsOf, plainConfig, pluginWith, startHost, type TestHost, until, untilGaps} from "../../support/host/host.ts"
import {tell} from "../../support/messages/messages.ts"
import {metricsOf} from "../../support/metrics/metrics.ts"
import {untilOnline} from "../../support/platforms/endpoint.ts"
import {awayPlugin} from "../../support/plugins/away-plugin.ts"
import {notesIn} from "../../support/plugins/plugin-sources.ts"

const config = `${plainConfig}  answers: {}\n`

const answers = pluginWith(`
    plugin.on("message-created", session => {
      note(session.text)
      return "got " + session.text
    })`)

const outboxOf = async (host: TestHost) =>
  (await host.get("/api/outbox")).items.map(({text, state, reason}) => `${text}: ${state} ${reason ?? ""}`.trim())

const inboxOf = async (host: TestHost) =>
  (await host.get("/api/inbox")).items.map(({state, event}) => `${event.message?.content}: ${state}`)

/** A project with two answered messages. `file` is its database. */
const answeredTwice = async () => {
  const host = await startHost({config, plugins: {answers}})
  for (const text of ["one", "two"]) await host.say(text)
  await host.stop()
  return {host, file: host.project.path(".svc/data.sqlite")}
}

test("a restore holds open messages and events until an operator releases them", async () => {
  const {host, file} = await answeredTwice()
  await changeDatabase(file, "UPDATE outbox SET state = 'queued', platform_ids = NULL")
  await changeDatabase(file, "UPDATE inbox_marks SET state = 'pending' WHERE seq = 2")
  await changeDatabase(file, "UPDATE svc_runs SET ended_at = NULL")
  const {id} = await makeCheckpoint(host.project)
  // The first restore changes the authority, so nothing shows which messages were sent since.
  await restore(host.project, id)
  const before = notesIn(host.project)
  const {held} = await restore(host.project, id)
  expect(held).toEqual({outbox: 2, inbox: 1, agents: 0, timers: 0, settled: 0})
  const again = await startHost({project: host.project})
  await again.say("three")
  expect(notesIn(again.project)).toEqual([...before, "three"])
  expect(await outboxOf(again)).toEqual(["got three: sent", "got two: held restored", "got one: held restored"])
  expect(await inboxOf(again)).toEqual(["three: handled", "two: held", "one: handled"])
  await again.post("/api/outbox/:id/release", {id: "held"})
  await again.post("/api/inbox/:seq/release", {seq: "held"})
  await until("the event to be handled", async () => (await inboxOf(again)).every(text => text.endsWith("handled")))
  await until("everything to be sent", async () => (await outboxOf(again)).every(text => text.endsWith("sent")))
  expect(notesIn(again.project)).toEqual([...before, "three", "two"])
})

test("a restore does not hold messages and events that the replaced state completed", async () => {
  const {host, file} = await answeredTwice()
  await changeDatabase(file, "UPDATE outbox SET state = 'queued' WHERE seq = 1")
  await changeDatabase(file, "UPDATE outbox SET state = 'sending' WHERE seq = 2")
  await changeDatabase(file, "UPDATE inbox_marks SET state = 'running'")
  const {id} = await makeCheckpoint(host.project)
  await changeDatabase(file, "UPDATE outbox SET state = 'sent', platform_ids = '[\"1\"]' WHERE seq = 1")
  await changeDatabase(file, "UPDATE inbox_marks SET state = 'handled'")
  const {held} = await restore(host.project, id)
  expect(held).toEqual({outbox: 0, inbox: 0, agents: 0, timers: 0, settled: 4})
  const again = await startHost({project: host.project})
  expect(await outboxOf(again)).toEqual(["got two: unknown", "got one: sent"])
  expect(await inboxOf(again)).toEqual(["two: handled", "one: handled"])
  const sn = await tell(again, {text: "three"})
  expect(sn).toBe(3)
})

const replaying = (slot: string, more = "") =>
  awayPlugin.replace('"away", {', `"${slot}", {${more}`).replace('history: "none"', 'history: "replay"')

test("a restore records one gap for an endpoint whose platform forgets, and an ordinary restart none", async () => {
  const plugins = {repeats: replaying("repeats"), forgets: replaying("forgets", "forgetsAcknowledged: true,")}
  const first = await startHost({own: true, config: `${plainConfig}  repeats: {}\n  forgets: {}\n`, plugins})
  const {project} = first
  await untilOnline(first)
  const online = Date.now()
  await first.say("one")
  await first.stop("SIGKILL")
  const newest = await makeCheckpoint(project)
  await restore(project, newest.id)
  const restarted = await startHost({own: true, project})
  await untilOnline(restarted)
  await restarted.say("two")
  expect(await gapsOf(restarted)).toEqual([])
  const {id} = await makeCheckpoint(project)
  const made = Date.now()
  await restarted.say("three")
  await restarted.stop()

  project.write("away", "")
  await restore(project, id)
  for (let n = 0; n < 2; n++) {
    const killed = await startHost({own: true, project})
    expect(await gapsOf(killed)).toMatchObject([{endpoint: "forgets", reason: "host_ended", to: null, planned: false}])
    await killed.stop("SIGKILL")
  }
  rmSync(project.path("away"))
  const back = Date.now()
  const host = await startHost({own: true, project})
  const gaps = await untilGaps(host, 1)
  expect(gaps).toMatchObject([{endpoint: "forgets", reason: "host_ended", backfill: null}])
  expect(Date.parse(gaps[0]?.from ?? "")).toBeLessThanOrEqual(made)
  expect(Date.parse(gaps[0]?.from ?? "")).toBeGreaterThanOrEqual(online - 10_000)
  expect(Date.parse(gaps[0]?.to ?? "")).toBeGreaterThanOrEqual(back)
  const labels = {endpoint: "forgets", owner: "root/forgets", planned: "false"}
  expect((await metricsOf(host)).value("svc_endpoint_gaps_total", labels)).toBe(1)
  await host.stop()
  const last = await startHost({project})
  await untilOnline(last)
  await last.say("four")
  expect(await gapsOf(last)).toEqual(gaps)
})

test("an event-stream client from before the restore receives a gap with the new epoch", async () => {
  const host = await startHost({config, plugins: {answers}})
  await host.say("one")
  const {id} = await makeCheckpoint(host.project)
  const history = await host.get("/api/events/history")
  await host.stop()
  await restore(host.project, id)
  const again = await startHost({project: host.project})
  const abort = new AbortController()
  const response = await again.fetch("/api/events", {
    headers: {"last-event-id": history.items.at(-1)?.id ?? ""},
    signal: abort.signal,
  })
  let text = ""
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  while (!text.includes("event: gap")) text += (await reader?.read())?.value ?? ""
  abort.abort()
  expect(text).toMatch(/event: gap\ndata: .*"reason":"epoch_changed"/)
})
