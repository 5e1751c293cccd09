/** How urgent an alert is. A critical one ignores quiet hours. */
export const severities = ["critical", "warning"] as const
export type Severity = (typeof severities)[number]

export interface Item {
  readonly severity: Severity
  /** How long the condition must hold before the alert is raised; a duration. */
  readonly for: string
  /** A limit that the configuration may change, and what it counts. */
  readonly above?: number
  readonly unit?: string
  /** The alert reports something that happened, so it has no end to report. */
  readonly happens?: true
  /** When it is raised; a line of the reference. */
  readonly when: string
}

type More = Pick<Item, "above" | "unit" | "happens">

/** Makes a row: how long the condition must hold, when the alert is raised, and more. */
const row =
  (severity: Severity) =>
  (after: string, when: string, more: More = {}): Item => ({severity, for: after, when, ...more})
const critical = row("critical")
const warning = row("warning")

/** The alerts by code. Codes are stable. `bun run reference` writes them into the rules in `container/monitoring/`. */
export const alertItems = {
  not_ready: critical("2m", "a component that readiness requires is not ready"),
  last_good: critical("0s", "the project does not start, so the last good generation runs"),
  restarts: critical("0s", "the Host keeps restarting", {above: 2, unit: "starts within 15 minutes", happens: true}),
  unclean_end: warning("0s", "the previous run was killed", {happens: true}),
  no_supervisor: warning("15m", "production runs without a supervisor"),
  endpoint_offline: critical("5m", "an endpoint is not connected"),
  endpoint_gap: warning(
    "0s",
    "an endpoint may have missed messages or cannot read a place; planned stops up to a minute do not count",
    {happens: true},
  ),
  event_stream_gaps: warning("0s", "clients of the event stream could not resume at their position", {
    above: 0,
    unit: "gaps within 15 minutes",
    happens: true,
  }),
  events_dropped: warning("0s", "the database rejected events, so the history lacks them", {
    above: 0,
    unit: "events within 15 minutes",
    happens: true,
  }),
  log_errors: warning("5m", "the Host logs many errors", {above: 5, unit: "errors a minute, over five minutes"}),
  memory_growing: warning("6h", "the memory of a run keeps growing", {above: 64, unit: "MiB within a day"}),
  database_capacity: warning("10m", "the database is large for its disk", {above: 80, unit: "per cent of its space"}),
  disk_full: critical("1m", "less than twice `ingress.minimumFree` is free"),
  disk_filling: warning("0s", "the disk will be full in less than 14 days at this rate"),
  database_failing: critical("1m", "the database does not store changes, or is damaged"),
  ingress_paused: warning("15m", "ingress is paused"),
  inbox_stuck: warning("1m", "an endpoint's events wait for their handlers", {
    above: 300,
    unit: "seconds that the oldest event has waited",
  }),
  outbox_stuck: warning("1m", "an endpoint's messages wait to be sent", {
    above: 300,
    unit: "seconds that the oldest message has waited",
  }),
  inbox_aside: warning("0s", "inbox events wait for a decision", {above: 0, unit: "failed, dead or held handlers"}),
  outbox_aside: warning("0s", "messages wait for a decision", {
    above: 0,
    unit: "failed, dead, unknown, held or important expired messages",
  }),
  generation_refused: warning("15m", "the Host rejects the newest configuration"),
  pinned: warning("1h", "a generation is pinned"),
  plugin_failed: critical("1m", "a plugin failed or is quarantined"),
  plugin_failing: warning("0s", "most attempts of a plugin fail"),
  workroom_blocked: warning("1h", "work items are blocked", {above: 0, unit: "items"}),
  workroom_overdue: warning("0s", "work items are past the deadline of what blocks them", {above: 0, unit: "items"}),
  jobs_refused: warning("1m", "the Host rejects the job file"),
  jobs_failed: warning("0s", "the last run of a scheduled job failed"),
  jobs_unreachable: warning("10m", "a job cannot reach its target"),
  agent_failures: warning("5m", "runs of an agent fail or are cancelled", {
    above: 25,
    unit: "per cent of the runs within an hour, if there were more than four",
  }),
  agents_failed: warning("0s", "the last run of an agent failed"),
  agents_wrong: warning("5m", "an agent binding is not configured"),
  mcp_failed: warning("5m", "an MCP server of an agent does not answer"),
  mcp_sign_in: warning("0s", "a person must sign in to an MCP server of an agent"),
  mcp_changed: warning("0s", "an MCP server of an agent has changed, and an operator must accept its tools"),
  agents_held: warning("0s", "runs of an agent are held"),
  approvals_waiting: warning("1h", "calls of agents wait for a person"),
  checkpoint_failed: warning("0s", "the last checkpoint could not be made or verified"),
  checkpoint_old: critical("0s", "the newest verified checkpoint is two days old"),
  checkpoint_missing: critical("26h", "no checkpoint is verified; the time counts from the project's first start"),
} satisfies Readonly<Record<string, Item>>

export type AlertCode = keyof typeof alertItems
export const alertCodes = Object.keys(alertItems) as readonly AlertCode[]
