import {itemStates} from "../../../shared/api/item-rules.ts"
import type {Database} from "../../database/database.ts"
import {readRuns} from "../../database/runs.ts"
import {GapCounts} from "../../endpoints/gaps/gap-counts.ts"
import type {EventLog} from "../../events/log.ts"
import {MetricsPage} from "../../metrics/page.ts"
import {by, type Readings, single, singleOrNone} from "../../metrics/readings.ts"
import type {Checkpoints} from "../../recovery/checkpoints.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {readRunTotals} from "../../scheduler/run-rows.ts"
import type {Workroom} from "../../workroom/workroom.ts"
import {noAgents, readAgents, readCalls} from "./agents.ts"
import {
  noCapacity,
  noDepths,
  noFiles,
  noStorage,
  noWatch,
  readCapacity,
  readDepths,
  readDisk,
  readFiles,
  readStoredSizes,
} from "./data.ts"
import {noDropped, noGaps, readDroppedEvents, readEndpoints, readGaps, readRepeats} from "./endpoints.ts"
import {noRuns, readCounters, readHost, readRunEnds} from "./host.ts"
import {once} from "./remember.ts"
import type {MetricsSources} from "./sources.ts"

const readStream = ({events: {events, stream}}: Pick<MetricsSources, "events">) =>
  ({
    svc_event_stream_clients: single(stream.clients),
    svc_event_stream_gaps_total: by("reason", Object.fromEntries(stream.gaps)),
    svc_event_stream_slow_consumers_total: single(stream.slowConsumers),
    svc_events_dropped_total: single(events.dropped),
  }) satisfies Partial<Readings>

const noEventLog = {svc_event_log_head: []} satisfies Partial<Readings>

const readEventLog = async (events: EventLog) => ({svc_event_log_head: single((await events.extent()).head)})

/** The work items by state. Each state has a series before its first item. */
const readWorkroom = ({items, counts}: Workroom) => {
  const states = Object.fromEntries(itemStates.map(state => [state, 0]))
  for (const {state} of items) states[state] = (states[state] ?? 0) + 1
  return {
    svc_workroom_items: by("state", states),
    svc_workroom_overdue_items: single(items.filter(({blocker}) => blocker?.overdue === true).length),
    svc_workroom_commands_total: by("outcome", {...counts}),
  } satisfies Partial<Readings>
}

const noJobRuns = {svc_job_runs_total: []} satisfies Partial<Readings>

/** All ended runs of jobs, since the first one. */
const readJobRuns = async (database: Database) => {
  return {svc_job_runs_total: by("outcome", await readRunTotals(database))} satisfies Partial<Readings>
}

/** Only verified checkpoints count. */
const readCheckpoints = (checkpoints: Checkpoints) => {
  const newest = checkpoints.newest(Date.now())
  return {
    svc_checkpoints_total: by("outcome", {...checkpoints.outcomes}),
    svc_checkpoint_verified_timestamp_seconds: singleOrNone(
      newest === null ? undefined : Date.parse(newest.createdAt) / 1000,
    ),
  } satisfies Partial<Readings>
}

/** The longest wait for a part, in milliseconds. Prometheus waits 10 s for the page. */
const readLimit = 5000

/** The page of `GET /api/metrics`. A part that cannot be read is counted as failed; the page shows the rest. */
export const createMetrics = (sources: MetricsSources): MetricsPage => {
  const {identity, database, endpoints} = sources
  const failures = {runs: 0, gaps: 0, messages: 0, storage: 0, events: 0, jobs: 0, agents: 0, disk: 0}
  const orNothing = <T>(part: keyof typeof failures, reading: Promise<T>, nothing: T): Promise<T> =>
    withTimeLimit(readLimit, () => reading).catch(() => {
      failures[part]++
      return nothing
    })
  const gapCounts = new GapCounts(database)
  // The ends of earlier runs do not change during this run.
  const runs = once(() => readRuns(database, identity.runtimeId))
  return new MetricsPage(async (): Promise<Readings> => {
    const list = endpoints.list()
    const [ends, gaps, dropped, depths, storage, capacity, files, eventLog, jobRuns, agents, disk] = await Promise.all([
      orNothing("runs", runs().then(readRunEnds), noRuns),
      orNothing("gaps", readGaps(gapCounts, list), noGaps),
      orNothing("messages", readDroppedEvents(database, list), noDropped),
      orNothing(
        "messages",
        readDepths(
          database,
          list.map(({spec}) => spec.name),
        ),
        noDepths,
      ),
      orNothing("storage", readStoredSizes(database.location), noStorage),
      orNothing("storage", readCapacity(database), noCapacity),
      orNothing("storage", readFiles(sources.files.store), noFiles),
      orNothing("events", readEventLog(sources.events.events), noEventLog),
      orNothing("jobs", readJobRuns(database), noJobRuns),
      orNothing("agents", readAgents(database, sources.agents.bindings), noAgents),
      orNothing("disk", readDisk(sources.capacity.disk), noWatch),
    ])
    return {
      ...readHost(sources),
      ...readCounters(sources),
      ...readStream(sources),
      ...readWorkroom(sources.workroom.workroom),
      ...readCheckpoints(sources.recovery.checkpoints),
      ...readEndpoints(list),
      ...readRepeats(list, sources.inbox.repeats),
      ...ends,
      ...gaps,
      ...dropped,
      ...depths,
      ...storage,
      ...capacity,
      ...files,
      ...eventLog,
      ...jobRuns,
      ...disk,
      ...agents,
      ...readCalls(sources.agents.meter),
      svc_collect_failures_total: by("part", failures),
    }
  })
}
