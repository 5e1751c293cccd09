import {appendFileSync, readFileSync, rmSync} from "node:fs"
import {join} from "node:path"
import {Value} from "typebox/value"
import {expect, test} from "vitest"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {ItemCommand} from "../../../shared/api/item-rules.ts"
import type {Envelope} from "../../../shared/events/event-stream.ts"
import {type EventData, type EventType, eventTypes, isEventType} from "../../../shared/events/events.ts"
import {restore} from "../../support/checkpoint/checkpoints.ts"
import {readHistoryOf} from "../../support/events/reader.ts"
import {makeGitProject} from "../../support/host/git-project.ts"
import {plainConfig, pluginWith, posting, root, startHost, type TestHost, until} from "../../support/host/host.ts"

/** Event types that no test here raises, each with the file that tests it. A new type needs an entry or a test. */
const elsewhere: Partial<Record<EventType, string>> = {
  "host.blocked": "e2e/host/watchdog.test.ts",
  "database.migrated": "e2e/database/upgrade.test.ts",
  "plugin.migrated": "e2e/plugins/migrations.test.ts",
  "endpoint.gap": "contract/events/log.test.ts",
  "agent.run_queued": "contract/agents/events.test.ts",
  "agent.run_started": "contract/agents/events.test.ts",
  "agent.run_waiting": "contract/agents/events.test.ts",
  "agent.run_held": "contract/agents/events.test.ts",
  "agent.run_succeeded": "contract/agents/events.test.ts",
  "agent.run_failed": "contract/agents/events.test.ts",
  "agent.run_cancelled": "contract/agents/events.test.ts",
  "agent.step": "contract/agents/events.test.ts",
  "agent.approval_asked": "contract/agents/events.test.ts",
  "agent.approval_waiting": "contract/agents/events.test.ts",
  "agent.approval_held": "contract/agents/events.test.ts",
  "agent.approval_approved": "contract/agents/events.test.ts",
  "agent.approval_denied": "contract/agents/events.test.ts",
  "agent.approval_expired": "contract/agents/events.test.ts",
  "agent.approval_cancelled": "contract/agents/events.test.ts",
  "user.approved": "e2e/agents/strangers.test.ts",
  "alert.raised": "e2e/metrics/alerts.test.ts",
  "alert.resolved": "e2e/metrics/alerts.test.ts",
  "checkpoint.uploaded": "e2e/checkpoint/upload.test.ts",
  "message.failed": "contract/events/events.test.ts",
  "message.dead": "contract/events/log.test.ts",
  "message.held": "contract/events/log.test.ts",
  "message.discarded": "contract/events/log.test.ts",
  "message.expired": "contract/inbox/ages.test.ts",
  "message.unknown": "contract/events/log.test.ts",
  "message.send_failed": "contract/events/log.test.ts",
  "message.send_dead": "contract/events/log.test.ts",
  "message.send_held": "contract/events/log.test.ts",
  "message.send_discarded": "contract/events/log.test.ts",
  "message.send_expired": "contract/outbox/age.test.ts",
  "message.redacted": "e2e/messages/redact.test.ts",
  "user.forgotten": "e2e/messages/forget-user.test.ts",
  "retention.dropped": "contract/capacity/retention.test.ts",
  "workroom.item_overdue": "e2e/workroom/workroom.test.ts",
  "job.started": "contract/scheduler/scheduler.test.ts",
  "job.succeeded": "contract/scheduler/scheduler.test.ts",
  "job.failed": "contract/scheduler/scheduler.test.ts",
  "job.cancelled": "contract/events/log.test.ts",
  "job.skipped": "contract/scheduler/scheduler.test.ts",
}

/** The event types that the Hosts of this file have raised. */
const raised = new Set<string>()

