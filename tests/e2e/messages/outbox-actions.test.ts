import {expect, test} from "vitest"
import {expectProblem, startHost, svc, type TestHost, until, untilState} from "../../support/host/host.ts"
import {bunOr, onBun, type TestRuntime} from "../../support/host/runtimes.ts"
import {messageIn, sendTo} from "../../support/messages/messages.ts"
import {hangingOn, linePlugin, notedBy} from "../../support/plugins/line-plugin.ts"

const twoRuntimes = bunOr("node22")
const configOf = (outbox = "") => `http: {port: 0}\nplugins:\n  line: {${outbox}}\n`
const args = ["--no-watch"]

const send = (host: TestHost, text: string, channel = "a") => sendTo(host, "line", channel, text)

/** Starts a Host, kills it while it sends these messages, one in each channel, and starts it again. */
const killedWhileSending = async (runtime: TestRuntime, count: number, config = configOf()) => {
  const host = await startHost({own: true, runtime, config, plugins: {line: linePlugin(hangingOn("hang"))}, args})
  const ids = await Promise.all(Array.from({length: count}, (_, n) => send(host, "hang", `channel-${n}`)))
  await until("the attempts", () => notedBy(host.project).length === count)
  await host.stop("SIGKILL")
  host.project.write("plugins/line.ts", linePlugin(""))
  return {host: await startHost({own: true, runtime, project: host.project, args}), ids}
}

test.each(twoRuntimes)("a message left unknown by a kill waits until an operator decides, on $name", async runtime => {
  const {host, ids} = await killedWhileSending(runtime, 3)
  const [one = "", two = "", three = ""] = ids
  for (const id of ids) expect(await messageIn(host, id, "unknown")).toMatchObject({reason: "host_ended", attempt: 1})
  const {items} = await host.get("/api/outbox", {state: "unknown"})
  expect(items.map(({id}) => id).sort()).toEqual([...ids].sort())
  expect(await host.get("/api/outbox", {state: "sent"})).toEqual({items: [], next: null, lookedTo: null})
  expect((await svc(runtime, host.project, ["outbox", "list", "--state", "unknown"])).stdout).toContain(one)

  const released = await svc(runtime, host.project, ["outbox", "release", one])
  expect(released).toMatchObject({code: 0, stdout: "release: 1 message\n"})
  expect(await messageIn(host, one, "sent")).toMatchObject({attempt: 2, reason: null, error: null})
  expect((await svc(runtime, host.project, ["outbox", "discard", two])).stdout).toBe("discard: 1 message\n")
  await messageIn(host, two, "discarded")
  expect((await svc(runtime, host.project, ["outbox", "retry", three])).code).toBe(0)
  await messageIn(host, three, "sent")
  expect(notedBy(host.project).filter(({id}) => id === one)).toHaveLength(2)
  expect(notedBy(host.project).filter(({id}) => id === two)).toHaveLength(1)
})

test("a message past its own limit expires, and is sent once an operator retries it", async () => {
  const plugins = {line: linePlugin("")}
  const host = await startHost({config: configOf("outbox: {maxAge: 24h}"), plugins, args})
  const cli = (...words: string[]) => svc(onBun, host.project, words)
  expect(await cli("send", "line", "a", "hi", "--not-after", "soon")).toMatchObject({code: 1})
  const past = ["--not-after", "2026-01-01T00:00:00Z", "--important"]
  const id = (await cli("send", "line", "a", "hi", ...past)).stdout.trim()
  const expired = {reason: "too_old", notAfter: "2026-01-01T00:00:00.000Z", important: true, attempt: 0}
  expect(await messageIn(host, id, "expired")).toMatchObject(expired)
  expect((await cli("outbox", "list", "--state", "expired")).stdout).toContain(id)
  const metrics = await (await host.fetch("/api/metrics")).text()
  expect(metrics).toContain('svc_outbox_messages{state="expired"} 1')
  expect(await cli("outbox", "retry", id)).toMatchObject({code: 0})
  expect(await messageIn(host, id, "sent")).toMatchObject({reason: null, notAfter: null, attempt: 1})
})

