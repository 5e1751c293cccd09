import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {readHistoryOf} from "../../support/events/reader.ts"
import {bunOr, onBun, pluginWith, startHost, svc, type TestHost, textsOf, until} from "../../support/host/host.ts"
import {ircConfig, lounge, startIrcHost, untilEndpoint} from "../../support/irc/host.ts"
import {joinIrc, startIrcServer} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {type Gap, gapsOf, untilGaps} from "../../support/messages/gaps.ts"
import {metricsOf} from "../../support/metrics/metrics.ts"
import {untilOnline} from "../../support/platforms/endpoint.ts"
import {awayPlugin} from "../../support/plugins/away-plugin.ts"

const onlineSince = async (host: TestHost) => Date.parse((await untilEndpoint(host, "main", "online")).since)

/** Waits until all earlier changes are durable: the database stores changes in order, and this message last. */
const settle = (host: TestHost) =>
  host.post("/api/outbox", {body: {endpoint: "irc~main", channel: "#lounge", text: "here"}})

describeWith("ngircd", "inspircd")("the gaps of a bot on IRC", () => {
  test.each(bunOr("node22"))("include one from the server's kill or before, to the return, on $name", async runtime => {
    const server = await startIrcServer("inspircd")
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge}], {runtime})
    const online = await onlineSince(host)
    expect(await gapsOf(host)).toEqual([])
    await server.kill()
    await untilEndpoint(host, "main", "reconnecting")
    const noticed = Date.now()
    expect(await until("the gap to be stored", async () => (await gapsOf(host))[0])).toMatchObject({to: null})
    const returning = Date.now()
    await server.start()
    const back = await onlineSince(host)
    const [gap, ...others] = await untilGaps(host, 1)
    expect(others).toEqual([])
    expect(gap).toMatchObject({endpoint: "irc~main", reason: "connection_lost"})
    const [from, to] = [Date.parse(gap?.from ?? ""), Date.parse(gap?.to ?? "")]
    expect(from).toBeGreaterThanOrEqual(online)
    expect(from).toBeLessThanOrEqual(noticed)
    expect(to).toBeGreaterThan(returning)
    expect(to).toBe(back)
  })

  test.each(bunOr("node22"))(
    "include one after a kill of the Host, from when the endpoint was last known online, on $name",
    async runtime => {
      const server = await startIrcServer("ngircd")
      const host = await startIrcHost([{id: "main", port: server.port, ...lounge}], {runtime, own: true})
      const online = await onlineSince(host)
      await settle(host)
      await host.stop("SIGKILL")
      const killed = Date.now()
      const later = await startHost({runtime, project: host.project})
      const back = await onlineSince(later)
      const gaps = await untilGaps(later, 1)
      const to = new Date(back).toISOString()
      expect(gaps).toMatchObject([{endpoint: "irc~main", reason: "host_ended", to, planned: false}])
      const from = Date.parse(gaps[0]?.from ?? "")
      expect(from).toBeGreaterThanOrEqual(online)
      expect(from).toBeLessThanOrEqual(killed)
    },
  )

  test("name the reason host_stopped after a stop, and form one gap across several kills", async () => {
    const server = await startIrcServer("ngircd")
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge}])
    const online = await onlineSince(host)
    expect((await host.stop()).code).toBe(0)
    const stopped = Date.now()
    await server.kill()
    for (let n = 0; n < 2; n++) {
      const away = await startHost({own: true, project: host.project})
      expect(await gapsOf(away)).toMatchObject([{reason: "host_stopped", to: null}])
      await away.stop("SIGKILL")
    }
    // The first reason decides whether a gap is planned.
    await server.start()
    const later = await startHost({project: host.project})
    const back = await onlineSince(later)
    const gaps = await untilGaps(later, 1)
    expect(gaps).toMatchObject([{reason: "host_stopped", to: new Date(back).toISOString()}])
    expect(Date.parse(gaps[0]?.from ?? "")).toBeGreaterThanOrEqual(online)
    expect(Date.parse(gaps[0]?.from ?? "")).toBeLessThanOrEqual(stopped)
    const {code, stdout} = await svc(onBun, host.project, ["inbox", "gaps"])
    expect(code).toBe(0)
    expect(stdout.trim().split("\n")[1]).toMatch(/^irc~main {2}\S+Z {2}\S+Z {2}host_stopped {2}yes +-$/)
  })
})

