/** What one metric is: Prometheus' type, its labels, and what it says. Names and labels are stable. */
interface Metric {
  readonly type: "counter" | "gauge" | "histogram"
  readonly labels: readonly string[]
  readonly help: string
}

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

/**
 * Every metric that the Host itself feeds: the page, its reference and the alert rules name these and no others. Labels
 * are bounded by the configuration and the program: never a user, a channel or a message. `runtime_id` stands on
 * `svc_runtime_info` alone.
 */
export const metrics = {
  svc_runtime_info: {
    type: "gauge",
    labels: identity,
    help: "1, with what identifies this run of the Host. Join it to name project and run.",
  },
  svc_probe_success: {
    type: "gauge",
    labels: ["probe"],
    help: "What a probe answers now: 1 for 200, 0 for 503. health is 1 wherever this page is answered.",
  },
  svc_component_ready: {
    type: "gauge",
    labels: ["kind", "owner", "name"],
    help: "1 where a component that readiness requires is ready, else 0.",
  },
  svc_event_loop_blocked_total: {
    type: "counter",
    labels: [],
    help: "How often the event loop was blocked for longer than watchdog.seconds, counted once it was free again.",
  },
  svc_starts_total: {
    type: "counter",
    labels: [],
    help: "Starts of this project's Host that opened its database, this one included; kept across restarts.",
  },
  svc_runs_ended_total: {
    type: "counter",
    labels: ["exit_code", "reason"],
    help: "Runs that ended, kept across restarts: stopped, restart_requested, restart_required, lease_lost, failed, or unclean for a run that was killed (without an exit code).",
  },
  svc_generation_number: {type: "gauge", labels: [], help: "The number of the running generation."},
  svc_generation_committed_timestamp_seconds: {
    type: "gauge",
    labels: [],
    help: "When the running generation was committed.",
  },
  svc_generation_refused: {
    type: "gauge",
    labels: [],
    help: "1 where the newest draft was not committed, and an older generation goes on; else 0.",
  },
  svc_ingress_paused: {type: "gauge", labels: ["reason"], help: "1 where ingress is paused for this reason, else 0."},
  svc_ingress_paused_since_timestamp_seconds: {
    type: "gauge",
    labels: [],
    help: "Since when ingress is paused; no series while it is open.",
  },
  svc_http_requests_total: {
    type: "counter",
    labels: ["method", "route", "status"],
    help: "Requests by route template and class of status. /pub/health and /pub/ready are answered before they are counted.",
  },
  svc_http_request_seconds: {
    type: "histogram",
    labels: ["method", "route"],
    help: "From the request to its answer; of a stream, to its beginning. Routes that were asked.",
  },
  svc_http_rate_limited_total: {
    type: "counter",
    labels: [],
    help: "Requests that were answered 429: too many with a wrong token, or with a wrong signature.",
  },
  svc_endpoints: {type: "gauge", labels: ["state"], help: "Endpoints of the running generation by state."},
  svc_endpoint_online: {
    type: "gauge",
    labels: ["endpoint", "owner"],
    help: "1 where the endpoint is connected, else 0. An adapter that needs an account and has none is left out.",
  },
  svc_endpoint_admission_open: {
    type: "gauge",
    labels: ["endpoint", "owner"],
    help: "1 where the endpoint admits events, else 0.",
  },
  svc_endpoint_last_event_timestamp_seconds: {
    type: "gauge",
    labels: ["endpoint", "owner"],
    help: "When the endpoint's last event was stored; no series while none is known. After a start, looked up among the newest 5000 events.",
  },
  svc_endpoint_gaps_total: {
    type: "counter",
    labels: ["endpoint", "owner", "planned"],
    help: "Intervals in which what was said to an endpoint may be missing, kept across restarts. planned is true where an operator stopped the Host. Only an endpoint with history none, or whose adapter declares forgetsAcknowledged, has series.",
  },
  svc_endpoint_gap_seconds: {
    type: "histogram",
    labels: ["endpoint", "owner", "planned"],
    help: "How long those were that have ended, kept across restarts.",
  },
  svc_endpoint_gap_open_seconds: {
    type: "gauge",
    labels: ["endpoint", "owner", "planned"],
    help: "How long the one has lasted that goes on; no series while none does.",
  },
  svc_gaps_total: {
    type: "counter",
    labels: ["reason"],
    help: "The same by reason, over all endpoints that the project ever had.",
  },
  svc_endpoint_dropped_total: {
    type: "counter",
    labels: ["endpoint", "owner"],
    help: "Events that the platform delivered again so late that nobody can tell whether they were handled: they were not stored. Kept across restarts. Only an endpoint with history replay has series.",
  },
  svc_inbox_handlers: {
    type: "gauge",
    labels: ["state"],
    help: "Handlers of inbox events by state, without those that are done. Counted up to 20000 for each state.",
  },
  svc_inbox_oldest_age_seconds: {
    type: "gauge",
    labels: ["endpoint"],
    help: "Age of the endpoint's oldest inbox event with a handler that is pending or running; 0 where there is none among the oldest 2000 of each state.",
  },
  svc_handler_seconds: {
    type: "histogram",
    labels: ["owner"],
    help: "From the begin of a handler to its end, by plugin instance. A middleware's time includes what it is around.",
  },
  svc_handler_ends_total: {
    type: "counter",
    labels: ["owner", "outcome"],
    help: "Runs of handlers that ended, by plugin instance: handled, failed, interrupted.",
  },
  svc_outbox_messages: {
    type: "gauge",
    labels: ["state"],
    help: "Outbox messages by state, without those that are done. Counted up to 20000 for each state.",
  },
  svc_outbox_oldest_age_seconds: {
    type: "gauge",
    labels: ["endpoint"],
    help: "Age of the endpoint's oldest outbox message that is queued or being sent; 0 where there is none among the oldest 2000 of each state.",
  },
  svc_outbox_unknown_messages: {
    type: "gauge",
    labels: ["endpoint"],
    help: "Outbox messages that may or may not have arrived, by endpoint; counted among the newest 2000 of them.",
  },
  svc_dead_letters: {
    type: "gauge",
    labels: ["box", "endpoint"],
    help: "What is dead until somebody decides: handlers of inbox events, messages of the outbox. Counted among the newest 2000 of each.",
  },
  svc_timers: {
    type: "gauge",
    labels: ["state"],
    help: "Timers of plugins that wait, that a restore holds, and that came due and could not fire. Counted up to 10000 for each state.",
  },
  svc_database_bytes: {
    type: "gauge",
    labels: [],
    help: "Size of the database file, without its log. Not for a remote one.",
  },
  svc_database_wal_bytes: {
    type: "gauge",
    labels: [],
    help: "Size of the database's write-ahead log. Not for a remote one.",
  },
  svc_files_bytes: {
    type: "gauge",
    labels: [],
    help: "What the files of messages in data/files/ take together.",
  },
  svc_files_quota_bytes: {
    type: "gauge",
    labels: [],
    help: "With more than this, a message with a new file is refused (files.quota).",
  },
  svc_disk_free_bytes: {
    type: "gauge",
    labels: [],
    help: "Free space for the Host's own folders; where they are on several disks, the least.",
  },
  svc_disk_minimum_free_bytes: {
    type: "gauge",
    labels: [],
    help: "With less free space than this, ingress is paused (ingress.minimumFree).",
  },
  svc_database_capacity_ratio: {
    type: "gauge",
    labels: [],
    help: "Share of the space that the database has, or could take on its disk, which it has. Not for a remote one.",
  },
  svc_database_unused_bytes: {
    type: "gauge",
    labels: [],
    help: "What is free inside of the database file, and is used again. Not for a remote one.",
  },
  svc_database_growth_bytes_per_day: {
    type: "gauge",
    labels: [],
    help: "By how much what the database uses grew in a day, over up to 7 days; no series until an hour was seen.",
  },
  svc_retention_dropped_total: {
    type: "counter",
    labels: ["part"],
    help: "Rows that were dropped because they were old or too many, kept across restarts; parts as under retention.",
  },
  svc_retention_undelivered_dropped_total: {
    type: "counter",
    labels: ["part"],
    help: "Of these, what was failed, dead, unknown or held: nobody had decided about it.",
  },
  svc_database_failing: {
    type: "gauge",
    labels: [],
    help: "1 where the newest change was not stored for a reason that is the database's, else 0.",
  },
  svc_database_replaced: {
    type: "gauge",
    labels: [],
    help: "1 where the database file was removed or replaced under the Host, and a rescue is due; else 0.",
  },
  svc_database_commit_seconds: {
    type: "histogram",
    labels: [],
    help: "From the begin of a group commit to its durable end.",
  },
  svc_database_commit_failures_total: {
    type: "counter",
    labels: [],
    help: "Group commits that failed, whatever became of them.",
  },
  svc_database_unanswered_total: {
    type: "counter",
    labels: [],
    help: "Requests that a remote database did not answer in time.",
  },
  svc_database_group_batches: {
    type: "histogram",
    labels: [],
    help: "Changes that shared one group commit: batches, and each message of a batch for many.",
  },
  svc_event_stream_clients: {type: "gauge", labels: [], help: "Clients of the event stream now."},
  svc_event_stream_gaps_total: {
    type: "counter",
    labels: ["reason"],
    help: "Gaps that the event stream reported to clients, by reason.",
  },
  svc_event_stream_slow_consumers_total: {
    type: "counter",
    labels: [],
    help: "Clients of the event stream that were let go because they were too far behind.",
  },
  svc_events_dropped_total: {
    type: "counter",
    labels: [],
    help: "Events that were not stored, since the database did not take them for too long.",
  },
  svc_event_log_head: {type: "gauge", labels: [], help: "Offset of the newest event."},
  svc_workroom_items: {type: "gauge", labels: ["state"], help: "Work items by state."},
  svc_workroom_overdue_items: {
    type: "gauge",
    labels: [],
    help: "Blocked work items whose deadline has passed.",
  },
  svc_workroom_commands_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Commands on work items: recorded, refused.",
  },
  svc_job_runs_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Runs of scheduled jobs that ended: succeeded, failed, cancelled, skipped.",
  },
  svc_agent_runs_total: {
    type: "counter",
    labels: ["agent", "outcome"],
    help: "Runs of agents that ended, by binding: succeeded, failed, cancelled.",
  },
  svc_agent_runs: {
    type: "gauge",
    labels: ["agent", "state"],
    help: "Runs of agents that have not ended, by binding: queued, running, waiting, held.",
  },
  svc_agent_failed_run_info: {
    type: "gauge",
    labels: ["agent", "run_id"],
    help: "Always 1: the newest run of an agent that failed or was cancelled; no series where none is kept.",
  },
  svc_agent_tokens_total: {
    type: "counter",
    labels: ["agent", "direction"],
    help: "Tokens of runs that ended, by binding: in is what the model read, out is what it wrote.",
  },
  svc_agent_money_total: {
    type: "counter",
    labels: ["agent"],
    help: "Money of runs that ended, by binding, in the unit of its prices.",
  },
  svc_agent_approvals_waiting: {
    type: "gauge",
    labels: [],
    help: "Calls of agents that wait for a person to approve them.",
  },
  svc_agent_tool_seconds: {
    type: "histogram",
    labels: ["agent", "tool", "outcome"],
    help: "From the begin of a tool call to its end, by binding: done, failed, unknown, refused.",
  },
  svc_agent_model_seconds: {
    type: "histogram",
    labels: ["agent", "outcome"],
    help: "From the begin of a model call to its end, by binding: done, failed.",
  },
  svc_checkpoint_verified_timestamp_seconds: {
    type: "gauge",
    labels: [],
    help: "When the newest verified checkpoint was made; no series while there is none.",
  },
  svc_checkpoints_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Checkpoints that were made or verified: verified, refused (not fit to restore), failed.",
  },
  svc_log_records_total: {type: "counter", labels: ["level"], help: "Log records that were written, by level."},
  svc_collect_failures_total: {
    type: "counter",
    labels: ["part"],
    help: "Times that a part of this page could not be read; its metrics are missing then.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    labels: [],
    help: "Total user and system CPU time spent in seconds.",
  },
} as const satisfies Readonly<Record<`svc_${string}` | `process_${string}`, Metric>>

/** Those of prom-client's default metrics that are right on Bun and on Node, and that `promtool check metrics` passes. */
export const processMetrics = {
  process_start_time_seconds: {type: "gauge", labels: [], help: "When the process was started."},
  process_resident_memory_bytes: {type: "gauge", labels: [], help: "Resident memory."},
  process_virtual_memory_bytes: {type: "gauge", labels: [], help: "Virtual memory."},
  process_heap_bytes: {type: "gauge", labels: [], help: "Data segment of the process."},
  process_open_fds: {type: "gauge", labels: [], help: "Open file descriptors."},
  process_max_fds: {type: "gauge", labels: [], help: "File descriptors that may be open."},
  nodejs_heap_size_total_bytes: {type: "gauge", labels: [], help: "Size of the JavaScript heap."},
  nodejs_heap_size_used_bytes: {type: "gauge", labels: [], help: "Used part of the JavaScript heap."},
  nodejs_external_memory_bytes: {type: "gauge", labels: [], help: "Memory outside of the heap that its objects hold."},
} as const satisfies Readonly<Record<string, Metric>>

export type MetricName = keyof typeof metrics
