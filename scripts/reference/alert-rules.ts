import {readFileSync} from "node:fs"
import {type AlertCode, alertItems} from "../../shared/alerts/items.ts"
import {root} from "../root.ts"

/** The alerts of svc that the Prometheus rules raise too. The other rules watch what a Host cannot see itself. */
const codes: Readonly<Record<string, AlertCode>> = {
  SvcNotReady: "not_ready",
  SvcNotReadyOutside: "not_ready",
  SvcComponentNotReady: "not_ready",
  SvcRequiredEndpointNotReady: "not_ready",
  SvcRestarts: "restarts",
  SvcUncleanEnd: "unclean_end",
  SvcEndpointOffline: "endpoint_offline",
  SvcEndpointGap: "endpoint_gap",
  SvcEventStreamGaps: "event_stream_gaps",
  SvcEventsDropped: "events_dropped",
  SvcLogErrors: "log_errors",
  SvcMemoryGrowing: "memory_growing",
  SvcDatabaseCapacity: "database_capacity",
  SvcDiskFull: "disk_full",
  SvcDatabaseFailing: "database_failing",
  SvcIngressPaused: "ingress_paused",
  SvcInboxStuck: "inbox_stuck",
  SvcOutboxStuck: "outbox_stuck",
  SvcDeadLetters: "inbox_aside",
  SvcOutboxUnknown: "outbox_aside",
  SvcGenerationRefused: "generation_refused",
  SvcWorkroomBlocked: "workroom_blocked",
  SvcWorkroomOverdue: "workroom_overdue",
  SvcJobsFailed: "jobs_failed",
  SvcAgentFailures: "agent_failures",
  SvcAgentApprovalsWaiting: "approvals_waiting",
  SvcCheckpointOld: "checkpoint_old",
  SvcCheckpointMissing: "checkpoint_missing",
}

/** Returns the Prometheus rules with severities, times and limits from the table of alerts. */
export const alertRules = (): string => {
  const [head = "", ...rules] = readFileSync(`${root}container/monitoring/svc.rules.yml`, "utf8").split("- alert: ")
  return [head, ...rules.map(ruleOf)].join("- alert: ")
}

const ruleOf = (rule: string): string => {
  const [name = ""] = rule.split("\n")
  const code = codes[name]
  if (code === undefined) return rule
  const {for: after, severity, above}: {for: string; severity: string; above?: number} = alertItems[code]
  // Without `for`, the expression has the time.
  return rule
    .replace(/^( +for: ).+$/m, `$1${after}`)
    .replace(/^( +severity: ).+$/m, `$1${severity}`)
    .replace(/(_oldest_age_seconds > )\d+/, `$1${above}`)
}