/** Returns the whole event history. Expects that each event fits the schema of its type. */
const historyOf = async (host: TestHost): Promise<readonly Envelope[]> => {
  const events = await readHistoryOf(host)
  for (const {type, data} of events) {
    if (!isEventType(type)) throw new Error(`${type} is not in the table`)
    expect([...Value.Errors(eventTypes[type].data, data)]).toEqual([])
    raised.add(type)
  }
  return events
}

const dataOf = async <T extends EventType>(host: TestHost, type: T): Promise<readonly EventData<T>[]> =>
  (await historyOf(host)).filter(event => event.type === type).map(({data}) => data as EventData<T>)

/** Waits until there are `count` events of the type. Returns the data of the newest. */
const told = async <T extends EventType>(host: TestHost, type: T, count = 1): Promise<EventData<T>> => {
  const [newest] = (
    await until(`${type}`, async () => {
      const found = await dataOf(host, type)
      return found.length >= count && found
    })
  ).slice(-1)
  if (newest === undefined) throw new Error(`no ${type}`)
  return newest
}

/** Posts until the Host accepts: a checkpoint's event is recorded shortly before the next one may start. */
const postOnceFree = (host: TestHost, path: string, body: object = {}) =>
  until(`${path} to be accepted`, async () => {
    const response = await host.fetch(path, posting(body))
    const text = await response.text()
    if (!response.ok && !text.includes('"checkpoint_busy"')) throw new Error(text)
    return response.ok
  })

const storm = pluginWith(`
    let n = 0
    plugin.on("message-created", session => {
      for (let left = Number(session.text); left > 0; left--) plugin.log.error("storm " + n++)
    })`)

const config = `${plainConfig}  storm: {}\n`

test("a storm of log errors is recorded in part, and each event counts the suppressed ones", async () => {
  const host = await startHost({config, plugins: {storm}})
  await host.say("60")
  await told(host, "log.error", 20)
  await until("an event with suppressed errors", async () => {
    await host.say("1")
    return (await dataOf(host, "log.error")).some(({suppressed}) => suppressed > 0)
  })
  const events = await dataOf(host, "log.error")
  let before = 0
  for (const {level, message, plugin, suppressed} of events) {
    before += suppressed
    expect({level, message, plugin}).toEqual({level: "error", message: `storm ${before}`, plugin: "storm"})
    before++
  }
  expect(events.filter(({message}) => Number(message.slice(6)) < 60).length).toBeLessThan(30)
})

test("broken configuration and code, plugin states and a restart are recorded as events", async () => {
  const host = await startHost({config, plugins: {storm}})
  expect(await told(host, "plugin.state", 2)).toMatchObject({state: "active"})
  expect(await dataOf(host, "plugin.state")).toContainEqual({
    plugin: "storm",
    instance: expect.any(String),
    state: "active",
  })

  host.project.write("plugins/storm.ts", "export default {\n  setup( {\n")
  // The Host may read a file before it is completely written.
  const failed = await until("the failure", async () =>
    (await dataOf(host, "generation.failed")).find(({issues: [first]}) => (first?.line ?? 0) > 1),
  )
  expect(failed).toMatchObject({code: "plugin_invalid", issues: [{file: "plugins/storm.ts"}]})
  expect(failed.issues[0]).toMatchObject({line: expect.any(Number), column: expect.any(Number)})
  expect(await dataOf(host, "configuration.refused")).toEqual([])

  host.project.write("plugins/storm.ts", storm)
  host.project.write("svc.config.yml", `${config}htpp: {}\n`)
  const isOfKey = ({issues: [first]}: EventData<"configuration.refused">) => first?.path === "htpp"
  const refused = await until("the refusal", async () => (await dataOf(host, "configuration.refused")).find(isOfKey))
  expect(refused).toMatchObject({
    code: "config_invalid",
    issues: [{file: "svc.config.yml", line: 6, column: 1, path: "htpp"}],
  })
  const refusedDraft = await until("the draft", async () => (await dataOf(host, "generation.failed")).findLast(isOfKey))
  expect(refusedDraft.issues).toEqual(refused.issues)

  host.project.write("svc.config.yml", plainConfig)
  await until("the plugin to be removed", async () =>
    (await dataOf(host, "plugin.state")).some(({plugin, state}) => plugin === "storm" && state === "disposed"),
  )
  await host.post("/api/system/restart", {body: {confirm: true}})
  expect((await host.process.finished).code).toBe(51)
  const again = await startHost({project: host.project})
  expect(await told(again, "restart.asked")).toEqual({code: 51, reason: "restart requested"})
  const types = (await historyOf(again)).map(({type}) => type)
  expect(types.indexOf("restart.asked")).toBeLessThan(types.indexOf("host.stopping"))
})

