import {expect, test} from "vitest"
import {Alerts} from "../../../server/metrics/alerts/alerts.ts"
import type {Condition} from "../../../server/metrics/alerts/condition.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import type {AlertSettings} from "../../../shared/config/alerts.ts"
import {localDatabase, open} from "../../support/database/databases.ts"
import {type Death, MortalDatabase} from "../../support/database/mortal-database.ts"

const settings: AlertSettings = {
  every: "1s",
  grace: "0s",
  settle: "1s",
  repeat: "0s",
  items: {endpoint_offline: {for: "0s"}},
  targets: {
    ops: {endpoint: "sandbox", channel: "ops", least: "warning", quiet: true},
    pager: {webhook: {url: "http://127.0.0.1:9/"}, least: "warning", quiet: true},
  },
  quiet: {zone: "UTC", hours: [], critical: true},
}

const offline: Condition = {
  code: "endpoint_offline",
  subject: "line",
  title: "offline",
  text: "",
  remediation: {text: ""},
}

const {log} = createLogs({level: "error", format: "json", colors: false, write: () => {}})

/** What the targets got, by the messages' ids, each of which a target counts once. */
type Told = Readonly<Record<"ops" | "pager", Map<string, string>>>

const alertsOn = (database: MortalDatabase, told: Told, now: () => number): Alerts =>
  new Alerts({
    who: {project: "bot", runtimeId: `run at ${now()}`},
    database,
    log,
    settings: () => settings,
    look: async () => ({conditions: now() < 4000 ? [offline] : [], unknown: new Set<never>()}),
    senders: {
      channelWaits: () => undefined,
      send: async (_, text, key) => void told.ops.set(key, text.startsWith("Resolved") ? "resolved" : "firing"),
      post: async (_, {body}) => {
        const {id, alerts} = JSON.parse(body)
        told.pager.set(id, alerts[0].status)
        return {ok: true, status: 200, headers: new Headers()}
      },
      mail: async () => {},
    },
    ask: async () => ({ok: true, status: 200}),
    isReady: () => true,
    isFailing: () => false,
    telling: () => [],
    scrub: text => text,
    now,
  })

test.each<Death>(["before", "after"])(
  "a kill %s any write of the alerts tells each target once that something is wrong and once that it is over",
  async death => {
    let kills = 0
    for (let writes = 0; kills === writes; writes++) {
      const database = await open(await localDatabase())
      const told: Told = {ops: new Map(), pager: new Map()}
      let now = 1000
      const live = async (mortal: MortalDatabase, end: number) => {
        const alerts = alertsOn(mortal, told, () => now)
        for (; now < end && !mortal.isDead; now += 1000)
          await Promise.race([alerts.check().then(() => alerts.idle()), mortal.died])
      }
      const first = new MortalDatabase(database)
      first.doom(writes, death)
      await live(first, 10_000)
      if (first.isDead) kills++
      await first.die()
      await live(new MortalDatabase(database), 20_000)
      const found = Object.values(told).map(messages => [...messages.values()])
      expect({writes, found}).toEqual({
        writes,
        found: [
          ["firing", "resolved"],
          ["firing", "resolved"],
        ],
      })
      await database.close()
    }
    expect(kills).toBeGreaterThan(4)
  },
)
