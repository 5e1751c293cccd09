import {expect, test} from "vitest"
import {Alerts} from "../../../server/metrics/alerts/alerts.ts"
import {deliver, type Senders} from "../../../server/metrics/alerts/delivery.ts"
import {Heartbeat} from "../../../server/metrics/alerts/heartbeat.ts"
import type {Notice} from "../../../server/metrics/alerts/notice.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {post} from "../../../server/runtime/outgoing/post.ts"
import type {AlertSettings, AlertTarget} from "../../../shared/config/alerts.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"

const notice: Notice = {id: "one", at: 0, attempts: 0, nextAt: 0, alerts: []}
const who = {project: "bot", runtimeId: "run"}
const senders: Senders = {channelWaits: () => undefined, send: async () => {}, post, mail: async () => {}}
const to = (url: string): AlertTarget => ({webhook: {url}, least: "warning", quiet: true})

test("a webhook that hangs is aborted when the Host stops; an unreachable one is reported without its address", async () => {
  const silent = await startStandIn(() => {})
  const stopping = new AbortController()
  const sending = deliver(senders, to(`${silent.url}/canary`), notice, who, stopping.signal)
  const ended = expect(sending).rejects.toThrow("stopping")
  await expect.poll(() => silent.requests.length).toBe(1)
  stopping.abort(new Error("stopping"))
  await ended
  const error = await deliver(senders, to("http://127.0.0.1:9/canary"), notice, who).catch(reason => reason)
  expect(String(error)).toMatch(/\bunreachable\b/)
  expect(String(error)).not.toContain("canary")
})

test("a heartbeat is sent at its interval while the Host is ready and stores rows", async () => {
  let [now, ready, asked] = [0, true, 0]
  let store = async () => {}
  const heartbeat = new Heartbeat({
    isReady: () => ready,
    store: () => store(),
    ask: async () => ({ok: ++asked > 0, status: 200}),
    now: () => now,
  })
  const look = async (at: number) => {
    now = at * 1000
    heartbeat.consider({url: "http://127.0.0.1:9/", every: "1m"})
    await heartbeat.idle()
    return asked
  }
  expect([await look(0), await look(30), await look(60)]).toEqual([1, 1, 2])
  ready = false
  expect([await look(120), heartbeat.stopped]).toEqual([2, "not_ready"])
  ready = true
  store = () => Promise.reject(new Error("full"))
  expect([await look(180), heartbeat.stopped]).toEqual([2, "rows"])
  store = async () => {}
  expect([await look(240), heartbeat.stopped, heartbeat.lastSentAt]).toEqual([3, null, 240_000])
})

const settings: AlertSettings = {
  every: "1s",
  grace: "0s",
  settle: "1s",
  repeat: "0s",
  items: {database_failing: {for: "0s"}},
  targets: {ops: {endpoint: "sandbox", channel: "ops", least: "warning", quiet: true}},
  quiet: {zone: "UTC", hours: [], critical: true},
}

test("a channel that waits for the database receives no alert whose cause ends during a check", async () => {
  let [now, failing] = [0, true]
  const sent: string[] = []
  const condition = {code: "database_failing", title: "The database fails", text: "", remediation: {text: ""}} as const
  const alerts = new Alerts({
    who,
    database: {read: async () => [], write: async () => []},
    log: createLogs({level: "error", format: "json", colors: false, write: () => {}}).log,
    settings: () => settings,
    look: async () => {
      const seen = {conditions: failing ? [condition] : [], unknown: new Set<never>()}
      if (now > 0) failing = false
      return seen
    },
    senders: {
      ...senders,
      channelWaits: () => (failing ? "database_failing" : undefined),
      send: async (_, text) => void sent.push(text),
    },
    ask: async () => ({ok: true, status: 200}),
    isReady: () => true,
    isFailing: () => failing,
    telling: () => [],
    scrub: text => text,
    now: () => now,
  })
  for (; now < 5000; now += 1000) {
    await alerts.check()
    await alerts.idle()
  }
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatch(/^Resolved/)
})
