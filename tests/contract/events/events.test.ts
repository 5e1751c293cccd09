import {Value} from "typebox/value"
import {describe, expect, test} from "vitest"
import {HistoryView} from "../../../shared/events/event-stream.ts"
import {eventTypes} from "../../../shared/events/events.ts"
import {readEvents, readHistoryOf} from "../../support/events/reader.ts"
import {expectProblem, isOk, launchHost, makeProject, startHost, type TestHost, until} from "../../support/host/host.ts"
import {onBun, onNode22} from "../../support/host/runtimes.ts"
import {freePort} from "../../support/machine/ports.ts"
import {slowPlugin} from "../../support/plugins/plugin-sources.ts"

const env = {HTTP_TOKEN: "full-token-of-the-test", DEMO_TOKEN: "demo-token-of-the-test"}

const configWith = (more = "", port = 0) => `http: {port: ${port}, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}
messages: {failure: ""}
plugins:
  sandbox: {}
  faulty: {}
${more}`

/** Answers messages, and throws when asked to. */
const faulty = `import {definePlugin} from "svc-runtime"

export default definePlugin({
  setup(plugin) {
    plugin.on("message-created", async session => {
      if (session.text === "fail") throw new Error("a secret reason")
      await session.send("heard")
    })
  },
})
`

const say = (host: TestHost, text: string, channel = "chat") =>
  host.plugin<{sn: number}>("/api/plugins/sandbox/messages", {text, channel})

const offsetOf = (id: string | undefined) => Number(id?.split("-")[1])

