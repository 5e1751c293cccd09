import {agentStepStates, agentTriggers, agentWaits} from "../agents/states.ts"
import {severities} from "../alerts/items.ts"
import {backfillOfGap, gapFillings, gapReasons} from "../api/endpoints.ts"
import {Place} from "../api/plugin-views.ts"
import {IngressView} from "../api/readiness.ts"
import {userParts} from "../api/users/users.ts"
import {runTriggers} from "../sdk/plugin/job.ts"
import {Named, Optional, orNull, type Static, Time, type TProperties, type TSchema, Type} from "../type.ts"

/**
 * Every event type of the event log: a summary, and the schema of its `data`. A demo token does not see fields marked
 * `private`. The types, the checks in the tests, `docs/reference/events.md` and the OpenAPI document come from here.
 */

const event = <T extends TSchema>(summary: string, data: T) => ({summary, data})

/** An event whose data no other event has. */
const holding = <P extends TProperties>(summary: string, properties: P) => event(summary, Type.Object(properties))

/** The same, with a name for the data's schema. */
const named = <P extends TProperties>(name: string, summary: string, properties: P) =>
  event(summary, Named(name, properties))

const Detail = (description: string) =>
  Type.Union([Type.String(), Type.Null()], {private: true, description, default: null})

const Position = Named("Position", {
  ...Place.properties,
  path: Optional.String({description: "The configuration key"}),
  message: Type.String({private: true}),
})

const Positions = Type.Array(Position, {description: "The first findings, with file:line:column"})

const Warnings = Type.Array(Type.String(), {description: "Names of the rows that contain a secret's value"})

const Handled = Named("Handled", {
  sn: Type.Integer({description: "Sequence of the inbox event"}),
  handler: Type.String(),
  attempt: Type.Integer(),
  error: Detail("The reason in detail, if there is more to say"),
})

const Outgoing = Named("Outgoing", {
  message: Type.String({description: "Id of the outbox message"}),
  attempt: Type.Integer(),
  sn: orNull(Type.Integer(), {description: "The inbox event that the message answers"}),
  reason: orNull(Type.String()),
  error: Detail("The error from the platform or the adapter"),
})

const Alert = Named("AlertEvent", {
  alert: Type.String({description: "Its id"}),
  code: Type.String(),
  severity: Type.Enum([...severities]),
})

const JobRun = Named("JobRun", {
  job: Type.String(),
  trigger: Type.Enum([...runTriggers]),
  scheduledFor: Time(),
  reason: orNull(Type.String()),
  error: Detail("Why it failed"),
})

const AgentRun = Named("AgentRun", {
  agent: Type.String(),
  trigger: Type.Enum([...agentTriggers]),
  attempt: Type.Integer({description: "How many times a Host has started it"}),
  item: orNull(Type.Integer(), {description: "The work item that it works on"}),
  waitsFor: orNull(Type.Enum([...agentWaits])),
  reason: orNull(Type.String(), {description: "A code for why it failed or was cancelled"}),
  error: Detail("The reason in detail"),
})

/** A question to a person: may an agent call a tool? */
const AgentApproval = Named("AgentApprovalEvent", {
  agent: Type.String(),
  approval: Type.String(),
  step: Type.Integer(),
  tool: Type.String(),
  by: orNull(Type.String(), {private: true, description: "Who decided"}),
  reason: orNull(Type.String(), {private: true}),
})

const IngressReason = IngressView.properties.reasons.items

const ingressReasons = {reason: IngressReason, reasons: Type.Array(IngressReason, {description: "All current reasons"})}

const failure = {code: Type.String({description: "Problem code"}), detail: Type.String({private: true})}

