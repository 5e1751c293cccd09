import {agentStepStates, agentTriggers, agentWaits} from "./agents/states.ts"
import {severities} from "./alerts/items.ts"
import {backfillOfGap, gapFillings, gapReasons} from "./api/endpoints.ts"
import {Place} from "./api/plugin-views.ts"
import {IngressView} from "./api/readiness.ts"
import {runTriggers} from "./api/scheduled/jobs.ts"
import {Named, Time} from "./api/schemas.ts"
import {userParts} from "./api/users/users.ts"
import {type Static, type TSchema, Type} from "./type.ts"

/**
 * Every event of the event log: what it tells of, and the schema of its `data`. What is marked `private` is left out for a
 * demo token. The types, the checks of the tests, `docs/reference/events.md` and the OpenAPI document come from here.
 */

const event = <T extends TSchema>(summary: string, data: T) => ({summary, data})

const Detail = (description: string) =>
  Type.Union([Type.String(), Type.Null()], {private: true, description, default: null})

const Position = Named("Position", {
  ...Place.properties,
  path: Type.Optional(Type.String({description: "The configuration key"})),
  message: Type.String({private: true}),
})

const Positions = Type.Array(Position, {description: "The first findings, with file:line:column"})

const Warnings = Type.Array(Type.String(), {description: "Rows that hold the value of a secret, by name"})

/** What a handler did with an inbox event. */
const Handled = Named("Handled", {
  sn: Type.Integer({description: "Sequence of the inbox event"}),
  handler: Type.String(),
  attempt: Type.Integer(),
  error: Detail("Why, where there is more to say"),
})

/** What became of an outbox message. */
const Outgoing = Named("Outgoing", {
  message: Type.String({description: "Id of the outbox message"}),
  attempt: Type.Integer(),
  sn: Type.Union([Type.Integer(), Type.Null()], {description: "The inbox event that it answers"}),
  reason: Type.Union([Type.String(), Type.Null()]),
  error: Detail("What the platform or the adapter said"),
})

/** An alert. */
const Alert = Named("AlertEvent", {
  alert: Type.String({description: "Its id"}),
  code: Type.String(),
  severity: Type.Enum([...severities]),
})

/** A run of a scheduled job. */
const JobRun = Named("JobRun", {
  job: Type.String(),
  trigger: Type.Enum([...runTriggers]),
  scheduledFor: Time(),
  reason: Type.Union([Type.String(), Type.Null()]),
  error: Detail("Why it failed"),
})

/** A run of an agent. */
const AgentRun = Named("AgentRun", {
  agent: Type.String(),
  trigger: Type.Enum([...agentTriggers]),
  attempt: Type.Integer({description: "How often it was taken up"}),
  item: Type.Union([Type.Integer(), Type.Null()], {description: "The work item that it works on"}),
  waitsFor: Type.Union([Type.Enum([...agentWaits]), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()], {description: "Why it failed or was cancelled, as a word"}),
  error: Detail("The same, in detail"),
})

/** A question to a person whether an agent may call a tool. */
const AgentApproval = Named("AgentApprovalEvent", {
  agent: Type.String(),
  approval: Type.String(),
  step: Type.Integer(),
  tool: Type.String(),
  by: Type.Union([Type.String(), Type.Null()], {private: true, description: "Who decided"}),
  reason: Type.Union([Type.String(), Type.Null()], {private: true}),
})

const IngressReason = IngressView.properties.reasons.items

/** A command of the workroom that was recorded. */
const WorkItem = Named("WorkItem", {
  item: Type.Integer({description: "Number of the work item"}),
  seq: Type.Integer({description: "Number of the Journal's record"}),
  revision: Type.Integer(),
  actor: Type.String({private: true}),
  title: Type.Optional(Type.String({private: true})),
  priority: Type.Optional(Type.String()),
  labels: Type.Optional(Type.Array(Type.String(), {private: true})),
  assignee: Type.Optional(Type.String({private: true})),
  reason: Type.Optional(Type.String({private: true})),
  deadline: Type.Optional(Time()),
})