/** Waits until `count` gaps of each endpoint have ended. Returns the newest gap of each. */
const newestOf = async (host: TestHost, count: number, ...names: readonly string[]): Promise<readonly Gap[]> => {
  const gaps = await untilGaps(host, count * names.length)
  expect(gaps.map(({endpoint}) => endpoint).toSorted()).toEqual(
    names.flatMap(name => Array(count).fill(name)).toSorted(),
  )
  return names.flatMap(name => gaps.find(({endpoint}) => endpoint === name) ?? [])
}

describeWith("ngircd")("a Host that an operator restarts", () => {
  test.each(bunOr("node22"))(
    "records one planned gap for an endpoint without history, and none for the sandbox, on $name",
    async runtime => {
      const server = await startIrcServer("ngircd")
      const alice = await joinIrc(server, "alice", {channel: "#lounge"})
      const bob = await joinIrc(server, "bob", {channel: "#lounge"})
      const {plugins} = JSON.parse(ircConfig([{id: "main", port: server.port, ...lounge}]))
      const config = JSON.stringify({http: {port: 0}, plugins: {irc: plugins.irc, line: {}, sandbox: {}}})
      const first = await startHost({own: true, runtime, config, plugins: {line: line("none")}})
      await onlineSince(first)
      expect(await first.get("/api/endpoints")).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({name: "sandbox", history: "inside"})]),
      })
      // Without this pause, the bot's last line would still be unanswered, and the gap would start seconds earlier.
      await sleep(2000)
      alice.say("#lounge", "before the stop")
      await until("the line to reach the server", () => bob.heard("alice", "#lounge").includes("before the stop"))
      const asked = Date.now()
      expect((await first.stop()).code).toBe(0)
      const ended = Date.now()

      const second = await startHost({own: true, runtime, project: first.project})
      const back = await onlineSince(second)
      expect(await textsOf(second)).toEqual(["before the stop"])
      const stopped = await newestOf(second, 1, "irc~main", "line")
      for (const {from, reason, planned} of stopped) {
        expect({reason, planned}).toEqual({reason: "host_stopped", planned: true})
        expect(Date.parse(from)).toBeGreaterThanOrEqual(asked - 5)
        expect(Date.parse(from)).toBeLessThanOrEqual(ended)
      }
      expect(Date.parse(stopped[0]?.to ?? "")).toBe(back)
      expect((await readHistoryOf(second)).filter(({type}) => type === "endpoint.gap")).toMatchObject(
        stopped
          .map(({from, to}) => ({data: {from, to, planned: true}}))
          .toSorted((one, other) => (String(one.data.to) < String(other.data.to) ? -1 : 1)),
      )
      const [gap] = stopped
      const length = (Date.parse(gap?.to ?? "") - Date.parse(gap?.from ?? "")) / 1000
      const metrics = await metricsOf(second)
      const planned = {endpoint: "irc~main", owner: "root/irc", planned: "true"}
      expect(metrics.value("svc_endpoint_gaps_total", planned)).toBe(1)
      expect(metrics.value("svc_endpoint_gap_seconds_count", planned)).toBe(1)
      expect(metrics.value("svc_endpoint_gap_seconds_sum", planned)).toBe(length)
      expect(metrics.value("svc_endpoint_gaps_total", {...planned, planned: "false"})).toBe(0)
      expect(metrics.series("svc_endpoint_gap_open_seconds")).toEqual([])
      expect(metrics.series("svc_endpoint_gaps_total", {endpoint: "sandbox"})).toEqual([])

      const restarting = Date.now()
      await second.post("/api/system/restart", {body: {confirm: true}})
      expect((await second.process.finished).code).toBe(51)
      const third = await startHost({own: true, runtime, project: first.project})
      await onlineSince(third)
      for (const {from, planned} of await newestOf(third, 2, "irc~main", "line")) {
        expect(planned).toBe(true)
        expect(Date.parse(from)).toBeGreaterThanOrEqual(restarting - 5)
      }

      await settle(third)
      await third.stop("SIGKILL")
      const fourth = await startHost({runtime, project: first.project})
      await onlineSince(fourth)
      for (const {reason, planned} of await newestOf(fourth, 3, "irc~main", "line")) {
        expect({reason, planned}).toEqual({reason: "host_ended", planned: false})
      }
      const counted = await metricsOf(fourth)
      expect(counted.value("svc_endpoint_gaps_total", planned)).toBe(2)
      expect(counted.value("svc_endpoint_gaps_total", {...planned, planned: "false"})).toBe(1)
    },
    120_000,
  )
})