/** A recorded command of the workroom. */
const WorkItem = Named("WorkItem", {
  item: Type.Integer({description: "Number of the work item"}),
  seq: Type.Integer({description: "Number of the Journal's record"}),
  revision: Type.Integer(),
  actor: Type.String({private: true}),
  title: Optional.String({private: true}),
  priority: Optional.String(),
  labels: Optional.Array(Type.String(), {private: true}),
  assignee: Optional.String({private: true}),
  reason: Optional.String({private: true}),
  deadline: Type.Optional(Time()),
})

export const eventTypes = {
  "host.started": named("HostStarted", "The Host is ready to serve", {
    version: Type.String({description: "Version of svc"}),
    runtime: Type.String(),
    mode: Type.String(),
    restarts: Type.Integer({description: "Starts of this project before this one"}),
    endedCleanly: Type.Boolean({description: "False if the previous run was killed"}),
  }),
  "host.stopping": holding("The Host began a graceful shutdown", {
    code: Type.Integer({description: "Exit code"}),
    reason: Type.String(),
  }),
  "host.blocked": named(
    "HostBlocked",
    "The event loop was blocked for longer than `watchdog.seconds`, and is free again",
    {
      seconds: Type.Integer({description: "How long it had been blocked when the watchdog reported it, in seconds"}),
      handlers: Type.Array(Type.String(), {
        description: "Handlers that were running, or had started and not finished; `svc: …` is svc's own work",
      }),
      frame: orNull(Type.String(), {private: true, description: "Function and position in the code; only on Node"}),
    },
  ),
  "generation.committed": holding("The Host committed a generation and runs it", {
    number: Type.Integer(),
    reason: Type.String(),
    plugins: Type.Array(Type.String()),
  }),
  "generation.failed": holding("A draft was not committed; the previous generation keeps running", {
    reason: Type.String({description: "What triggered the draft"}),
    ...failure,
    issues: Positions,
  }),
  "configuration.refused": holding("The Host rejected the configuration: it is invalid, or needs a restart", {
    reason: Type.String({description: "What triggered the reading"}),
    ...failure,
    issues: Positions,
  }),
  "plugin.state": named("PluginState", "The state of a plugin instance changed", {
    plugin: Type.String(),
    instance: Type.String({description: "Distinguishes the instances of one plugin"}),
    state: Type.Enum(["active", "failed", "quarantined", "disposed"]),
    error: Optional.String({private: true}),
    at: Type.Optional(Place),
  }),
  "endpoint.state": named("EndpointState", "The state or the admission of an endpoint changed", {
    state: Type.Enum(["idle", "connecting", "online", "reconnecting", "offline", "failed"]),
    admission: Type.Enum(["open", "closed"]),
    since: Time(),
    reason: Optional.String(),
    attempt: Optional.Integer(),
    error: Optional.String({private: true}),
    remediation: Optional.String(),
  }),
  "endpoint.gap": named("EndedGap", "An interval ended in which an endpoint may have missed messages", {
    from: Time(),
    to: Time(),
    reason: Type.Enum([...gapReasons]),
    planned: Type.Boolean({description: "An operator stopped or restarted the Host"}),
    backfill: Type.Optional(orNull(Type.Enum([...gapFillings]), {description: backfillOfGap})),
  }),
  "message.received": holding("An inbound event was stored", {
    sn: Type.Integer({description: "Sequence of the inbox event"}),
    type: Type.String({description: "Satori event type"}),
  }),
  "message.handled": event("A handler finished an inbound event", Handled),
  "message.failed": event("A handler failed on an inbound event", Handled),
  "message.dead": event("A handler failed on an inbound event for the last time; no retry follows", Handled),
  "message.held": event("A handler's inbound event is held until an operator decides", Handled),
  "message.discarded": event("An operator discarded a handler's inbound event", Handled),
  "message.expired": event("An inbound event was older than its handler's limit, so the handler did not run", Handled),
  "message.sent": event("The platform accepted an outbound message", Outgoing),
  "message.send_failed": event("An outbound message was rejected", Outgoing),
  "message.send_dead": event("The Host gave up retrying an outbound message", Outgoing),
  "message.unknown": event("An outbound message may or may not have arrived", Outgoing),
  "message.send_held": event("An outbound message is held until an operator decides", Outgoing),
  "message.send_discarded": event("An operator discarded an outbound message", Outgoing),
  "message.send_expired": event("An outbound message was older than its limit, so the Host did not send it", Outgoing),
  "message.redacted": holding("An operator redacted the content of an inbox event or an outbox message", {
    sn: orNull(Type.Integer(), {description: "Sequence of the inbox event, or of the one answered"}),
    message: orNull(Type.String(), {description: "Id of the outbox message; null for an inbox event"}),
    reason: orNull(Type.String(), {private: true}),
  }),
  "ingress.paused": holding("A reason to pause ingress was added", ingressReasons),
  "ingress.resumed": holding("A reason to pause ingress was removed; ingress opens once none is left", ingressReasons),
  "alert.raised": event("An alert is in force and goes to the alert targets", Alert),
  "alert.resolved": event("An alert ended", Alert),
  "retention.dropped": holding(
    "Retention dropped failed, dead, unknown or held rows that nobody decided about within `retention.undelivered.age`",
    {part: Type.Enum(["inbox", "outbox"]), rows: Type.Integer()},
  ),
  "user.approved": holding("An operator approved a user by a code, so that agents answer direct messages", {
    agent: Type.String({description: "The agent that the user asked"}),
    by: Type.String({private: true}),
  }),
  "user.forgotten": holding("An operator redacted or deleted rows of a user: one kind, in one batch", {
    part: Type.Enum([...userParts]),
    rows: Type.Integer(),
  }),
  "workroom.item_added": event("A work item was added", WorkItem),
  "workroom.item_claimed": event("Somebody claimed a work item", WorkItem),
  "workroom.item_blocked": event("A work item waits for something", WorkItem),
  "workroom.item_unblocked": event("A work item is no longer blocked", WorkItem),
  "workroom.item_in_review": event("A work item was handed in for review", WorkItem),
  "workroom.item_done": event("The work on an item was accepted", WorkItem),
  "workroom.item_cancelled": event("A work item was cancelled", WorkItem),
  "workroom.item_commented": event("A comment was added to a work item", WorkItem),
  "workroom.item_overdue": event("The deadline of a blocked work item has passed", WorkItem),
  "checkpoint.created": holding("A checkpoint is complete, and not verified yet", {
    checkpoint: Type.String(),
    reason: Type.String(),
    size: Type.Integer({description: "Bytes"}),
  }),
  "checkpoint.verified": holding("svc restored a checkpoint into a scratch folder and found it intact", {
    checkpoint: Type.String(),
    warnings: Warnings,
  }),
  "checkpoint.refused": holding("Verification found that a checkpoint cannot be restored", {
    checkpoint: Type.String(),
    findings: Type.Array(Type.String()),
    warnings: Warnings,
  }),
  "checkpoint.failed": holding("A checkpoint was not made, or not verified", {checkpoint: Type.String(), ...failure}),
  "checkpoint.uploaded": holding(
    "An uploaded checkpoint was verified and stored; it does not count as a backup of this project",
    {checkpoint: Type.String(), size: Type.Integer({description: "Bytes"})},
  ),
  "database.migrated": holding("svc migrated the database to another schema version", {
    from: Type.Integer({description: "Schema version before"}),
    to: Type.Integer({description: "Schema version after"}),
    checkpoint: orNull(Type.String(), {description: "Made before the migration, if one of its steps cannot be undone"}),
  }),
  "plugin.migrated": holding("The migrations of a plugin ran on its tables", {
    plugin: Type.String(),
    migrations: Type.Array(Type.String()),
    checkpoint: orNull(Type.String(), {description: "The checkpoint from before, if a migration cannot be undone"}),
  }),
  "checkpoint.pruned": holding("A checkpoint was removed", {checkpoint: Type.String()}),
  "checkpoint.restored": holding("This state was restored from a checkpoint, under a new authority", {
    checkpoint: Type.String(),
    from: Type.String({description: "The authority of the checkpoint"}),
  }),
  "release.begun": holding("A release began: ingress is paused, and the checkpoint is made and verified", {
    release: Type.String(),
    checkpoint: Type.String(),
  }),
  "release.begin_failed": holding("The checkpoint of a release was not made; ingress stays paused", {
    release: Type.String(),
    ...failure,
  }),
  "release.verified": holding("A release was tested in a separate work tree", {
    release: Type.String(),
    commit: orNull(Type.String()),
    ok: Type.Boolean(),
    failed: orNull(Type.String(), {description: "The step that failed"}),
  }),
  "release.completed": holding("A release was accepted; svc observes it", {release: Type.String(), windowEnds: Time()}),
  "release.aborted": holding("A release was aborted", {release: Type.String(), reason: Type.String({private: true})}),
  "job.started": event("A run of a job started", JobRun),
  "job.succeeded": event("A run of a job succeeded, and its messages and writes are stored", JobRun),
  "job.failed": event("A run of a job failed; the Host does not repeat it", JobRun),
  "job.cancelled": event("A run of a job was cancelled", JobRun),
  "job.skipped": event("A job was not run at a due time", JobRun),
  "agent.run_queued": event("A run of an agent was queued: it is new, or continues", AgentRun),
  "agent.run_started": event("A Host started or continued a run of an agent", AgentRun),
  "agent.run_waiting": event("A run of an agent waits for a person, the provider or ingress", AgentRun),
  "agent.run_held": event("A run of an agent is held until somebody releases it", AgentRun),
  "agent.run_succeeded": event("A run of an agent succeeded, and its answer is stored", AgentRun),
  "agent.run_failed": event("A run of an agent failed", AgentRun),
  "agent.run_cancelled": event("A run of an agent was cancelled", AgentRun),
  "agent.step": named("AgentStepEvent", "The state of a model call or a tool call changed", {
    agent: Type.String(),
    step: Type.Integer(),
    kind: Type.Enum(["model", "tool"]),
    name: Type.String({description: "The model, or the tool"}),
    state: Type.Enum([...agentStepStates]),
    begun: Type.Integer({description: "How many times it was started"}),
    reason: orNull(Type.String()),
  }),
  "agent.approval_asked": event("An agent asked a person to approve a tool call", AgentApproval),
  "agent.approval_waiting": event("A held approval waits for a person again", AgentApproval),
  "agent.approval_held": event("An approval is held, with its run", AgentApproval),
  "agent.approval_approved": event("A person approved a call", AgentApproval),
  "agent.approval_denied": event("A person denied a call", AgentApproval),
  "agent.approval_expired": event("Nobody decided about a call in time, so it is denied", AgentApproval),
  "agent.approval_cancelled": event("An approval was cancelled because its run ended", AgentApproval),
  "restart.asked": holding("The Host was asked to exit with a code that makes the supervisor restart it", {
    code: Type.Integer({description: "Exit code"}),
    reason: Type.String(),
  }),
  "log.error": holding("The Host logged an error; of many errors in a row, only some become events", {
    level: Type.Enum(["error", "fatal"]),
    message: Type.String({private: true}),
    plugin: Optional.String(),
    suppressed: Type.Integer({description: "Errors since the last event of this type that did not become events"}),
  }),
} as const

export type EventType = keyof typeof eventTypes
export type EventData<T extends EventType> = Static<(typeof eventTypes)[T]["data"]>

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text)

/** Reports a change that has no row. For a stored change, add the event's statement to its batch instead. */
export type Raise = <T extends EventType>(type: T, data: EventData<T>, about?: EventAbout) => void

/** The subject of an event. `at` is in milliseconds since 1970; now when left out. */
export interface EventAbout {
  readonly endpoint?: string
  readonly runId?: string
  readonly at?: number
}
