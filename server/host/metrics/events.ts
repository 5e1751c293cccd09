import type {EventLog} from "../../events/log.ts"
import {by, type Readings, single} from "../../metrics/readings.ts"
import type {MetricsSources} from "./sources.ts"

export const readStream = ({events: {events, stream}}: Pick<MetricsSources, "events">) =>
  ({
    svc_event_stream_clients: single(stream.clients),
    svc_event_stream_gaps_total: by("reason", Object.fromEntries(stream.gaps)),
    svc_event_stream_slow_consumers_total: single(stream.slowConsumers),
    svc_events_dropped_total: single(events.dropped),
  }) satisfies Partial<Readings>

export const noEventLog = {svc_event_log_head: []} satisfies Partial<Readings>

export const readEventLog = async (events: EventLog) => ({svc_event_log_head: single((await events.extent()).head)})