describeWith("ngircd")("a bot that joins its channels", () => {
  test("is online only once it is in its channels, and stores every message from then on", async () => {
    // ngircd delays the JOIN, because it is the fourth command within a second.
    const server = await startIrcServer("ngircd")
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge}])
    await untilEndpoint(host, "main", "online")
    person.say("#lounge", "are you there")
    await until("the line to be stored", async () => (await textsOf(host)).includes("are you there"))
  })
})

const line = (history: string) =>
  pluginWith(`plugin.adapter("line", {
  history: "${history}",
  open: async () => ({send: async ({id}) => ({ids: [id]})}),
})`)

test("an endpoint with replay, and one inside the Host, have no gaps", async () => {
  const host = await startHost({
    own: true,
    config: "http: {port: 0}\nplugins: {line: {}, gone: {}, sandbox: {}}\n",
    plugins: {line: line("replay"), gone: line("none").replace('"line"', '"gone"')},
  })
  await untilOnline(host)
  await host.say("what was stored before this is durable")
  await host.stop("SIGKILL")
  const later = await startHost({project: host.project})
  expect(await untilGaps(later, 1)).toMatchObject([{endpoint: "gone", reason: "host_ended"}])
  await later.say("the sandbox is there")
  expect((await gapsOf(later)).length).toBe(1)
})

test("a gap starts when the connection ended, not when the adapter had cleaned up", async () => {
  const clearing = 1000
  const host = await startHost({
    config: "http: {port: 0}\nplugins: {away: {}}\n",
    plugins: {
      away: awayPlugin.replace("endpoint.defer(", `endpoint.defer(() => sleep(${clearing}))\n        endpoint.defer(`),
    },
  })
  const stateOf = async (state: string) =>
    (await readHistoryOf(host)).find(
      ({type, data}) => type === "endpoint.state" && (data as {state: string}).state === state,
    )
  await until("the endpoint to be online", () => stateOf("online"))
  host.project.write("away", "")
  const cleared = await until("the endpoint to be offline", () => stateOf("reconnecting"))
  const [gap] = await until("the gap", async () => (await gapsOf(host)).length > 0 && gapsOf(host))
  // By the wall clock, a timer may fire a moment early.
  expect(Date.parse(gap?.from ?? "")).toBeLessThanOrEqual(
    Date.parse((cleared.data as {since: string}).since) - clearing + 100,
  )
})

test("an endpoint replaced by a reload has a gap while it was closed, and the list has pages", async () => {
  const host = await startHost({
    config: "http: {port: 0}\nplugins: {line: {}}\n",
    plugins: {line: line("none")},
    args: ["--no-watch"],
  })
  for (let n = 1; n <= 3; n++) {
    host.project.write("plugins/line.ts", `${line("none")}// ${n}\n`)
    await host.post("/api/system/reload")
    await untilGaps(host, n)
  }
  const first = await host.get("/api/inbox/gaps", {limit: 2})
  expect(first).toMatchObject({items: [{seq: 3, reason: "endpoint_closed"}, {seq: 2}], next: "2"})
  expect(await host.get("/api/inbox/gaps", {limit: 2, cursor: first.next ?? ""})).toMatchObject({
    items: [{seq: 1}],
    next: null,
  })
})