describe.each([onBun, ...(onNode22 === undefined ? [] : [onNode22])])("the event stream on $name", runtime => {
  const start = async (more: {config?: string; project?: TestHost["project"]} = {}) => {
    const host = await startHost({runtime, env, config: configWith(), plugins: {faulty}, ...more})
    await until("the event of its start", async () =>
      (await readHistoryOf(host)).some(({type, runtimeId}) => type === "host.started" && runtimeId === host.runtimeId),
    )
    return host
  }

  test("says hello, then sends events in order, each matching the schema of its type", async () => {
    const host = await start()
    const reader = await readEvents(host)
    expect(Object.fromEntries(reader.response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    })
    const hello = await reader.hello()
    expect(hello.recovered).toBe(false)
    expect(hello.head.startsWith(`${hello.epoch}-`)).toBe(true)
    expect(reader.lastId()).toBe(hello.head)
    await say(host, "hello")
    await say(host, "fail")
    await until("the events", () => reader.envelopes().length >= 6)
    const envelopes = reader.envelopes()
    expect(envelopes.map(({type}) => type).sort()).toEqual(
      `log.error message.failed message.handled message.received
      message.received message.sent`.split(/\s+/),
    )
    for (const {type, data, ...rest} of envelopes) {
      expect([...Value.Errors(eventTypes[type].data, data)]).toEqual([])
      expect(rest).toMatchObject({project: "scratch-bot", runtimeId: host.runtimeId, generation: 1})
      expect(rest.endpoint).toBe(type === "log.error" ? undefined : "sandbox")
    }
    expect(envelopes.map(({id}) => offsetOf(id))).toEqual(envelopes.map((_, index) => offsetOf(hello.head) + 1 + index))
    expect(reader.received.slice(1).every(({id, data}) => id === (data as {id: string}).id)).toBe(true)
  })

  test("resumes exactly, by header or query; the header wins", async () => {
    const host = await start()
    for (const text of ["one", "two", "three"]) await say(host, text)
    await until(
      "the answers",
      async () => (await readHistoryOf(host)).filter(({type}) => type === "message.sent").length === 3,
    )
    const history = await readHistoryOf(host)
    const cursor = history[3]?.id ?? ""
    const rest = history.slice(4).map(({id}) => id)
    for (const options of [
      {cursor},
      {query: {last_event_id: cursor}},
      {cursor, query: {last_event_id: history[0]?.id ?? ""}},
      {cursor: "", query: {last_event_id: cursor}},
    ]) {
      const reader = await readEvents(host, options)
      expect((await reader.hello()).recovered).toBe(true)
      await until("the rest", () => reader.envelopes().length >= rest.length)
      expect(reader.envelopes().map(({id}) => id)).toEqual(rest)
      reader.close()
    }
    const reader = await readEvents(host, {cursor: `${history[0]?.id.split("-")[0]}-0`})
    await until("everything", () => reader.envelopes().length >= history.length)
    expect(reader.envelopes()).toEqual(history)
  })

  test("a cursor that cannot be continued gets a gap with its reason, and the stream continues live", async () => {
    const host = await start({config: configWith("events:\n  history: {events: 4}\n")})
    for (let n = 0; n < 4; n++) await host.say("hello")
    const {epoch} = await (await readEvents(host)).hello()
    await until("eviction", async () => {
      const page = await host.get("/api/events/history")
      return page.items.length === 4 && page
    })
    const wanted = {
      [`${epoch}-1`]: "evicted",
      [`${epoch}-999999`]: "ahead",
      "000000000000-3": "epoch_changed",
      "12": "malformed",
    }
    for (const [cursor, reason] of Object.entries(wanted)) {
      const reader = await readEvents(host, {cursor})
      expect((await reader.hello()).recovered).toBe(false)
      const [gap] = await until("the gap", () => reader.gaps().length > 0 && reader.gaps())
      const head = (await host.get("/api/events/history")).head
      expect(gap).toEqual({reason, from: cursor, to: head, resumeAt: head})
      expect(reader.received.find(({event}) => event === "hello")?.id).toBeUndefined()
      expect(reader.lastId()).toBe(head)
      // Waits for the answer: the log adds nothing more for it.
      expect(await host.say("again")).toEqual(["heard"])
      await until("the next event", () => reader.envelopes().length > 0)
      expect(offsetOf(reader.envelopes()[0]?.id)).toBe(offsetOf(head) + 1)
      reader.close()
    }
  })

  test("filters by type, by prefix and by endpoint; an unknown type is refused", async () => {
    const host = await start()
    const byType = await readEvents(host, {query: {types: "message.sent,host.*"}})
    const byEndpoint = await readEvents(host, {query: {endpoint: "sandbox", types: "message.*"}})
    const byOther = await readEvents(host, {query: {endpoint: "other"}})
    for (const reader of [byType, byEndpoint, byOther]) await reader.hello()
    await say(host, "hello")
    await until("the events", () => byEndpoint.envelopes().length === 3 && byType.envelopes().length === 1)
    expect(byType.envelopes().map(({type}) => type)).toEqual(["message.sent"])
    await host.post("/api/ingress/pause")
    await host.stop()
    await until("the streams to end", () => [byType, byEndpoint, byOther].every(reader => reader.isEnded()))
    expect(byType.envelopes().map(({type}) => type)).toEqual(["message.sent", "host.stopping"])
    expect(byEndpoint.envelopes().length).toBe(3)
    expect(byOther.envelopes()).toEqual([])
    // Its cursor has moved past the events that it did not want.
    expect(offsetOf(byOther.lastId())).toBeGreaterThan(offsetOf((await byOther.hello()).head))
    const again = await start({project: host.project})
    await expectProblem(await again.fetch("/api/events?types=mesage.*"), 400, "request_invalid")
    const resumed = await readEvents(again, {cursor: byOther.lastId() ?? "", query: {endpoint: "other"}})
    expect(await resumed.hello()).toMatchObject({recovered: true})
  })

  test("HEAD answers at once with the headers of the stream, and leaves no client behind", async () => {
    const head = await (await start()).fetch("/api/events", {method: "HEAD"})
    expect({status: head.status, type: head.headers.get("content-type"), body: await head.text()}).toEqual({
      status: 200,
      type: "text/event-stream",
      body: "",
    })
  })

  test("history returns the same log in pages, and a gap for an invalid cursor", async () => {
    const host = await start()
    for (const text of ["one", "fail", "three"]) await say(host, text)
    await until(
      "the answers",
      async () => (await readHistoryOf(host)).filter(({type}) => type === "message.sent").length === 2,
    )
    const whole = await readHistoryOf(host)
    expect(await readHistoryOf(host, 2)).toEqual(whole)
    const page = await host.get("/api/events/history", {after: "nonsense"})
    expect([...Value.Errors(HistoryView, page)]).toEqual([])
    expect(page.items).toEqual(whole)
    const to = `${page.epoch}-0`
    expect(page.gap).toEqual({reason: "malformed", from: "nonsense", to, resumeAt: to})
    expect(page.next).toBe(null)
    const filtered = await host.get("/api/events/history", {types: "message.failed"})
    expect(filtered.items.map(({type}) => type)).toEqual(["message.failed"])
  })

  test("a stream ends in order with the Host, and resumes without a hole at the next one", async () => {
    const host = await start()
    const reader = await readEvents(host)
    await reader.hello()
    await say(host, "hello")
    await until("the answer", () => reader.envelopes().some(({type}) => type === "message.sent"))
    await host.stop()
    await until("its end", () => reader.isEnded())
    expect(reader.envelopes().map(({type}) => type)).toContain("host.stopping")
    const next = await start({project: host.project})
    const resumed = await readEvents(next, {cursor: reader.lastId() ?? ""})
    expect((await resumed.hello()).recovered).toBe(true)
    const stored = (await readHistoryOf(next)).map(({id}) => id)
    const newest = stored.at(-1) ?? ""
    await until("every stored event", () => resumed.envelopes().some(({id}) => id === newest))
    // Events that were stored since may be included.
    const seen = [...reader.envelopes(), ...resumed.envelopes()].map(({id}) => id)
    expect(seen.slice(0, seen.indexOf(newest) + 1)).toEqual(stored.slice(stored.indexOf(seen[0] ?? "")))
    expect(resumed.envelopes().map(({type}) => type)).toContain("host.started")
    expect(resumed.envelopes().map(({type}) => type)).toContain("generation.committed")
  })

  test("is held open while the Host starts, when every other route answers 503", async () => {
    const port = await freePort()
    const project = makeProject({config: configWith("  slow: {}\n", port), plugins: {faulty, slow: slowPlugin}})
    launchHost({runtime, project, env})
    const url = `http://127.0.0.1:${port}`
    await until("the socket", () => isOk(`${url}/pub/health`))
    const status = await fetch(`${url}/api/system/status`, {headers: {authorization: `Bearer ${env.HTTP_TOKEN}`}})
    expect(status.status).toBe(503)
    const reading = readEvents({url, token: env.HTTP_TOKEN})
    expect((await fetch(`${url}/pub/ready`)).status).toBe(503)
    project.write("go", "")
    const reader = await reading
    expect(reader.response.status).toBe(200)
    expect((await reader.hello()).recovered).toBe(false)
    // The stream opens with the service; readiness follows when the Host's file exists.
    await until("a ready Host", async () => (await fetch(`${url}/pub/ready`)).ok)
  })
})
