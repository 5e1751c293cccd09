import type {AgentView, ApprovalView} from "../api/agents/agents.ts"
import type {DatabaseInfo} from "../api/database.ts"
import type {EndpointView} from "../api/endpoints.ts"
import type {PluginView} from "../api/plugin-views.ts"
import type {Component, ReadinessReport} from "../api/readiness.ts"
import type {JobFileView, JobView} from "../api/scheduled/jobs.ts"
import type {Status} from "../api/system.ts"
import type {WorkroomView} from "../api/workroom.ts"

/** What the API reports about a Host. What is left out is unknown: a demo token does not see everything. */
export interface Facts {
  readonly status: Status
  readonly report?: ReadinessReport | undefined
  readonly endpoints: readonly EndpointView[]
  readonly plugins: readonly PluginView[]
  readonly database?: Pick<DatabaseInfo, "daysLeft" | "disk">
  readonly workroom: Pick<WorkroomView, "overdue">
  /** How many handlers and messages wait for a decision. */
  readonly aside: {readonly inbox: number; readonly outbox: number}
  readonly jobs?: {readonly items: readonly JobView[]; readonly file: JobFileView} | undefined
  /** `approvals` are those that wait. */
  readonly agents?: {readonly items: readonly AgentView[]; readonly approvals: readonly ApprovalView[]} | undefined
}

export type AgentFinding =
  | {readonly code: "approvals_waiting"; readonly approvals: readonly ApprovalView[]}
  | {readonly code: "agents_wrong"; readonly agents: readonly AgentView[]}
  | {readonly code: "mcp_failed"; readonly agents: readonly AgentView[]}
  | {readonly code: "mcp_sign_in"; readonly agents: readonly AgentView[]}
  | {readonly code: "mcp_changed"; readonly agents: readonly AgentView[]}
  | {readonly code: "agents_failed"; readonly agents: readonly AgentView[]}
  | {readonly code: "agents_held"; readonly agents: readonly AgentView[]; readonly runs: number}

/** What needs somebody's attention. The console shows it in its language, an alert as a message. */
export type Finding =
  /** A required endpoint that admits events but is not connected. Readiness does not check connections. */
  | {readonly code: "required_endpoint_offline"; readonly endpoint: EndpointView}
  | {readonly code: "endpoint_offline"; readonly endpoint: EndpointView}
  /** An endpoint that is online, and cannot read a place that it is in or should be in. */
  | {readonly code: "endpoint_deaf"; readonly endpoint: EndpointView}
  | {readonly code: "not_ready"; readonly component: Component}
  | {readonly code: "ingress_paused"; readonly ingress: Status["ingress"]}
  | {readonly code: "generation_refused"; readonly failure: NonNullable<Status["lastFailure"]>}
  | {readonly code: "checkpoint_failed"; readonly failure: NonNullable<Status["checkpointFailure"]>}
  | {readonly code: "checkpoint_missing"}
  /** `age` in seconds. */
  | {readonly code: "checkpoint_old"; readonly age: number}
  | {readonly code: "last_good"; readonly lastGood: NonNullable<Status["lastGood"]>}
  | {readonly code: "pinned"; readonly generation: number}
  | {readonly code: "no_supervisor"}
  | {readonly code: "unclean_end"}
  | {readonly code: "plugin_failed"; readonly plugin: PluginView}
  | {readonly code: "plugin_failing"; readonly plugin: PluginView}
  | {readonly code: "inbox_aside"; readonly count: number}
  | {readonly code: "outbox_aside"; readonly count: number}
  | {readonly code: "jobs_refused"; readonly detail: string}
  | {readonly code: "jobs_failed"; readonly jobs: readonly JobView[]}
  | {readonly code: "jobs_unreachable"; readonly jobs: readonly JobView[]}
  | AgentFinding
  | {readonly code: "disk_filling"; readonly daysLeft: number; readonly free: number}
  | {readonly code: "items_overdue"; readonly count: number}

export type FindingOf<C extends Finding["code"]> = Extract<Finding, {readonly code: C}>
