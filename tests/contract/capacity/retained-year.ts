import {v7 as uuid} from "uuid"
import {vi} from "vitest"
import {parseConfig} from "../../../server/config/load.ts"
import type {Database} from "../../../server/database/database.ts"
import {recordEnd, recordStart} from "../../../server/database/state/runs.ts"
import {EventLog} from "../../../server/events/log.ts"
import {EventRetention} from "../../../server/events/retention.ts"
import {Inbox} from "../../../server/inbox/inbox.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {durationOf} from "../../../shared/duration.ts"
import {aDay, retentionOf} from "../../support/capacity/retention.ts"
import {log, until} from "../../support/database/databases.ts"
import {lineEndpoint} from "../../support/messages/line-endpoint.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"
import {jobOf, schedulerOn} from "../../support/scheduler/jobs.ts"

export interface DailyLoad {
  readonly messages: number
  /** Runs of scheduled jobs; a divisor of 24. */
  readonly jobRuns: number
  /** Gaps of the endpoint, and starts of the Host. */
  readonly gaps: number
}

/** The retention of a configuration without these keys. */
export const {retention: defaults, events: eventDefaults} = parseConfig(
  {file: "svc.config.yml", text: "plugins: {}\n", sha256: ""},
  {},
).config

const {events: mostEvents, bytes: mostBytes, age} = eventDefaults.history
export const eventLimits = {events: mostEvents, bytes: mostBytes, age: durationOf(age)}

/**
 * The stores of a Host, without the Host, on a clock that the test moves. Each day real messages pass through inbox,
 * handler and outbox, the scheduler fires jobs, the endpoint has gaps, and the Host starts and ends. Then retention
 * runs.
 */
export class RetainedYear {
  readonly #database: Database
  readonly #load: DailyLoad
  readonly #inbox: Inbox
  readonly #outbox: Outbox
  readonly #events: EventLog
  readonly #clock: HandClock
  readonly #jobs: ReturnType<typeof schedulerOn>
  #now: number
  #sent = 0
  #received = 0
  #lastEvent = 0

  constructor(database: Database, load: DailyLoad, start: number) {
    this.#database = database
    this.#load = load
    this.#now = start
    this.#clock = new HandClock(new Date(start).toISOString(), aDay)
    this.#outbox = new Outbox(database, log)
    this.#inbox = new Inbox(database, this.#outbox, "year", log)
    this.#events = new EventLog(database, log)
    this.#jobs = schedulerOn(database, {clock: this.#clock})
  }

  async start(): Promise<void> {
    vi.useFakeTimers({toFake: ["Date"], now: this.#now})
    await this.#events.start()
    const handler = "root/line/handler/1"
    await this.#inbox.start({
      match: () => [handler],
      nest: handlers => ({around: [], within: handlers}),
      run: async ({event}) => ({
        is: "handled",
        sends: [
          {
            id: uuid(),
            kind: "message",
            endpoint: "line",
            channel: event.channel?.id ?? "",
            content: [`to ${event.message?.content}`],
          },
        ],
      }),
    })
    const send = async ({id}: {readonly id: string}) => {
      this.#sent++
      return {ids: [id]}
    }
    await this.#outbox.start({sender: () => ({send}), policy: () => undefined})
    await this.#jobs.scheduler.start([jobOf("regular", {schedule: {every: `${24 / this.#load.jobRuns}h`}})])
  }

  async day(): Promise<void> {
    const runtimeId = uuid()
    await recordStart(this.#database, {runtimeId, startedAt: this.#now, mode: "test", version: "1", runtime: "node"})
    await this.#exchange()
    await this.#leave()
    this.#now += aDay
    vi.setSystemTime(this.#now)
    await this.#clock.passTo(new Date(this.#now).toISOString(), this.#jobs.settle)
    await recordEnd(this.#database, runtimeId, 0, "stopped")
    await this.#date()
    await retentionOf(this.#database, defaults).sweep(this.#now)
    await new EventRetention(this.#database, this.#events, log, () => eventLimits).sweep(this.#now)
  }

  async stop(): Promise<void> {
    await this.#inbox.drain()
    await this.#outbox.drain()
    await this.#jobs.scheduler.drain()
    vi.useRealTimers()
  }

  async #exchange(): Promise<void> {
    const endpoint = lineEndpoint(this.#inbox)
    const receive = () => {
      const id = `message ${this.#received++}`
      const message = {id, content: `${id}: ${"words ".repeat(25)}`}
      const channel = {id: `channel ${this.#received % 20}`, type: 0}
      return this.#inbox.receive(endpoint, {type: "message-created", id, channel, user: {id: "ann"}, message})
    }
    await Promise.all(Array.from({length: this.#load.messages}, receive))
    await until("the answers to be sent", () => this.#sent === this.#received)
    const open =
      "SELECT 1 FROM inbox_marks WHERE state IN ('pending', 'running') UNION ALL SELECT 1 FROM outbox WHERE state IN ('queued', 'sending') LIMIT 1"
    await until("everything to end", async () => (await this.#database.read(open)).length === 0)
  }

  async #leave(): Promise<void> {
    for (let gap = 0; gap < this.#load.gaps; gap++) {
      await this.#database.write([
        {
          sql: "INSERT INTO endpoint_gaps (endpoint, from_at, reason) VALUES ('line', ?, 'host_stopped')",
          args: [this.#now + gap],
        },
        {sql: "UPDATE endpoint_gaps SET to_at = ? WHERE to_at IS NULL", args: [this.#now + gap + 1]},
      ])
    }
  }

  /** Triggers date their events by the database's clock, which the test does not move. */
  async #date(): Promise<void> {
    const [, head] = await this.#database.write([
      {sql: "UPDATE events SET at = ? WHERE offset > ?", args: [this.#now - 1, this.#lastEvent]},
      {sql: "SELECT coalesce(max(offset), 0) AS head FROM events"},
    ])
    this.#lastEvent = Math.max(this.#lastEvent, Number(head?.rows[0]?.head))
  }
}
