import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import {type LogLevel, logLevels} from "../../../shared/log.ts"
import {by, type Reading, single, singleOrNone} from "../../../shared/metrics/readings.ts"
import {type RunEnds, readRuns} from "../../database/state/runs.ts"
import type {RequestMeter} from "../../http/request-meter.ts"
import {once} from "../../runtime/flow/remember.ts"
import {version} from "../../runtime/version.ts"
import type {Sources} from "../parts/sources.ts"

/** Read at each request of the page. */
interface MetricsSources extends Sources {
  readonly requests: RequestMeter
  readonly report: () => ReadinessReport
  readonly isReady: () => boolean
}

const ingressReasons = ["operator", "release", "disk", "database"] as const

const oneIf = (holds: boolean): number => (holds ? 1 : 0)

const readHost = ({identity, recovery: {build}, generations, running, ingress, report, isReady}: MetricsSources) => {
  const {project, runtimeId, runtime, mode, authority, supervisor} = identity
  const labels = {
    project,
    runtime_id: runtimeId,
    version,
    runtime: `${runtime.name} ${runtime.version}`,
    mode,
    authority,
    supervisor: supervisor(),
    build: build.current.id,
    commit: build.current.commit ?? "",
  }
  const {state, reasons, since} = ingress.view
  const {current} = running
  return {
    svc_runtime_info: [{labels, value: 1}],
    svc_probe_success: by("probe", {health: 1, ready: oneIf(isReady())}),
    svc_component_ready: report()
      .components.filter(({required}) => required)
      .map(({kind, owner = "", name, ready}) => ({labels: {kind, owner, name}, value: oneIf(ready)})),
    svc_generation_number: single(current?.number ?? 0),
    svc_generation_committed_timestamp_seconds: singleOrNone(current && current.committedAt / 1000),
    svc_generation_refused: single(oneIf(generations.lastFailure !== undefined)),
    svc_ingress_paused: ingressReasons.map(reason => ({labels: {reason}, value: oneIf(reasons.includes(reason))})),
    svc_ingress_paused_since_timestamp_seconds: singleOrNone(state === "paused" ? Date.parse(since) / 1000 : undefined),
  }
}

/** Counters since the start. */
const readCounters = ({logs, database, requests, handlers}: MetricsSources) => {
  const {user, system} = process.cpuUsage()
  const {commits, state} = database
  const asked = requests.routes.filter(({latency}) => latency.count > 0)
  return {
    svc_http_requests_total: asked.flatMap(({method, path, byClass}) =>
      byClass.flatMap((value, digit) =>
        value === 0 ? [] : [{labels: {method, route: path, status: `${digit}xx`}, value}],
      ),
    ),
    svc_http_request_seconds: asked.map(({method, path, latency}) => ({
      labels: {method, route: path},
      histogram: latency,
    })),
    svc_http_rate_limited_total: single(requests.routes.reduce((sum, {limited}) => sum + limited, 0)),
    svc_event_loop_blocked_total: single(handlers.blocks),
    svc_handler_seconds: handlers.owners.map(({owner, seconds}) => ({labels: {owner}, histogram: seconds})),
    svc_handler_ends_total: handlers.owners.flatMap(({owner, ends}) =>
      Object.entries(ends).map(([outcome, value]) => ({labels: {owner, outcome}, value})),
    ),
    svc_database_failing: single(oneIf(state.is === "initialized" && state.failure !== undefined)),
    svc_database_replaced: single(oneIf(state.is === "initialized" && state.failure?.code === "database_replaced")),
    svc_database_damaged: single(oneIf(state.is === "initialized" && state.damage !== undefined)),
    svc_database_commit_seconds: [{labels: {}, histogram: commits.seconds}],
    svc_database_commit_failures_total: single(commits.failures),
    svc_database_unanswered_total: single(commits.unanswered),
    svc_database_group_batches: [{labels: {}, histogram: commits.batches}],
    svc_log_records_total: logLevels.map((level: LogLevel) => ({labels: {level}, value: logs.written[level]})),
    process_cpu_seconds_total: single((user + system) / 1e6),
  }
}

/** All ends that a run can have, so that each has a series before its first occurrence. */
const knownEnds: readonly RunEnds[] = [
  {exitCode: 0, reason: "stopped", count: 0},
  {exitCode: 51, reason: "restart_requested", count: 0},
  {exitCode: 75, reason: "restart_required", count: 0},
  {exitCode: 75, reason: "lease_lost", count: 0},
  {exitCode: 1, reason: "failed", count: 0},
  {exitCode: undefined, reason: "unclean", count: 0},
]

const readRunEnds = ({starts, ends}: {readonly starts: number; readonly ends: readonly RunEnds[]}) => {
  const missing = knownEnds.filter(
    known => !ends.some(({reason, exitCode}) => reason === known.reason && exitCode === known.exitCode),
  )
  return {
    svc_starts_total: single(starts),
    svc_runs_ended_total: [...ends, ...missing].map(({exitCode, reason, count}) => ({
      labels: {exit_code: exitCode === undefined ? "" : String(exitCode), reason},
      value: count,
    })),
  }
}

/** The figures of the process and of the Host as a whole. */
export const hostMetrics = (sources: MetricsSources) => {
  const {database, identity} = sources
  // The ends of earlier runs do not change during this run.
  const runs = once(() => readRuns(database, identity.runtimeId))
  return [
    {read: () => readHost(sources)},
    {read: () => readCounters(sources)},
    {group: "runs", read: () => runs().then(readRunEnds)},
  ] satisfies readonly Reading[]
}
