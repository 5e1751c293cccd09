import type {DatabaseInfo} from "../../../../../shared/api/database.ts"
import type {EndpointView} from "../../../../../shared/api/endpoints.ts"
import {inboxGroups, outboxGroups} from "../../../../../shared/api/message-lists.ts"
import type {JobView} from "../../../../../shared/api/scheduled/jobs.ts"
import type {WorkroomView} from "../../../../../shared/api/workroom.ts"
import {findingsOf} from "../../../../../shared/attention/find.ts"
import type {Finding, FindingOf, Facts as Known} from "../../../../../shared/attention/finding.ts"
import {resumeCommand} from "../../../../../shared/attention/resume.ts"
import {metricBy} from "../../host/metrics.ts"
import {bytes, duration, time} from "../../texts/format.ts"
import {texts} from "../../texts/texts.ts"
import {wordOf} from "../../texts/word.ts"
import {showAgents} from "./attention-agents.ts"
import type {Attention} from "./attention-item.ts"

export interface Facts extends Omit<Known, "aside"> {
  readonly database: DatabaseInfo
  readonly workroom: WorkroomView
  /** In the format of Prometheus. */
  readonly metrics: string
}

const t = texts.attention

/** Returns what needs attention now, the worst first. */
export const attentionOf = ({metrics, ...facts}: Facts): readonly Attention[] => {
  const inbox = statesIn(metricBy(metrics, "svc_inbox_handlers", "state"), inboxGroups.aside)
  const outbox = statesIn(metricBy(metrics, "svc_outbox_messages", "state"), outboxGroups.aside)
  const aside = {inbox: sumOf(inbox), outbox: sumOf(outbox)}
  const states: Readonly<Record<string, string>> = {inbox_aside: stateFor(inbox), outbox_aside: stateFor(outbox)}
  const found = findingsOf({...facts, aside}).map(finding => {
    const state = states[finding.code]
    return {...show(finding), ...(state === undefined ? {} : {state})}
  })
  return [...found.filter(({tone}) => tone === "bad"), ...found.filter(({tone}) => tone === "warn")]
}

interface InState {
  readonly state: string
  readonly count: number
}

/** Returns those of these states that have a count. */
const statesIn = (counts: Readonly<Record<string, number>>, states: readonly string[]): readonly InState[] =>
  states.map(state => ({state, count: counts[state] ?? 0})).filter(({count}) => count > 0)

const sumOf = (states: readonly InState[]): number => states.reduce((sum, {count}) => sum + count, 0)

/** Returns the state filter that finds exactly these. */
const stateFor = (states: readonly InState[]): string => (states.length === 1 ? (states[0]?.state ?? "") : "aside")

/** Says since when an endpoint is offline, and how often it has retried. */
const triedOf = ({since, awaySince = since, attempt, error, retryAt}: EndpointView): string =>
  [
    t.awaySince(time(awaySince)),
    ...(attempt === undefined ? [] : [t.tried(attempt)]),
    ...(error === undefined ? [] : [t.lastError(error)]),
    ...(retryAt === undefined ? [] : [t.triesAt(time(retryAt))]),
  ].join(" ")

/** Names the first few, each with its reason. */
const named = (jobs: readonly JobView[], reasonOf: (job: JobView) => string | null | undefined): string =>
  `${jobs
    .slice(0, 3)
    .map(job => `${job.id} (${reasonOf(job) ?? ""})`)
    .join(", ")}${jobs.length > 3 ? " …" : ""}.`

const checkpointDo = () => ({why: t.checkpointWhy, remedy: t.checkpointDo, command: "svc checkpoint create"}) as const

type Show = {readonly [C in Finding["code"]]: (found: FindingOf<C>) => Attention}