test("changes of work items, ingress, checkpoints and releases are recorded as events", async () => {
  const project = makeGitProject({
    config: `${plainConfig}workroom:\n  store: database\n`,
    files: {"bun.lock": "locked"},
  })
  const host = await startHost({project})
  await host.say("/help")
  const act = (id: number, what: ItemCommand, expectedRevision: number, more = {}) =>
    host.post(`/api/workroom/items/:id/${what}`, {id, body: {expectedRevision, ...more}})
  for (const title of ["one", "two"]) await host.post("/api/workroom/items", {body: {title}})
  await act(1, "claim", 1, {assignee: "user:ada"})
  await act(1, "block", 2, {reason: "ink"})
  await act(1, "unblock", 3)
  await act(1, "review", 4)
  await act(1, "accept", 5)
  await act(2, "comment", 1, {text: "no"})
  await act(2, "cancel", 2)
  await told(host, "workroom.item_cancelled")

  await host.post("/api/checkpoints")
  const {checkpoint} = await told(host, "checkpoint.verified")
  project.write("data/schedule-jobs.json", "{")
  await postOnceFree(host, "/api/releases")
  expect(await told(host, "release.begin_failed")).toMatchObject({code: "checkpoint_failed"})
  expect(await told(host, "checkpoint.failed")).toMatchObject({code: "checkpoint_failed"})
  rmSync(project.path("data/schedule-jobs.json"))
  await until("the release to begin", async () => {
    if ((await dataOf(host, "release.begun")).length > 0) return true
    await host.fetch("/api/releases", {method: "POST"})
    return false
  })
  const step = {name: "test" as const, ok: true, skipped: false, seconds: 1, command: "bun test", detail: ""}
  await host.post("/api/releases/verification", {
    body: {commit: project.git("rev-parse", "HEAD"), ok: true, steps: [step]},
  })
  expect(await told(host, "release.verified")).toMatchObject({ok: true, failed: null})
  await host.post("/api/releases/complete", {body: {acceptedBy: "dana", window: "0s"}})
  await told(host, "release.completed")
  await postOnceFree(host, "/api/releases")
  await told(host, "release.begun", 2)
  await host.post("/api/releases/abort", {body: {reason: "not today"}})
  expect(await told(host, "release.aborted")).toMatchObject({reason: "not today"})
  await told(host, "ingress.resumed")

  await host.stop()
  await restore(project, checkpoint)
  const next = await startHost({project})
  expect(await told(next, "checkpoint.restored")).toMatchObject({checkpoint})
  const folder = project.path(".svc/checkpoints", checkpoint)
  const {files} = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest
  appendFileSync(join(folder, files[0]?.path ?? ""), "more")
  await postOnceFree(next, `/api/checkpoints/${checkpoint}/verify`)
  await told(next, "checkpoint.refused")
  await postOnceFree(next, "/api/checkpoints/prune", {keep: 1})
  await told(next, "checkpoint.pruned")
})

test("every event type is raised by a test: in this file, or in the file named above", () => {
  const unseen = Object.keys(eventTypes).filter(type => {
    const file = isEventType(type) ? elsewhere[type] : undefined
    if (file === undefined) return !raised.has(type)
    return !readFileSync(join(root, "tests", file), "utf8").includes(`${type}`)
  })
  expect(unseen).toEqual([])
})