test("one command releases or discards every held message", async () => {
  const first = await killedWhileSending(onBun, 3)
  expect(await svc(onBun, first.host.project, ["outbox", "release", "--held"])).toMatchObject({
    code: 0,
    stdout: "release: 3 messages\n",
  })
  for (const id of first.ids) await messageIn(first.host, id, "sent")
  const second = await killedWhileSending(onBun, 2)
  expect(await second.host.post("/api/outbox/:id/discard", {id: "held"})).toEqual({messages: 2})
  expect(await second.host.post("/api/outbox/:id/discard", {id: "held"})).toEqual({messages: 0})
  for (const id of second.ids) await messageIn(second.host, id, "discarded")
  expect(notedBy(second.host.project)).toHaveLength(2)
})

test("with onUnknown: retry, a message interrupted by a kill is sent again and may arrive twice", async () => {
  const {host, ids} = await killedWhileSending(onBun, 1, configOf("outbox: {onUnknown: retry}"))
  expect(await messageIn(host, ids[0] ?? "", "sent")).toMatchObject({attempt: 2})
  expect(notedBy(host.project)).toHaveLength(2)
  expect(await host.get("/api/endpoints")).toMatchObject({items: [{onUnknown: "retry", rates: []}]})
})

test("an action is refused for an unknown message and for a state that does not allow it", async () => {
  const host = await startHost({config: configOf(), plugins: {line: linePlugin("")}, args})
  const id = await send(host, "hello")
  await messageIn(host, id, "sent")
  const act = (which: string, action: string) => host.fetch(`/api/outbox/${which}/${action}`, {method: "POST"})
  for (const action of ["retry", "release", "discard"]) {
    const {detail} = await expectProblem(await act(id, action), 409, "outbox_state")
    expect(detail).toContain(`${id} is sent`)
    await expectProblem(await act("nothing", action), 404, "outbox_unknown")
  }
  const unclear = await svc(onBun, host.project, ["outbox", "release"])
  expect(unclear).toMatchObject({code: 1, stderr: expect.stringContaining("which message?")})
})

test("a message that waits for a retry can be discarded, and the next one is sent at once", async () => {
  const failing = 'if (text === "bad") throw retryAfter(3_600_000, "in an hour")'
  const host = await startHost({config: configOf(), plugins: {line: linePlugin(failing)}, args})
  const bad = await send(host, "bad")
  const good = await send(host, "good")
  const waiting = await until("the platform to ask for a pause of an hour", async () => {
    const message = await messageIn(host, bad, "queued")
    return message.attempt === 1 && message
  })
  expect(waiting.error).toBe("in an hour")
  expect(Date.parse(waiting.notBefore ?? "") - Date.now()).toBeGreaterThan(3_500_000)
  expect(await host.post("/api/outbox/:id/discard", {id: bad})).toEqual({messages: 1})
  await messageIn(host, good, "sent")
  await messageIn(host, bad, "discarded")
})

test("a platform's request to wait is followed, and these attempts do not count", async () => {
  const host = await startHost({
    own: true,
    config: configOf(),
    plugins: {line: linePlugin("if (attempts <= 12) throw retryAfter(50)")},
    args,
  })
  const id = await send(host, "hello")
  // Twelve counted attempts would have made the message dead.
  expect(await messageIn(host, id, "sent")).toMatchObject({attempt: 13, error: null})
  const times = notedBy(host.project).map(({at}) => at)
  expect(Math.min(...times.slice(1).map((at, n) => at - (times[n] ?? at)))).toBeGreaterThanOrEqual(49)
})

test("an adapter's rate limit covers all channels of its endpoint, and a configured limit adds to it", async () => {
  const limits = (config: string) => `rate: {messages: 3, per: 500},${config}`
  const host = await startHost({config: configOf(), plugins: {line: linePlugin("", limits(""))}, args})
  const burst = async () => {
    const before = notedBy(host.project).length
    const ids = await Promise.all(Array.from({length: 7}, (_, n) => send(host, `text ${n}`, `channel-${n}`)))
    for (const id of ids) await messageIn(host, id, "sent")
    return notedBy(host.project)
      .slice(before)
      .map(({at}) => at)
  }
  const closest = (times: readonly number[], messages: number) =>
    Math.min(...times.slice(messages).map((at, n) => at - (times[n] ?? at)))
  expect(closest(await burst(), 3)).toBeGreaterThanOrEqual(495)
  host.project.write("svc.config.yml", configOf("outbox: {rate: {messages: 2, per: 1s}}"))
  await host.post("/api/system/reload")
  expect((await untilState(host, "line", "online")).rates).toEqual([
    {messages: 3, per: 500},
    {messages: 2, per: 1000},
  ])
  expect(closest(await burst(), 2)).toBeGreaterThanOrEqual(995)
})
