/** One metric: its Prometheus type, its labels and its help text. Names and labels are stable. */
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
 * Every metric of the Host itself: the page, its reference and the alert rules name only these. The configuration and
 * the program limit the number of labels: a label is never a user, a channel or a message. Only `svc_runtime_info` has
 * `runtime_id`.
 */
export const metrics = {
  svc_runtime_info: {
    type: "gauge",
    labels: identity,
    help: "Always 1; its labels identify this run of the Host. Join it to name project and run.",
  },
  svc_probe_success: {
    type: "gauge",
    labels: ["probe"],
    help: "The current answer of a probe: 1 for 200, 0 for 503. health is 1 whenever this page answers.",
  },
  svc_component_ready: {
    type: "gauge",
    labels: ["kind", "owner", "name"],
    help: "1 if a component that readiness requires is ready, else 0.",
  },
  svc_event_loop_blocked_total: {
    type: "counter",
    labels: [],
    help: "Times that the event loop was blocked for longer than watchdog.seconds, counted when it is free again.",
  },
  svc_starts_total: {
    type: "counter",
    labels: [],
    help: "Starts of this project's Host that opened its database, including this one; kept across restarts.",
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
    help: "1 if the newest draft was not committed and an older generation keeps running, else 0.",
  },
  svc_ingress_paused: {type: "gauge", labels: ["reason"], help: "1 if ingress is paused for this reason, else 0."},
  svc_ingress_paused_since_timestamp_seconds: {
    type: "gauge",
    labels: [],
    help: "When ingress was paused; no series while it is open.",
  },
  svc_http_requests_total: {
    type: "counter",
    labels: ["method", "route", "status"],
    help: "Requests by route template and status class, without /pub/health and /pub/ready.",
  },
  svc_http_request_seconds: {
    type: "histogram",
    labels: ["method", "route"],
    help: "Time from a request to its answer; for a stream, to its beginning. Only routes that were requested.",
  },
  svc_http_rate_limited_total: {
    type: "counter",
    labels: [],
    help: "Requests answered with 429, after too many with a wrong token or a wrong signature.",
  },
  svc_endpoints: {type: "gauge", labels: ["state"], help: "Endpoints of the running generation by state."},
  svc_endpoint_online: {
    type: "gauge",
    labels: ["endpoint", "owner"],
    help: "1 if the endpoint is connected, else 0. No series for an adapter that needs an account and has none.",
  },
  svc_endpoint_admission_open: {
    type: "gauge",
    labels: ["endpoint", "owner"],
    help: "1 if the endpoint admits events, else 0.",
  },
  svc_endpoint_last_event_timestamp_seconds: {
    type: "gauge",
    labels: ["endpoint", "owner"],
    help: "When the endpoint's last event was stored; no series if none is known. A start looks it up among the newest 5000 events.",
  },
  svc_endpoint_gaps_total: {
    type: "counter",
    labels: ["endpoint", "owner", "planned"],
    help: "Intervals in which an endpoint may have missed messages, kept across restarts. planned is true if an operator stopped the Host. Only for endpoints with history none, or whose adapter declares forgetsAcknowledged.",
  },
  svc_endpoint_gap_seconds: {
    type: "histogram",
    labels: ["endpoint", "owner", "planned"],
    help: "Length of the gaps that have ended, kept across restarts.",
  },
  svc_endpoint_gap_open_seconds: {
    type: "gauge",
    labels: ["endpoint", "owner", "planned"],
    help: "How long the open gap has lasted; no series if none is open.",
  },
  svc_gaps_total: {
    type: "counter",
    labels: ["reason"],
    help: "Gaps by reason, over all endpoints that the project ever had.",
  },
  svc_endpoint_dropped_total: {
    type: "counter",
    labels: ["endpoint", "owner"],
    help: "Events that the platform redelivered too late to tell whether they were handled; the Host did not store them. Kept across restarts. Only for endpoints with history replay.",
  },
  svc_inbox_handlers: {
    type: "gauge",
    labels: ["state"],
    help: "Handlers of inbox events by state, without those that are done. Counts at most 20000 per state.",
  },
  svc_inbox_oldest_age_seconds: {
    type: "gauge",
    labels: ["endpoint"],
    help: "Age of the endpoint's oldest inbox event with a pending or running handler; 0 if there is none among the oldest 2000 of each state.",
  },
  svc_handler_seconds: {
    type: "histogram",
    labels: ["owner"],
    help: "Time from the start of a handler to its end, by plugin instance. The time of a middleware includes the handlers inside it.",
  },
  svc_handler_ends_total: {
    type: "counter",
    labels: ["owner", "outcome"],
    help: "Handler runs that ended, by plugin instance: handled, failed, interrupted.",
  },
  svc_outbox_messages: {
    type: "gauge",
    labels: ["state"],
    help: "Outbox messages by state, without those that are done. Counts at most 20000 per state.",
  },
  svc_outbox_oldest_age_seconds: {
    type: "gauge",
    labels: ["endpoint"],
    help: "Age of the endpoint's oldest outbox message that is queued or being sent; 0 if there is none among the oldest 2000 of each state.",
  },
  svc_outbox_unknown_messages: {
    type: "gauge",
    labels: ["endpoint"],
    help: "Outbox messages that may or may not have arrived, by endpoint; counts the newest 2000 of them.",
  },
  svc_dead_letters: {
    type: "gauge",
    labels: ["box", "endpoint"],
    help: "Handlers of inbox events and outbox messages that are dead until somebody decides. Counts the newest 2000 of each.",
  },
  svc_timers: {
    type: "gauge",
    labels: ["state"],
    help: "Plugin timers that wait, that a restore holds, or that came due and could not fire. Counts at most 10000 per state.",
  },
  svc_database_bytes: {
    type: "gauge",
    labels: [],
    help: "Size of the database file, without its log. Not for a remote database.",
  },
  svc_database_wal_bytes: {
    type: "gauge",
    labels: [],
    help: "Size of the database's write-ahead log. Not for a remote database.",
  },
  svc_files_bytes: {
    type: "gauge",
    labels: [],
    help: "Total size of the message files in data/files/.",
  },
  svc_files_quota_bytes: {
    type: "gauge",
    labels: [],
    help: "Above this size, the Host rejects messages with a new file (files.quota).",
  },
  svc_disk_free_bytes: {
    type: "gauge",
    labels: [],
    help: "Free space for the Host's own folders; the smallest value if they are on several disks.",
  },
  svc_disk_minimum_free_bytes: {
    type: "gauge",
    labels: [],
    help: "Below this free space, the Host pauses ingress (ingress.minimumFree).",
  },
  svc_database_capacity_ratio: {
    type: "gauge",
    labels: [],
    help: "Size of the database as a share of the space that it could take on its disk. Not for a remote database.",
  },
  svc_database_unused_bytes: {
    type: "gauge",
    labels: [],
    help: "Free space inside the database file, which the database reuses. Not for a remote database.",
  },
  svc_database_growth_bytes_per_day: {
    type: "gauge",
    labels: [],
    help: "Growth per day of the space that the database uses, over up to 7 days; no series during the first hour.",
  },
  svc_retention_dropped_total: {
    type: "counter",
    labels: ["part"],
    help: "Rows that retention deleted because they were too old or too many, kept across restarts; parts as under retention.",
  },
  svc_retention_undelivered_dropped_total: {
    type: "counter",
    labels: ["part"],
    help: "Rows that retention deleted while they were failed, dead, unknown or held: nobody had decided about them.",
  },
  svc_database_failing: {
    type: "gauge",
    labels: [],
    help: "1 if the database failed to store the newest change, else 0.",
  },
  svc_database_replaced: {
    type: "gauge",
    labels: [],
    help: "1 if the database file was removed or replaced under the running Host and a rescue is due, else 0.",
  },
  svc_database_commit_seconds: {
    type: "histogram",
    labels: [],
    help: "Time from the start of a group commit until it is durable.",
  },
  svc_database_commit_failures_total: {
    type: "counter",
    labels: [],
    help: "Group commits that failed, whether or not a retry succeeded.",
  },
  svc_database_unanswered_total: {
    type: "counter",
    labels: [],
    help: "Requests that a remote database did not answer in time.",
  },
  svc_database_group_batches: {
    type: "histogram",
    labels: [],
    help: "Changes per group commit: batches, and each message of a batch for many.",
  },
  svc_event_stream_clients: {type: "gauge", labels: [], help: "Clients of the event stream that are connected now."},
  svc_event_stream_gaps_total: {
    type: "counter",
    labels: ["reason"],
    help: "Gaps that the event stream reported to clients, by reason.",
  },
  svc_event_stream_slow_consumers_total: {
    type: "counter",
    labels: [],
    help: "Clients of the event stream that the Host disconnected because they were too far behind.",
  },
  svc_events_dropped_total: {
    type: "counter",
    labels: [],
    help: "Events that were lost because the database did not store them for too long.",
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
    help: "Always 1: the newest run of an agent that failed or was cancelled; no series if none is kept.",
  },
  svc_agent_tokens_total: {
    type: "counter",
    labels: ["agent", "direction"],
    help: "Tokens of runs that ended, by binding: in counts what the model read, out what it wrote.",
  },
  svc_agent_money_total: {
    type: "counter",
    labels: ["agent"],
    help: "Cost of runs that ended, by binding, in the unit of its prices.",
  },
  svc_agent_approvals_waiting: {
    type: "gauge",
    labels: [],
    help: "Agent calls that wait for a person's approval.",
  },
  svc_agent_tool_seconds: {
    type: "histogram",
    labels: ["agent", "tool", "outcome"],
    help: "Time from the start of a tool call to its end, by binding: done, failed, unknown, refused.",
  },
  svc_agent_model_seconds: {
    type: "histogram",
    labels: ["agent", "outcome"],
    help: "Time from the start of a model call to its end, by binding: done, failed.",
  },
  svc_checkpoint_verified_timestamp_seconds: {
    type: "gauge",
    labels: [],
    help: "When the newest verified checkpoint was made; no series if there is none.",
  },
  svc_checkpoints_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Checkpoints made or verified: verified, refused (not fit to restore), failed.",
  },
  svc_log_records_total: {type: "counter", labels: ["level"], help: "Log records written, by level."},
  svc_collect_failures_total: {
    type: "counter",
    labels: ["part"],
    help: "Times that a part of this page could not be read. Its metrics are then missing.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    labels: [],
    help: "Total user and system CPU time spent in seconds.",
  },
} as const satisfies Readonly<Record<`svc_${string}` | `process_${string}`, Metric>>

/** The default metrics of prom-client that are correct on Bun and on Node and that pass `promtool check metrics`. */
export const processMetrics = {
  process_start_time_seconds: {type: "gauge", labels: [], help: "When the process started."},
  process_resident_memory_bytes: {type: "gauge", labels: [], help: "Resident memory."},
  process_virtual_memory_bytes: {type: "gauge", labels: [], help: "Virtual memory."},
  process_heap_bytes: {type: "gauge", labels: [], help: "Data segment of the process."},
  process_open_fds: {type: "gauge", labels: [], help: "Open file descriptors."},
  process_max_fds: {type: "gauge", labels: [], help: "Maximum number of open file descriptors."},
  nodejs_heap_size_total_bytes: {type: "gauge", labels: [], help: "Size of the JavaScript heap."},
  nodejs_heap_size_used_bytes: {type: "gauge", labels: [], help: "Used part of the JavaScript heap."},
  nodejs_external_memory_bytes: {
    type: "gauge",
    labels: [],
    help: "Memory outside the heap that JavaScript objects hold.",
  },
} as const satisfies Readonly<Record<string, Metric>>

export type MetricName = keyof typeof metrics
