import {expect, test} from "vitest"
import {attentionOf, type Facts} from "../../../server/console/web/pages/overview/attention.ts"
import {treeOf} from "../../../server/console/web/pages/plugins/tree.ts"
import {en} from "../../../server/console/web/texts/en.ts"
import {conditionsOf} from "../../../server/metrics/alerts/words.ts"
import type {EndpointView} from "../../../shared/api/endpoints.ts"
import type {Status} from "../../../shared/api/system.ts"
import {findingsOf} from "../../../shared/attention/find.ts"

const at = "2026-01-02T03:04:05.000Z"

const endpoint = (name: string, more: Partial<EndpointView>): EndpointView => ({
  name,
  owner: "root/irc",
  slot: "irc",
  required: false,
  state: "online",
  since: at,
  admission: "open",
  lastEventAt: null,
  lastSentAt: null,
  history: "none",
  idempotent: false,
  cursorAt: null,
  dropped: 0,
  features: [],
  limits: {},
  onUnknown: "hold",
  rates: [],
  ...more,
})

const status: Status = {
  project: "bot",
  version: "0.1.0",
  build: {
    id: "build",
    commit: null,
    dirty: null,
    version: "0.1.0",
    lockfile: null,
    installed: null,
    plugins: [],
    stale: [],
  },
  lastGood: null,
  uncommitted: null,
  runtime: {name: "bun", version: "1.4.5"},
  runtimeId: "run",
  authority: "authority",
  mode: "production",
  startedAt: at,
  uptime: 1,
  restarts: 0,
  endedCleanly: true,
  generation: {number: 1, committedAt: at, reason: "started"},
  pin: null,
  lastFailure: null,
  ready: true,
  supervisor: "systemd",
  ingress: {state: "paused", reasons: ["operator"], since: at},
  checkpoint: {id: "newest", createdAt: at, age: 1},
  checkpointFailure: null,
  database: {dialect: "sqlite", state: "initialized", schema: 12},
  workroom: {store: "database", authority: "authority", seq: 0},
  epoch: "epoch",
  authorities: [],
}

const facts = (endpoints: readonly EndpointView[]): Facts => ({
  status,
  endpoints,
  plugins: [],
  database: {
    dialect: "sqlite",
    schema: 12,
    storage: null,
    files: {count: 0, bytes: 0, quota: 0},
    disk: {free: 0, pauseBelow: 0, resumeAt: 0},
    growth: null,
    daysLeft: null,
    retention: [],
  },
  workroom: {
    store: "database",
    authority: "authority",
    seq: 0,
    hash: "",
    items: {open: 0, active: 0, blocked: 0, review: 0, done: 0, cancelled: 0},
    overdue: 0,
  },
  metrics: "",
})

const endpoints = [
  endpoint("failed", {state: "failed", admission: "closed", reason: "refused"}),
  endpoint("optional", {state: "reconnecting", error: "no route"}),
  endpoint("needed", {state: "reconnecting", required: true, error: "no route"}),
]

test("a required endpoint without a connection needs attention first, as admitting, not connected", () => {
  expect(attentionOf(facts(endpoints)).map(({tone, title}) => `${tone} ${title}`)).toEqual([
    `bad ${en.attention.notConnected("needed")}`,
    "bad Ingress is paused",
    "bad failed is failed",
    "warn optional is reconnecting",
  ])
})

test("it shows since when the endpoint is offline, the attempts, and the time of the next one", () => {
  const needed = endpoint("needed", {
    ...{state: "reconnecting", required: true, error: "no route", attempt: 5},
    ...{since: "2026-03-01T12:00:00.000Z", retryAt: "2026-03-01T12:07:00.000Z"},
  })
  const [first] = attentionOf(facts([needed]))
  expect(first?.why).toMatch(
    /^No connection since 1 Mar, \d\d:00\. Tried 5 times\. The last error: no route\. Next retry at 1 Mar, \d\d:07\.$/,
  )
  expect(first).toMatchObject({page: "endpoints", part: "needed"})
})

test("a required endpoint without a connection comes first below its slot, too", () => {
  const plugin = {
    name: "irc",
    owner: "root/irc",
    state: "active",
    capabilities: [{id: "root/irc/slot/irc", kind: "slot", name: "irc"}],
  } as const
  const [branch] = treeOf([{...plugin, capabilities: [...plugin.capabilities]}], endpoints)
  expect(branch?.slots[0]?.endpoints.map(({name}) => name)).toEqual(["needed", "failed", "optional"])
})

test("a connected endpoint that cannot read a place needs attention, and is an alert for each place", () => {
  const reason = {why: "it is encrypted", remediation: "Use another room."}
  const deaf = endpoint("matrix", {unreadable: ["#a", "#b"].map(place => ({place, ...reason}))})
  const found = facts([deaf])
  expect(attentionOf(found).map(({title}) => title)).toEqual(["Ingress is paused", en.attention.deaf("matrix", "#a")])
  const conditions = findingsOf({...found, aside: {inbox: 0, outbox: 0}}).flatMap(conditionsOf)
  expect(conditions.filter(({code}) => code === "endpoint_gap").map(({subject}) => subject)).toEqual([
    "matrix #a",
    "matrix #b",
  ])
  expect(attentionOf(facts([endpoint("matrix", {})])).map(({title}) => title)).toEqual(["Ingress is paused"])
})