const showing: Show = {
  required_endpoint_offline: ({endpoint}) => ({
    tone: "bad",
    title: t.notConnected(endpoint.name),
    why: triedOf(endpoint),
    remedy: endpoint.remediation ?? t.notConnectedDo,
    command: "svc logs --level warn",
    page: "endpoints",
    part: endpoint.name,
  }),
  endpoint_offline: ({endpoint: {name, state, error, reason, remediation}}) => ({
    tone: state === "failed" ? "bad" : "warn",
    title: t.endpoint(name, wordOf(state)),
    why: error ?? reason ?? "",
    remedy: remediation ?? t.endpointDo,
    page: "endpoints",
  }),
  endpoint_deaf: ({endpoint: {name, unreadable: [first, ...more] = []}}) => ({
    tone: "warn",
    title: t.deaf(name, first?.place ?? ""),
    why: `${first?.why ?? ""}${more.length === 0 ? "" : ` (+${more.length})`}`,
    remedy: first?.remediation ?? "",
    page: "endpoints",
    part: name,
  }),
  not_ready: ({component: {name, message, remediation}}) => ({
    tone: "bad",
    title: t.component(name),
    why: message,
    remedy: remediation?.text ?? "",
    ...(remediation === undefined ? {} : {command: remediation.command}),
  }),
  ingress_paused: ({ingress}) => ({
    tone: "bad",
    title: t.ingress,
    why: t.ingressWhy(ingress.reasons.map(wordOf).join(", ")),
    remedy: t.ingressDo,
    command: resumeCommand(ingress.reasons),
    page: "operations",
  }),
  generation_refused: ({failure}) => ({
    tone: "bad",
    title: t.generation,
    why: failure.issues?.[0] ?? failure.code,
    remedy: t.generationDo,
    command: "svc runtime reload",
    page: "generations",
  }),
  checkpoint_failed: ({failure}) => ({
    tone: "bad",
    title: t.checkpointFailed,
    why: failure.detail ?? failure.code,
    remedy: t.checkpointFailedDo,
    command: "svc checkpoint create",
    page: "operations",
  }),
  checkpoint_missing: () => ({tone: "warn", title: t.noCheckpoint, ...checkpointDo(), page: "operations"}),
  checkpoint_old: ({age}) => ({
    tone: "warn",
    title: t.oldCheckpoint(duration(age)),
    ...checkpointDo(),
    page: "operations",
  }),
  last_good: ({lastGood}) => ({
    tone: "bad",
    title: t.lastGood(lastGood.generation),
    why: lastGood.why ?? t.lastGoodWhy,
    remedy: t.lastGoodDo,
    command: "svc runtime restart",
    page: "generations",
  }),
  pinned: ({generation}) => ({
    tone: "warn",
    title: t.pin(generation),
    why: t.pinWhy,
    remedy: t.pinDo,
    command: "svc generation unpin",
    page: "generations",
  }),
  no_supervisor: () => ({tone: "warn", title: t.supervisor, why: t.supervisorWhy, remedy: t.supervisorDo}),
  unclean_end: () => ({tone: "warn", title: t.unclean, why: t.uncleanWhy, remedy: t.uncleanDo, page: "events"}),
  plugin_failed: ({plugin: {name, state, error}}) => ({
    tone: "bad",
    title: t.plugin(name, wordOf(state)),
    why: error ?? "",
    remedy: t.pluginDo,
    page: "plugins",
  }),
  plugin_failing: ({plugin: {name, handlers}}) => ({
    tone: "bad",
    title: t.failing(name, handlers?.hour.failed ?? 0, handlers?.hour.ended ?? 0),
    why: handlers?.lastFailure?.error ?? "",
    remedy: t.failingDo,
    page: "plugins",
    part: name,
    disable: name,
  }),
  inbox_aside: ({count}) => ({
    tone: "bad",
    title: t.inboxAside(count),
    why: t.inboxWhy,
    remedy: t.inboxDo,
    page: "inbox",
  }),
  outbox_aside: ({count}) => ({
    tone: "bad",
    title: t.outboxAside(count),
    why: t.outboxWhy,
    remedy: t.outboxDo,
    page: "outbox",
  }),
  jobs_refused: ({detail}) => ({
    tone: "bad",
    title: t.jobs,
    why: detail,
    remedy: t.jobsDo,
    command: "svc schedule list",
    page: "jobs",
  }),
  jobs_failed: ({jobs}) => ({
    tone: "bad",
    title: t.jobsFailed(jobs.length),
    why: named(jobs, ({lastRun}) => lastRun?.reason),
    remedy: t.jobsFailedDo,
    page: "jobs",
  }),
  jobs_unreachable: ({jobs}) => ({
    tone: "warn",
    title: t.jobsUnreachable(jobs.length),
    why: named(jobs, ({problem}) => problem),
    remedy: t.jobsUnreachableDo,
    page: "jobs",
  }),
  approvals_waiting: showAgents,
  agents_wrong: showAgents,
  mcp_failed: showAgents,
  mcp_sign_in: showAgents,
  mcp_changed: showAgents,
  agents_failed: showAgents,
  agents_held: showAgents,
  disk_filling: ({daysLeft, free}) => ({
    tone: daysLeft < 2 ? "bad" : "warn",
    title: t.disk(duration(daysLeft * 86_400)),
    why: `${t.diskWhy} ${bytes(free)} ${texts.overview.free}.`,
    remedy: t.diskDo,
    command: "svc database info",
  }),
  items_overdue: ({count}) => ({
    tone: "warn",
    title: t.overdue(count),
    why: t.overdueWhy,
    remedy: t.overdueDo,
    page: "workroom",
  }),
}

/** Returns a finding in words. */
const show = (found: Finding): Attention => (showing[found.code] as (found: Finding) => Attention)(found)
