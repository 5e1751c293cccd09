import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {makeFolder, startHrana} from "../../support/database/databases.ts"
import {readEvents} from "../../support/events/reader.ts"
import {bunOr, messageIn, onBun, pluginWith, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {metricsOf} from "../../support/metrics/metrics.ts"
import {awayPlugin} from "../../support/plugins/away-plugin.ts"
import {linePlugin} from "../../support/plugins/line-plugin.ts"

const twoRuntimes = bunOr("node22")
const plain = "http: {port: 0}\nplugins: {sandbox: {}}\n"

const read = async (host: TestHost, ...query: [name: string, labels?: Record<string, string>]) =>
  (await metricsOf(host)).value(...query)

describe.each(twoRuntimes)("on $name", runtime => {
  test("starts and ends are counted across restarts by exit code and reason, and a kill is unclean", async () => {
    const first = await startHost({own: true, runtime, config: plain})
    expect(await read(first, "svc_starts_total")).toBe(1)
    expect(await read(first, "svc_runs_ended_total", {reason: "unclean"})).toBe(0)
    await first.stop("SIGKILL")
    const second = await startHost({own: true, runtime, project: first.project})
    expect(await read(second, "svc_starts_total")).toBe(2)
    expect(await read(second, "svc_runs_ended_total", {exit_code: "", reason: "unclean"})).toBe(1)
    await second.post("/api/system/restart", {body: {confirm: true}})
    expect((await second.process.finished).code).toBe(51)
    expect((await (await startHost({own: true, runtime, project: first.project})).stop()).code).toBe(0)
    const page = await metricsOf(await startHost({runtime, project: first.project}))
    expect(page.value("svc_starts_total")).toBe(4)
    const ends = page.series("svc_runs_ended_total").filter(({value}) => value > 0)
    expect(ends.map(({labels, value}) => [labels.exit_code, labels.reason, value]).sort()).toEqual([
      ["", "unclean", 1],
      ["0", "stopped", 1],
      ["51", "restart_requested", 1],
    ])
  })
})

test("the Host's identity is on one series, and runtimeId is on no other", async () => {
  const host = await startHost({config: plain})
  const {project, authority, version} = await host.get("/api/system/status")
  const page = await metricsOf(host)
  expect(page.series("svc_runtime_info")).toMatchObject([
    {labels: {project, authority, version, runtime_id: host.runtimeId, mode: "development"}, value: 1},
  ])
  expect(page.text.split(host.runtimeId)).toHaveLength(2)
})

test("a pause of ingress shows its reason and its start, across restarts", async () => {
  const host = await startHost({config: plain})
  expect((await metricsOf(host)).series("svc_ingress_paused_since_timestamp_seconds")).toEqual([])
  const before = Date.now() / 1000
  await host.post("/api/ingress/pause", {body: {reason: "release"}})
  const since = await read(host, "svc_ingress_paused_since_timestamp_seconds")
  expect(since).toBeGreaterThanOrEqual(before)
  await host.stop()
  const page = await metricsOf(await startHost({project: host.project}))
  expect(page.value("svc_ingress_paused", {reason: "release"})).toBe(1)
  expect(page.value("svc_ingress_paused", {reason: "operator"})).toBe(0)
  expect(page.value("svc_ingress_paused_since_timestamp_seconds")).toBe(since)
})

test.each(twoRuntimes)("an offline endpoint's gap count and last event survive a restart, on $name", async runtime => {
  const host = await startHost({
    runtime,
    config: "http: {port: 0}\nplugins: {sandbox: {}, away: {}}\n",
    plugins: {away: awayPlugin},
  })
  const away = {endpoint: "away", owner: "root/away"}
  const unplanned = {...away, planned: "false"}
  await until("the endpoint to be online", async () => (await read(host, "svc_endpoint_online", away)) === 1)
  expect(await read(host, "svc_endpoint_gaps_total", unplanned)).toBe(0)
  const before = Date.now() / 1000
  await host.say("hello")
  const last = await read(host, "svc_endpoint_last_event_timestamp_seconds", {endpoint: "sandbox"})
  expect(last).toBeGreaterThanOrEqual(before)
  const views = async ({get}: Pick<typeof host, "get">) => {
    const {items} = await get("/api/endpoints")
    return (name: string) => items.find(endpoint => endpoint.name === name)
  }
  const {lastEventAt, lastSentAt} = (await views(host))("sandbox") ?? {}
  expect([lastEventAt, lastSentAt]).toEqual([new Date(Math.round(last * 1000)).toISOString(), null])
  await host.post("/api/endpoints/:name/reconnect", {name: "sandbox"})
  expect((await views(host))("sandbox")).toMatchObject({lastEventAt, lastSentAt})
  expect(await read(host, "svc_endpoint_last_event_timestamp_seconds", {endpoint: "sandbox"})).toBe(last)
  host.project.write("away", "")
  await until("the endpoint to be offline", async () => (await read(host, "svc_endpoint_online", away)) === 0)
  const page = await until("the gap", async () => {
    const page = await metricsOf(host)
    return page.value("svc_endpoint_gaps_total", unplanned) === 1 && page
  })
  // A gap counts when it starts, and its length counts when it ends.
  expect(page.value("svc_endpoint_gap_open_seconds", away)).toBeGreaterThanOrEqual(0)
  expect(page.value("svc_endpoint_gap_seconds_count", unplanned)).toBe(0)
  expect(page.series("svc_endpoint_gaps_total", {endpoint: "sandbox"})).toEqual([])
  expect(page.value("svc_gaps_total", {reason: "connection_lost"})).toBe(1)
  expect(page.value("svc_endpoints", {state: "online"})).toBe(1)
  const {awaySince} = (await views(host))("away") ?? {}
  await host.stop()
  const next = await startHost({runtime, project: host.project})
  expect((await views(next))("away")).toMatchObject({awaySince})
  expect((await views(next))("sandbox")).toMatchObject({lastEventAt, lastSentAt})
  const later = await metricsOf(next)
  expect(later.value("svc_endpoint_gaps_total", unplanned)).toBe(1)
  expect(later.value("svc_endpoint_gaps_total", {...away, planned: "true"})).toBe(0)
  expect(later.value("svc_endpoint_last_event_timestamp_seconds", {endpoint: "sandbox"})).toBe(last)
})

test("events that a platform delivered too late are counted, including those of earlier runs", async () => {
  const late = pluginWith(`plugin.adapter("late", {
      history: "replay",
      open: async (_, endpoint) => {
        const message = {id: "1", content: "from long ago"}
        await endpoint.receive({id: "1", type: "message-created", timestamp: 0, channel: {id: "room", type: 0}, message})
        return {send: async ({id}) => ({ids: [id]})}
      },
    })`)
  const host = await startHost({config: "http: {port: 0}\nplugins: {sandbox: {}, late: {}}\n", plugins: {late}})
  const labels = {endpoint: "late", owner: "root/late"}
  await until("the endpoint to be online", async () => (await read(host, "svc_endpoint_online", labels)) === 1)
  const page = await metricsOf(host)
  expect(page.value("svc_endpoint_dropped_total", labels)).toBe(1)
  expect(page.series("svc_endpoint_dropped_total", {endpoint: "sandbox"})).toEqual([])
  await host.stop()
  const later = await startHost({project: host.project})
  await until("the endpoint to be online", async () => (await read(later, "svc_endpoint_online", labels)) === 1)
  expect(await read(later, "svc_endpoint_dropped_total", labels)).toBe(2)
})

test("waiting, failed and dead messages are counted by state, with the age of the oldest", async () => {
  const body = `if (text === "refused") throw refused("no", {reason: "no", remediation: "no"})
    if (text === "hang") await new Promise(() => {})`
  const host = await startHost({
    own: true,
    config: "http: {port: 0}\nplugins: {line: {}}\n",
    plugins: {line: linePlugin(body)},
  })
  const send = async (text: string) =>
    (await host.post("/api/outbox", {body: {endpoint: "line", channel: text, text}})).id
  await messageIn(host, await send("refused"), "failed")
  const began = Date.now()
  await messageIn(host, await send("hang"), "sending")
  const page = await until("the message to age", async () => {
    const page = await metricsOf(host)
    return page.value("svc_outbox_oldest_age_seconds") > 0.1 && page
  })
  expect(page.value("svc_outbox_messages", {state: "failed"})).toBe(1)
  expect(page.value("svc_outbox_messages", {state: "sending"})).toBe(1)
  expect(page.value("svc_outbox_messages", {state: "dead"})).toBe(0)
  expect(page.value("svc_outbox_oldest_age_seconds")).toBeLessThan((Date.now() - began) / 1000 + 1)
  await host.stop("SIGKILL")
  const second = await startHost({own: true, project: host.project})
  const later = await metricsOf(second)
  expect(later.value("svc_outbox_messages", {state: "unknown"})).toBe(1)
  expect(later.value("svc_outbox_unknown_messages", {endpoint: "line"})).toBe(1)
  expect(page.value("svc_outbox_oldest_age_seconds", {endpoint: "line"})).toBeGreaterThan(0)
  expect(later.series("svc_dead_letters")).toEqual([
    {name: "svc_dead_letters", labels: {box: "inbox", endpoint: "line"}, value: 0},
    {name: "svc_dead_letters", labels: {box: "outbox", endpoint: "line"}, value: 0},
  ])
  // Messages for an endpoint that the generation no longer has still wait for a decision.
  await second.stop()
  host.project.write("svc.config.yml", "http: {port: 0}\nplugins: {sandbox: {}}\n")
  const without = await metricsOf(await startHost({project: host.project}))
  expect(without.value("svc_outbox_unknown_messages", {endpoint: "line"})).toBe(1)
  expect(without.value("svc_outbox_unknown_messages", {endpoint: "sandbox"})).toBe(0)
})

test("handlers that fail, run long or are dead are counted by plugin and state", async () => {
  const host = await startHost({
    own: true,
    config: "http: {port: 0}\nplugins: {sandbox: {}, hard: {}}\n",
    plugins: {
      hard: pluginWith(`
        plugin.command("fail", () => { throw new Error("no") })
        plugin.command("hang", () => new Promise<never>(() => {}))`),
    },
  })
  await host.say("/fail")
  const failed = await metricsOf(host)
  expect(failed.value("svc_handler_ends_total", {owner: "root/hard", outcome: "failed"})).toBe(1)
  expect(failed.value("svc_handler_seconds_count", {owner: "root/hard"})).toBe(1)
  expect(failed.value("svc_inbox_handlers", {state: "failed"})).toBe(1)
  expect(failed.value("svc_log_records_total", {level: "error"})).toBe(1)
  await (() => host.plugin("/api/plugins/sandbox/messages", {text: "/hang"}))()
  await until("the handler to run", async () => (await read(host, "svc_inbox_handlers", {state: "running"})) === 1)
  expect(await read(host, "svc_inbox_oldest_age_seconds")).toBeGreaterThan(0)
  await host.stop("SIGKILL")
  const second = await startHost({own: true, project: host.project})
  await until("the handler to run", async () => (await read(second, "svc_inbox_handlers", {state: "running"})) === 1)
  await second.stop("SIGKILL")
  const page = await metricsOf(await startHost({project: host.project}))
  expect(page.value("svc_dead_letters", {box: "inbox", endpoint: "sandbox"})).toBe(1)
  expect(page.value("svc_inbox_oldest_age_seconds")).toBe(0)
  expect(page.value("svc_runs_ended_total", {reason: "unclean"})).toBe(2)
})

test("rate-limited requests and refused drafts are counted", async () => {
  const host = await startHost({config: plain})
  const wrong = () => fetch(`${host.url}/api/metrics`, {headers: {authorization: "Bearer wrong"}})
  for (let time = 0; time < 12; time++) await wrong()
  host.project.write("svc.config.yml", "http: {prot: 0}\n")
  await until("the refusal", async () => (await read(host, "svc_generation_refused")) === 1)
  const page = await metricsOf(host)
  expect(page.value("svc_http_rate_limited_total")).toBe(2)
  expect(page.value("svc_generation_number")).toBe(1)
  expect(page.value("svc_probe_success", {probe: "ready"})).toBe(1)
})

test("the size of a database file and its commit times are shown", async () => {
  const local = await startHost({config: plain})
  await local.say("hello")
  const page = await metricsOf(local)
  expect(page.value("svc_database_bytes")).toBeGreaterThanOrEqual(4096)
  expect(page.value("svc_database_wal_bytes")).toBeGreaterThan(4096)
  expect(page.value("svc_database_capacity_ratio")).toBeGreaterThan(0)
  expect(page.value("svc_database_capacity_ratio")).toBeLessThan(0.5)
  expect(page.value("svc_disk_free_bytes")).toBeGreaterThan(page.value("svc_disk_minimum_free_bytes"))
  expect(page.value("svc_database_commit_seconds_count")).toBe(page.value("svc_database_group_batches_count"))
  expect(page.value("svc_database_group_batches_sum")).toBeGreaterThanOrEqual(3)
})

test("work items are counted by state, with those past a blocker's deadline", async () => {
  const host = await startHost({config: plain})
  expect(await read(host, "svc_workroom_items", {state: "blocked"})).toBe(0)
  for (const title of ["one", "two"]) await host.post("/api/workroom/items", {body: {title}})
  await host.post("/api/workroom/items/:id/claim", {id: 1, body: {expectedRevision: 1, assignee: "user:ada"}})
  const block = (expectedRevision: number, milliseconds: number) => {
    const deadline = new Date(Date.now() + milliseconds).toISOString()
    return host.post("/api/workroom/items/:id/block", {
      id: 1,
      body: {expectedRevision, reason: "ink", deadline, actor: "user:ada"},
    })
  }
  await block(2, 3_600_000)
  const page = await metricsOf(host)
  expect(page.value("svc_workroom_items", {state: "blocked"})).toBe(1)
  expect(page.value("svc_workroom_items", {state: "open"})).toBe(1)
  expect(page.value("svc_workroom_commands_total", {outcome: "recorded"})).toBe(4)
  expect(page.value("svc_workroom_overdue_items")).toBe(0)
  await host.post("/api/workroom/items/:id/unblock", {id: 1, body: {expectedRevision: 3}})
  await block(4, 300)
  await until("the deadline to pass", async () => (await read(host, "svc_workroom_overdue_items")) === 1)
})

test("clients of the event stream are counted, and the gaps sent to them by reason", async () => {
  const host = await startHost({config: plain})
  const ahead = async () => (await read(host, "svc_event_stream_gaps_total", {reason: "ahead"})) === 1
  expect(await read(host, "svc_event_stream_gaps_total", {reason: "ahead"})).toBe(0)
  const live = await readEvents(host)
  await live.hello()
  const [epoch] = (live.lastId() ?? "").split("-")
  const lost = await readEvents(host, {cursor: `${epoch}-999999999`})
  await until("the gap", ahead)
  const page = await metricsOf(host)
  expect(page.value("svc_event_stream_clients")).toBe(2)
  expect(page.value("svc_event_log_head")).toBeGreaterThan(0)
  expect(page.value("svc_events_dropped_total")).toBe(0)
  for (const reader of [live, lost]) reader.close()
  await until("the clients to disconnect", async () => (await read(host, "svc_event_stream_clients")) === 0)
})

test("the newest verified checkpoint has a timestamp series, and without one there is no series", async () => {
  const host = await startHost({config: plain})
  const name = "svc_checkpoint_verified_timestamp_seconds"
  expect((await metricsOf(host)).series(name)).toEqual([])
  const before = Date.now() / 1000
  expect((await svc(onBun, host.project, ["checkpoint", "create"])).code).toBe(0)
  expect(await read(host, name)).toBeGreaterThanOrEqual(before - 1)
})

test("a part that cannot be read is counted, and the page shows the rest", async () => {
  const server = await startHrana({file: join(makeFolder(), "remote.sqlite")})
  const host = await startHost({
    config: `http: {port: 0}\ndatabase: {dialect: libsql, url: "${server.url}"}\nplugins: {sandbox: {}}\n`,
  })
  expect((await metricsOf(host)).series("svc_database_bytes")).toEqual([])
  await server.close()
  const page = await metricsOf(host)
  expect(page.value("svc_collect_failures_total", {part: "messages"})).toBeGreaterThan(0)
  expect(page.series("svc_outbox_messages")).toEqual([])
  expect(page.value("svc_generation_number")).toBe(1)
  // Read earlier, and unchanged since.
  expect(page.value("svc_starts_total")).toBe(1)
})

test("no metric contains a secret, a user, a channel or a message", async () => {
  const canary = "canary7f3a91"
  const host = await startHost({
    config: 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {sandbox: {}, hard: {}}\n',
    env: {HTTP_TOKEN: `${canary}-token`, UNUSED: `${canary}-unused`},
    plugins: {
      hard: pluginWith(`
        plugin.command("fail", () => { throw new Error("${canary}") })
        plugin.on("message-created", async session => { await session.send("${canary}") })`),
    },
  })
  for (const text of [`${canary} hello`, "/fail"]) await host.say(text, {user: canary, channel: canary})
  await host.fetch(`/api/inbox/${canary}?limit=${canary}`)
  await host.fetch(`/api/plugins/${canary}/x`)
  await host.fetch(`/hooks/${canary}/${canary}`, {method: "POST", body: canary})
  const {text, value} = await metricsOf(host)
  expect(value("svc_handler_ends_total", {owner: "root/hard", outcome: "failed"})).toBe(1)
  expect(text).not.toContain(canary)
})
