import type {ProjectConfig} from "../../shared/config/config.ts"
import {durationOf} from "../../shared/duration.ts"
import {epochOf} from "../../shared/event-id.ts"
import type {Log} from "../../shared/log.ts"
import {by, single} from "../../shared/metrics/readings.ts"
import type {Database} from "../database/database.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Part} from "../runtime/part.ts"
import {Envelopes} from "./envelope.ts"
import {ErrorEvents, type LoggedError} from "./errors.ts"
import {EventLog} from "./log.ts"
import {EventRetention} from "./retention.ts"
import type {EventServices} from "./routes.ts"
import {EventStream} from "./stream.ts"

export interface EventsOptions {
  readonly database: Database
  readonly project: string
  readonly authority: string
  readonly logs: {
    readonly log: Log
    scrubJson(json: string): string
    onError(hear: (record: LoggedError) => void): void
  }
}

/** The event log of a Host, and its streams. */
export const openEvents = async (
  {database, project, authority, logs}: EventsOptions,
  running: {readonly settings: Pick<ProjectConfig, "events">},
) => {
  const {log} = logs
  const epoch = epochOf(authority)
  const events = new EventLog(database, log, logs.scrubJson)
  await events.start()
  const envelopes = new Envelopes({epoch, project, hide: logs.scrubJson})
  const stream = new EventStream({database, events, envelopes, epoch, log})
  const retention = new EventRetention(database, events, log, () => {
    const {age, ...most} = running.settings.events.history
    return {...most, age: durationOf(age)}
  })
  const errors = new ErrorEvents()
  logs.onError(record => {
    const data = errors.take(record)
    if (data !== undefined) events.raise("log.error", data)
  })
  const settled = () => withTimeLimit(500, () => events.idle()).catch(() => {})
  const services: EventServices = {events, stream, envelopes, epoch}
  const part: Part = {
    name: "the event log",
    close: settled,
    metrics: [
      {
        read: () => ({
          svc_event_stream_clients: single(stream.clients),
          svc_event_stream_gaps_total: by("reason", Object.fromEntries(stream.gaps)),
          svc_event_stream_slow_consumers_total: single(stream.slowConsumers),
          svc_events_dropped_total: single(events.dropped),
        }),
      },
      {group: "events", read: async () => ({svc_event_log_head: single((await events.extent()).head)})},
    ],
    facts: {
      streamGaps: () => [...stream.gaps.values()].reduce((sum, count) => sum + count, 0),
      eventsDropped: () => events.dropped,
    },
    routes: async () => (await import("./routes.ts")).eventRoutes(services),
  }
  return {
    ...part,
    ...services,
    raise: events.raise,
    retention: {name: "the deletion of old events", start: () => retention.start(), close: () => retention.stop()},
    /** Delivers the stored events and ends the streams. Later events are still stored. */
    streams: {
      name: "event streams",
      close: async () => {
        await settled()
        await withTimeLimit(500, () => stream.end()).catch(() => {})
      },
    },
  }
}
