/** How urgent an alert is. A critical one ignores quiet hours. */
export const severities = ["critical", "warning"] as const
export type Severity = (typeof severities)[number]

interface Item {
  readonly severity: Severity
  /** How long the condition must hold before the alert is raised; a duration. */
  readonly for: string
  /** A limit that the configuration may change, and what it counts. */
  readonly above?: number
  readonly unit?: string
  /** It reports something that happened, so its end is not reported. */
  readonly happens?: true
  /** When it is raised; a line of the reference. */
  readonly when: string
}

/** The alerts by code. Codes are stable. The limits are those of the Prometheus rules in `container/monitoring/`. */
export const alertItems = {
  not_ready: {severity: "critical", for: "2m", when: "a component that readiness requires is not ready"},
  last_good: {severity: "critical", for: "0s", when: "the project does not start, so the last good generation runs"},
  restarts: {
    severity: "critical",
    for: "0s",
    above: 2,
    unit: "starts within 15 minutes",
    happens: true,
    when: "the Host keeps restarting",
  },
  unclean_end: {severity: "warning", for: "0s", happens: true, when: "the previous run was killed"},
  no_supervisor: {severity: "warning", for: "15m", when: "production runs without a supervisor"},
  endpoint_offline: {severity: "critical", for: "5m", when: "an endpoint is not connected"},
  endpoint_gap: {
    severity: "warning",
    for: "0s",
    happens: true,
    when: "an endpoint may have missed messages or cannot read a place; planned stops up to a minute do not count",
  },
  event_stream_gaps: {
    severity: "warning",
    for: "0s",
    above: 0,
    unit: "gaps within 15 minutes",
    happens: true,
    when: "clients of the event stream could not resume at their position",
  },
  events_dropped: {
    severity: "warning",
    for: "0s",
    above: 0,
    unit: "events within 15 minutes",
    happens: true,
    when: "the database rejected events, so the history lacks them",
  },
  log_errors: {
    severity: "warning",
    for: "5m",
    above: 5,
    unit: "errors a minute, over five minutes",
    when: "the Host logs many errors",
  },
  memory_growing: {
    severity: "warning",
    for: "6h",
    above: 64,
    unit: "MiB within a day",
    when: "the memory of a run keeps growing",
  },
  database_capacity: {
    severity: "warning",
    for: "10m",
    above: 80,
    unit: "per cent of the space available to it",
    when: "the database is large for its disk",
  },
  disk_full: {
    severity: "critical",
    for: "1m",
    when: "less than twice `ingress.minimumFree` is free",
  },
  disk_filling: {severity: "warning", for: "0s", when: "the disk will be full in less than 14 days at this rate"},
  database_failing: {severity: "critical", for: "1m", when: "the database does not store changes, or is damaged"},
  ingress_paused: {severity: "warning", for: "15m", when: "ingress is paused"},
  inbox_stuck: {
    severity: "warning",
    for: "1m",
    above: 300,
    unit: "seconds that the oldest event has waited",
    when: "an endpoint's events wait for their handlers",
  },
  outbox_stuck: {
    severity: "warning",
    for: "1m",
    above: 300,
    unit: "seconds that the oldest message has waited",
    when: "an endpoint's messages wait to be sent",
  },
  inbox_aside: {
    severity: "warning",
    for: "0s",
    above: 0,
    unit: "failed, dead or held handlers",
    when: "inbox events wait for a decision",
  },
  outbox_aside: {
    severity: "warning",
    for: "0s",
    above: 0,
    unit: "failed, dead, unknown or held messages",
    when: "messages wait for a decision",
  },
  generation_refused: {severity: "warning", for: "15m", when: "the Host rejects the newest configuration"},
  pinned: {severity: "warning", for: "1h", when: "a generation is pinned"},
  plugin_failed: {severity: "critical", for: "1m", when: "a plugin failed or is quarantined"},
  plugin_failing: {severity: "warning", for: "0s", when: "most attempts of a plugin fail"},
  workroom_blocked: {severity: "warning", for: "1h", above: 0, unit: "items", when: "work items are blocked"},
  workroom_overdue: {
    severity: "warning",
    for: "0s",
    above: 0,
    unit: "items",
    when: "work items are past the deadline of what blocks them",
  },
  jobs_refused: {severity: "warning", for: "1m", when: "the Host rejects the job file"},
  jobs_failed: {severity: "warning", for: "0s", when: "the last run of a scheduled job failed"},
  jobs_unreachable: {severity: "warning", for: "10m", when: "a job cannot reach its target"},
  agent_failures: {
    severity: "warning",
    for: "5m",
    above: 25,
    unit: "per cent of the runs within an hour, if there were more than four",
    when: "runs of an agent fail or are cancelled",
  },
  agents_failed: {severity: "warning", for: "0s", when: "the last run of an agent failed"},
  agents_wrong: {severity: "warning", for: "5m", when: "an agent binding is not configured"},
  agents_held: {severity: "warning", for: "0s", when: "a restore holds runs of an agent"},
  approvals_waiting: {severity: "warning", for: "1h", when: "calls of agents wait for a person"},
  checkpoint_failed: {severity: "warning", for: "0s", when: "the last checkpoint could not be made or verified"},
  checkpoint_old: {severity: "critical", for: "0s", when: "the newest verified checkpoint is two days old"},
  checkpoint_missing: {
    severity: "critical",
    for: "26h",
    when: "there is no verified checkpoint; the time counts from the project's first start",
  },
} as const satisfies Readonly<Record<string, Item>>

export type AlertCode = keyof typeof alertItems
export const alertCodes = Object.keys(alertItems) as readonly AlertCode[]

/** The same, with missing keys as undefined. */
export const alertItem = (code: AlertCode): Item => alertItems[code]
