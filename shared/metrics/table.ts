/** One metric: its Prometheus type, its labels and its help text. Names and labels are stable. */
interface Metric {
  readonly type: "counter" | "gauge" | "histogram"
  readonly labels: readonly string[]
  readonly help: string
}

/** Defines a metric by its help text and its labels. */
const metricOf =
  <T extends Metric["type"]>(type: T) =>
  <const L extends readonly string[]>(help: string, ...labels: L) => ({type, labels, help})

const counter = metricOf("counter")
const gauge = metricOf("gauge")
const histogram = metricOf("histogram")

const identity = [
  "project",
  "runtime_id",
  "version",
  "runtime",
  "mode",
  "authority",
  "supervisor",
  "build",
  "commit",
] as const

const ofEndpoint = ["endpoint", "owner"] as const
const ofGap = [...ofEndpoint, "planned"] as const

/**
 * Every metric of the Host itself: the page, its reference and the alert rules name only these. The configuration and
 * the program limit the number of labels: a label is never a user, a channel or a message. Only `svc_runtime_info` has
 * `runtime_id`.
 */
export const metrics = {
  svc_runtime_info: gauge("Always 1; its labels identify this run. Join it to name project and run.", ...identity),
  svc_probe_success: gauge("A probe's answer: 1 for 200, 0 for 503. health is 1 whenever this page answers.", "probe"),
  svc_component_ready: gauge("1 if a component that readiness requires is ready, else 0.", "kind", "owner", "name"),
  svc_event_loop_blocked_total: counter(
    "Times that the event loop was blocked for longer than watchdog.seconds, counted when it is free again.",
  ),
  svc_starts_total: counter("Starts of the Host that opened its database, including this one; kept across restarts."),
  svc_runs_ended_total: counter(
    "Runs that ended, kept across restarts: stopped, restart_requested, restart_required, lease_lost, failed, or unclean for a run that was killed (without an exit code).",
    "exit_code",
    "reason",
  ),
  svc_generation_number: gauge("The number of the running generation."),
  svc_generation_committed_timestamp_seconds: gauge("When the running generation was committed."),
  svc_generation_refused: gauge("1 if the newest draft was not committed and an older generation runs, else 0."),
  svc_ingress_paused: gauge("1 if ingress is paused for this reason, else 0.", "reason"),
  svc_ingress_paused_since_timestamp_seconds: gauge("When ingress was paused; no series while it is open."),
  svc_http_requests_total: counter("Requests by route and status class, without probes.", "method", "route", "status"),
  svc_http_request_seconds: histogram(
    "Time from a request to its answer; for a stream, to its beginning. Only routes that were requested.",
    "method",
    "route",
  ),
  svc_http_rate_limited_total: counter("Requests answered with 429, after too many with a wrong token or signature."),
  svc_endpoints: gauge("Endpoints of the running generation by state.", "state"),
  svc_endpoint_online: gauge(
    "1 if the endpoint is connected, else 0. No series for an adapter that needs an account and has none.",
    ...ofEndpoint,
  ),
  svc_endpoint_admission_open: gauge("1 if the endpoint admits events, else 0.", ...ofEndpoint),
  svc_endpoint_last_event_timestamp_seconds: gauge(
    "When the endpoint's last event was stored; no series if none is known.",
    ...ofEndpoint,
  ),
  svc_endpoint_gaps_total: counter(
    "Intervals in which an endpoint may have missed messages, kept across restarts. planned is true if an operator stopped the Host. Only for endpoints with history none, or whose adapter declares forgetsAcknowledged.",
    ...ofGap,
  ),
  svc_endpoint_gap_seconds: histogram("Length of the gaps that have ended, kept across restarts.", ...ofGap),
  svc_endpoint_gap_open_seconds: gauge("How long the open gap has lasted; no series if none is open.", ...ofGap),
  svc_gaps_total: counter("Gaps by reason, over all endpoints that the project ever had.", "reason"),
  svc_endpoint_unknown_total: counter("Unknown events and values of the platform, which were left out.", ...ofEndpoint),
  svc_endpoint_dropped_total: counter(
    "Events that the platform redelivered too late to tell whether they were handled; the Host did not store them. Kept across restarts. Only for endpoints with history replay.",
    ...ofEndpoint,
  ),
  svc_inbox_repeats_total: counter(
    "Deliveries under the id of a stored event, which the Host did not store again. differs is true if the content was another one.",
    "endpoint",
    "differs",
  ),
  svc_inbox_handlers: gauge("Unfinished handlers of inbox events, by state. Counts at most 20000 per state.", "state"),
  svc_inbox_oldest_age_seconds: gauge(
    "Age of the endpoint's oldest inbox event with a pending or running handler; 0 if there is none among the oldest 2000 of each state.",
    "endpoint",
  ),
  svc_handler_seconds: histogram(
    "Time from the start of a handler to its end, by plugin instance. The time of a middleware includes the handlers inside it.",
    "owner",
  ),
  svc_handler_ends_total: counter("Ended handler runs, by plugin: handled, failed, interrupted.", "owner", "outcome"),
  svc_outbox_messages: gauge("Unfinished outbox messages, by state. Counts at most 20000 per state.", "state"),
  svc_outbox_oldest_age_seconds: gauge(
    "Age of the endpoint's oldest outbox message that is queued or being sent; 0 if there is none among the oldest 2000 of each state.",
    "endpoint",
  ),
  svc_outbox_unknown_messages: gauge("Outbox messages that may have arrived; counts the newest 2000.", "endpoint"),
  svc_dead_letters: gauge(
    "Handlers of inbox events and outbox messages that are dead until somebody decides. Counts the newest 2000 of each.",
    "box",
    "endpoint",
  ),
  svc_timers: gauge("Plugin timers: waiting, held, or failed to fire. Counts at most 10000 per state.", "state"),
  svc_database_bytes: gauge("Size of the database file, without its log. Not for a remote database."),
  svc_database_wal_bytes: gauge("Size of the database's write-ahead log. Not for a remote database."),
  svc_files_bytes: gauge("Total size of the message files in data/files/."),
  svc_files_quota_bytes: gauge("Above this size, the Host rejects messages with a new file (files.quota)."),
  svc_disk_free_bytes: gauge("Free space for the Host's own folders; the smallest value if they are on several disks."),
  svc_disk_minimum_free_bytes: gauge("Below this free space, the Host pauses ingress (ingress.minimumFree)."),
  svc_database_capacity_ratio: gauge("The database's share of the space it could take. Not for a remote one."),
  svc_database_unused_bytes: gauge("Free space inside the database file, which it reuses. Not for a remote database."),
  svc_database_growth_bytes_per_day: gauge("Daily growth of the database over up to 7 days; none in the first hour."),
  svc_retention_dropped_total: counter(
    "Rows that retention deleted because they were too old or too many, kept across restarts; parts as under retention.",
    "part",
  ),
  svc_retention_undelivered_dropped_total: counter(
    "Rows that retention deleted while they were failed, dead, unknown or held: nobody had decided about them.",
    "part",
  ),
  svc_database_failing: gauge("1 if the database failed to store the newest change, else 0."),
  svc_database_replaced: gauge(
    "1 if the database file was removed, replaced or changed under the running Host and a rescue is due, else 0.",
  ),
  svc_database_damaged: gauge("1 if SQLite has found a damaged page of the database in this run, else 0."),
  svc_database_commit_seconds: histogram("Time from the start of a group commit until it is durable."),
  svc_database_commit_failures_total: counter("Group commits that failed, whether or not a retry succeeded."),
  svc_database_unanswered_total: counter("Requests that a remote database did not answer in time."),
  svc_database_group_batches: histogram("Changes per group commit: batches, and each message of a batch for many."),
  svc_event_stream_clients: gauge("Clients of the event stream that are connected now."),
  svc_event_stream_gaps_total: counter("Gaps that the event stream reported to clients, by reason.", "reason"),
  svc_event_stream_slow_consumers_total: counter("Clients of the event stream disconnected for being too far behind."),
  svc_events_dropped_total: counter("Events that were lost because the database did not store them for too long."),
  svc_event_log_head: gauge("Offset of the newest event."),
  svc_workroom_items: gauge("Work items by state.", "state"),
  svc_workroom_overdue_items: gauge("Blocked work items whose deadline has passed."),
  svc_workroom_commands_total: counter("Commands on work items: recorded, refused.", "outcome"),
  svc_job_runs_total: counter("Runs of scheduled jobs that ended: succeeded, failed, cancelled, skipped.", "outcome"),
  svc_agent_runs_total: counter("Ended runs of agents, by binding: succeeded, failed, cancelled.", "agent", "outcome"),
  svc_agent_runs: gauge("Open runs of agents, by binding: queued, running, waiting, held.", "agent", "state"),
  svc_agent_failed_run_info: gauge(
    "Always 1: the newest run of an agent that failed or was cancelled; no series if none is kept.",
    "agent",
    "run_id",
  ),
  svc_agent_tokens_total: counter(
    "Tokens of runs that ended, by binding: in counts what the model read, out what it wrote.",
    "agent",
    "direction",
  ),
  svc_agent_money_total: counter("Cost of runs that ended, by binding, in the unit of its prices.", "agent"),
  svc_agent_approvals_waiting: gauge("Agent calls that wait for a person's approval."),
  svc_agent_tool_seconds: histogram(
    "Time from the start of a tool call to its end, by binding: done, failed, unknown, refused.",
    "agent",
    "tool",
    "outcome",
  ),
  svc_agent_model_seconds: histogram(
    "Time from the start of a model call to its end, by binding and model: done, failed.",
    "agent",
    "model",
    "outcome",
  ),
  svc_agent_unknown_total: counter(
    "Events, parts and values in the answers of models that this version does not know and left out, by binding.",
    "agent",
  ),
  svc_checkpoint_verified_timestamp_seconds: gauge("When the newest verified checkpoint was made; absent if none."),
  svc_checkpoints_total: counter("Checkpoints made or verified: verified, refused (unfit), failed.", "outcome"),
  svc_log_records_total: counter("Log records written, by level.", "level"),
  svc_collect_failures_total: counter("Failed readings of a part of this page; its metrics are then missing.", "part"),
  process_cpu_seconds_total: counter("Total user and system CPU time spent in seconds."),
} as const satisfies Readonly<Record<`svc_${string}` | `process_${string}`, Metric>>

/** The default metrics of prom-client that are correct on Bun and on Node and that pass `promtool check metrics`. */
export const processMetrics = {
  process_start_time_seconds: gauge("When the process started."),
  process_resident_memory_bytes: gauge("Resident memory."),
  process_virtual_memory_bytes: gauge("Virtual memory."),
  process_heap_bytes: gauge("Data segment of the process."),
  process_open_fds: gauge("Open file descriptors."),
  process_max_fds: gauge("Maximum number of open file descriptors."),
  nodejs_heap_size_total_bytes: gauge("Size of the JavaScript heap."),
  nodejs_heap_size_used_bytes: gauge("Used part of the JavaScript heap."),
  nodejs_external_memory_bytes: gauge("Memory outside the heap that JavaScript objects hold."),
} as const satisfies Readonly<Record<string, Metric>>

export type MetricName = keyof typeof metrics