export const eventTypes = {
  "host.started": event(
    "The Host is ready to serve",
    Named("HostStarted", {
      version: Type.String({description: "Version of svc"}),
      runtime: Type.String(),
      mode: Type.String(),
      restarts: Type.Integer({description: "Starts of this project before this one"}),
      endedCleanly: Type.Boolean({description: "False when the run before this one was killed"}),
    }),
  ),
  "host.stopping": event(
    "The Host ends in order",
    Type.Object({code: Type.Integer({description: "Exit code"}), reason: Type.String()}),
  ),
  "host.blocked": event(
    "The event loop was blocked for longer than `watchdog.seconds`, and is free again",
    Named("HostBlocked", {
      seconds: Type.Integer({description: "How long it had been blocked when the watchdog reported it"}),
      handlers: Type.Array(Type.String(), {description: "Handlers whose code ran, or that had begun and not ended"}),
      frame: Type.Union([Type.String(), Type.Null()], {
        private: true,
        description: "Function and place in the loaded code, where the runtime tells it: Node",
      }),
    }),
  ),
  "generation.committed": event(
    "A generation was committed, and runs",
    Type.Object({number: Type.Integer(), reason: Type.String(), plugins: Type.Array(Type.String())}),
  ),
  "generation.failed": event(
    "A draft was not committed; the generation before it goes on",
    Type.Object({
      reason: Type.String({description: "What it was drafted for"}),
      code: Type.String({description: "Problem code"}),
      detail: Type.String({private: true}),
      issues: Positions,
    }),
  ),
  "configuration.refused": event(
    "The configuration cannot be taken: it is invalid, or needs a restart",
    Type.Object({
      reason: Type.String({description: "What it was read for"}),
      code: Type.String({description: "Problem code"}),
      detail: Type.String({private: true}),
      issues: Positions,
    }),
  ),
  "plugin.state": event(
    "A plugin instance has another state",
    Named("PluginState", {
      plugin: Type.String(),
      instance: Type.String({description: "Tells instances of one plugin apart"}),
      state: Type.Enum(["active", "failed", "quarantined", "disposed"]),
      error: Type.Optional(Type.String({private: true})),
      at: Type.Optional(Place),
    }),
  ),
  "endpoint.state": event(
    "An endpoint has another state or admission",
    Named("EndpointState", {
      state: Type.Enum(["idle", "connecting", "online", "reconnecting", "offline", "failed"]),
      admission: Type.Enum(["open", "closed"]),
      since: Time(),
      reason: Type.Optional(Type.String()),
      attempt: Type.Optional(Type.Integer()),
      error: Type.Optional(Type.String({private: true})),
      remediation: Type.Optional(Type.String()),
    }),
  ),
  "endpoint.gap": event(
    "An interval is over in which what was said to an endpoint may be missing",
    Named("EndedGap", {
      from: Time(),
      to: Time(),
      reason: Type.Enum([...gapReasons]),
      planned: Type.Boolean({description: "An operator stopped the Host, or had it restart"}),
      backfill: Type.Optional(Type.Union([Type.Enum([...gapFillings]), Type.Null()], {description: backfillOfGap})),
    }),
  ),
  "message.received": event(
    "An inbound event is stored",
    Type.Object({
      sn: Type.Integer({description: "Sequence of the inbox event"}),
      type: Type.String({description: "Satori event type"}),
    }),
  ),
  "message.handled": event("A handler has handled an inbound event", Handled),
  "message.failed": event("A handler has failed at an inbound event", Handled),
  "message.dead": event("A handler is not given an inbound event again", Handled),
  "message.held": event("A handler's work on an inbound event is held for an operator", Handled),
  "message.discarded": event("An operator has given up a handler's work on an inbound event", Handled),
  "message.sent": event("The platform has taken an outbound message", Outgoing),
  "message.send_failed": event("An outbound message was refused", Outgoing),
  "message.send_dead": event("An outbound message is not tried again by itself", Outgoing),
  "message.unknown": event("An outbound message may or may not have arrived", Outgoing),
  "message.send_held": event("An outbound message is held for an operator", Outgoing),
  "message.send_discarded": event("An operator has given up an outbound message", Outgoing),
  "message.redacted": event(
    "An operator has taken away what an inbox event or an outbox message says",
    Type.Object({
      sn: Type.Union([Type.Integer(), Type.Null()], {
        description: "Sequence of the inbox event, or of the one answered",
      }),
      message: Type.Union([Type.String(), Type.Null()], {
        description: "Id of the outbox message; null for an inbox event",
      }),
      reason: Type.Union([Type.String(), Type.Null()], {private: true}),
    }),
  ),
  "ingress.paused": event(
    "A reason to pause ingress was added",
    Type.Object({reason: IngressReason, reasons: Type.Array(IngressReason, {description: "All that hold now"})}),
  ),
  "ingress.resumed": event(
    "A reason to pause ingress was taken back; without any left, ingress is open",
    Type.Object({reason: IngressReason, reasons: Type.Array(IngressReason, {description: "All that hold now"})}),
  ),
  "alert.raised": event("Something is wrong that targets of alerts are to be told of", Alert),
  "alert.resolved": event("An alert is over", Alert),
  "retention.dropped": event(
    "What nobody had decided about for `retention.undelivered.age` was dropped: it was failed, dead, unknown or held",
    Type.Object({part: Type.Enum(["inbox", "outbox"]), rows: Type.Integer()}),
  ),
  "user.forgotten": event(
    "Rows of a user were redacted or deleted, at an operator's word: one kind, in one batch",
    Type.Object({part: Type.Enum([...userParts]), rows: Type.Integer()}),
  ),
  "workroom.item_added": event("A work item was added", WorkItem),
  "workroom.item_claimed": event("A work item is being worked on", WorkItem),
  "workroom.item_blocked": event("A work item waits for something", WorkItem),
  "workroom.item_unblocked": event("A work item waits no longer", WorkItem),
  "workroom.item_in_review": event("A work item was handed in for review", WorkItem),
  "workroom.item_done": event("The work on an item was accepted", WorkItem),
  "workroom.item_cancelled": event("A work item was given up", WorkItem),
  "workroom.item_commented": event("Something was said about a work item", WorkItem),
  "workroom.item_overdue": event("The deadline of what a work item waits for has passed", WorkItem),
  "checkpoint.created": event(
    "A checkpoint is whole; whether it can be restored, its verification tells",
    Type.Object({checkpoint: Type.String(), reason: Type.String(), size: Type.Integer({description: "Bytes"})}),
  ),
  "checkpoint.verified": event(
    "A checkpoint was restored into a scratch folder and found sound",
    Type.Object({checkpoint: Type.String(), warnings: Warnings}),
  ),
  "checkpoint.refused": event(
    "A checkpoint was verified and is not fit to restore",
    Type.Object({checkpoint: Type.String(), findings: Type.Array(Type.String()), warnings: Warnings}),
  ),
  "checkpoint.failed": event(
    "A checkpoint was not made, or could not be verified",
    Type.Object({
      checkpoint: Type.String(),
      code: Type.String({description: "Problem code"}),
      detail: Type.String({private: true}),
    }),
  ),
  "checkpoint.uploaded": event(
    "A checkpoint that came from elsewhere was verified and stored; it is no backup of this project",
    Type.Object({checkpoint: Type.String(), size: Type.Integer({description: "Bytes"})}),
  ),
  "database.migrated": event(
    "The schema was brought up to another version of svc's",
    Type.Object({
      from: Type.Integer({description: "Schema before"}),
      to: Type.Integer({description: "Schema since"}),
      checkpoint: Type.Union([Type.String(), Type.Null()], {
        description: "Made before, where one of the migrations cannot be undone",
      }),
    }),
  ),
  "plugin.migrated": event(
    "A plugin's tables got what its migrations say",
    Type.Object({
      plugin: Type.String(),
      migrations: Type.Array(Type.String()),
      checkpoint: Type.Union([Type.String(), Type.Null()], {
        description: "What has the data of before, where one of them cannot be undone",
      }),
    }),
  ),
  "checkpoint.pruned": event("A checkpoint was removed", Type.Object({checkpoint: Type.String()})),
  "checkpoint.restored": event(
    "This state was restored from a checkpoint, under a new authority",
    Type.Object({checkpoint: Type.String(), from: Type.String({description: "The authority of the checkpoint"})}),
  ),
  "release.begun": event(
    "A release is under way: ingress is paused, and its checkpoint is made and verified",
    Type.Object({release: Type.String(), checkpoint: Type.String()}),
  ),
  "release.begin_failed": event(
    "The checkpoint of a release was not made; ingress stays paused",
    Type.Object({
      release: Type.String(),
      code: Type.String({description: "Problem code"}),
      detail: Type.String({private: true}),
    }),
  ),
  "release.verified": event(
    "A release was tried in a work tree of its own",
    Type.Object({
      release: Type.String(),
      commit: Type.Union([Type.String(), Type.Null()]),
      ok: Type.Boolean(),
      failed: Type.Union([Type.String(), Type.Null()], {description: "The step that failed"}),
    }),
  ),
  "release.completed": event(
    "A release was accepted; its observation window begins",
    Type.Object({release: Type.String(), windowEnds: Time()}),
  ),
  "release.aborted": event(
    "A release was given up",
    Type.Object({release: Type.String(), reason: Type.String({private: true})}),
  ),
  "job.started": event("A run of a job has begun", JobRun),
  "job.succeeded": event("A run of a job has ended, and what it left behind is stored", JobRun),
  "job.failed": event("A run of a job has failed; it is not repeated", JobRun),
  "job.cancelled": event("A run of a job was cancelled", JobRun),
  "job.skipped": event("A job was not run at a due time", JobRun),
  "agent.run_queued": event("A run of an agent was asked for, or goes on", AgentRun),
  "agent.run_started": event("A Host has taken up a run of an agent", AgentRun),
  "agent.run_waiting": event("A run of an agent waits: for a person, for the provider, or for ingress", AgentRun),
  "agent.run_held": event("A restore holds a run of an agent until somebody releases it", AgentRun),
  "agent.run_succeeded": event("A run of an agent has ended, and its answer is stored", AgentRun),
  "agent.run_failed": event("A run of an agent has failed", AgentRun),
  "agent.run_cancelled": event("A run of an agent was cancelled", AgentRun),
  "agent.step": event(
    "A model call or a tool call of a run has another state",
    Named("AgentStepEvent", {
      agent: Type.String(),
      step: Type.Integer(),
      kind: Type.Enum(["model", "tool"]),
      name: Type.String({description: "The model, or the tool"}),
      state: Type.Enum([...agentStepStates]),
      begun: Type.Integer({description: "How often it was begun"}),
      reason: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  "agent.approval_asked": event("A person is asked whether an agent may call a tool", AgentApproval),
  "agent.approval_waiting": event("An approval that a restore held waits for a person again", AgentApproval),
  "agent.approval_held": event("A restore holds an approval", AgentApproval),
  "agent.approval_approved": event("A person has approved a call", AgentApproval),
  "agent.approval_denied": event("A person has denied a call", AgentApproval),
  "agent.approval_expired": event("Nobody has decided about a call in time: it is denied", AgentApproval),
  "agent.approval_cancelled": event("The run of an approval has ended", AgentApproval),
  "restart.asked": event(
    "The Host was asked to end with an exit code that has it started again",
    Type.Object({code: Type.Integer({description: "Exit code"}), reason: Type.String()}),
  ),
  "log.error": event(
    "An error was logged; of a storm of errors only some become events",
    Type.Object({
      level: Type.Enum(["error", "fatal"]),
      message: Type.String({private: true}),
      plugin: Type.Optional(Type.String()),
      suppressed: Type.Integer({description: "Errors since the last such event that became none"}),
    }),
  ),
} as const

export type EventType = keyof typeof eventTypes
export type EventData<T extends EventType> = Static<(typeof eventTypes)[T]["data"]>

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text)

/** Tells of a change that nothing stores; one that is stored gets the event's statement into its batch instead. */
export type Raise = <T extends EventType>(type: T, data: EventData<T>, about?: EventAbout) => void

/** What an event is about, beside its type. `at` in milliseconds since 1970; now when left out. */
export interface EventAbout {
  readonly endpoint?: string
  readonly runId?: string
  readonly at?: number
}
