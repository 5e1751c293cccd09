import {isAdmittingOffline, isMissed} from "../../../../../shared/endpoint-states.ts"
import {bytes, duration, time} from "../../format.ts"
import {metricBy, sumOf} from "../../host/metrics.ts"
import type {
  DatabaseInfo,
  EndpointView,
  JobFileView,
  JobView,
  PluginView,
  ReadinessReport,
  Status,
  WorkroomView,
} from "../../host/views.ts"
import {texts} from "../../texts.ts"
import {agentsOf, type BoundAgents} from "./attention-agents.ts"
import type {Attention} from "./attention-item.ts"

export interface Facts {
  readonly status: Status
  /** Undefined for a demo token. */
  readonly report: ReadinessReport | undefined
  readonly endpoints: readonly EndpointView[]
  readonly plugins: readonly PluginView[]
  readonly database: DatabaseInfo
  readonly workroom: WorkroomView
  /** As Prometheus reads them. */
  readonly metrics: string
  /** Undefined until they are loaded, and where the Host knows no jobs. */
  readonly jobs: {readonly items: readonly JobView[]; readonly file: JobFileView} | undefined
  /** Undefined until they are loaded, and where the Host knows no agents. */
  readonly agents: BoundAgents | undefined
}

/** A checkpoint that is older, in seconds, should be followed by another one: two of the default schedule. */
const oldCheckpoint = 2 * 86_400

/** Fewer days than this until the disk is too full. */
const fewDays = 14

const t = texts.attention

/** What needs attention now, the worst first. */
export const attentionOf = (facts: Facts): readonly Attention[] => {
  const found = [
    ...notConnected(facts),
    ...components(facts),
    ...ofStatus(facts.status),
    ...endpoints(facts),
    ...plugins(facts),
    ...failing(facts),
    ...boxes(facts.metrics),
    ...jobsOf(facts.jobs),
    ...agentsOf(facts),
    ...others(facts),
  ]
  return [...found.filter(({tone}) => tone === "bad"), ...found.filter(({tone}) => tone === "warn")]
}

const components = ({report}: Facts): Attention[] =>
  (report?.components ?? [])
    .filter(({ready, required}) => !ready && required)
    .map(({name, message, remediation}) => ({
      tone: "bad",
      title: t.component(name),
      why: message,
      remedy: remediation?.text ?? "",
      ...(remediation === undefined ? {} : {command: remediation.command}),
    }))

/** Readiness does not ask for the connection of these, and somebody relies on them. */
const notConnected = ({endpoints: list}: Facts): Attention[] =>
  list.filter(isOfflineAndRequired).map(endpoint => ({
    tone: "bad",
    title: t.notConnected(endpoint.name),
    why: triedOf(endpoint),
    remedy: t.notConnectedDo,
    command: "svc logs --level warn",
    page: "endpoints",
    part: endpoint.name,
  }))

/** Since when it is away, and what was tried. */
const triedOf = ({since, attempt, error, retryAt}: EndpointView): string =>
  [
    t.awaySince(time(since)),
    ...(attempt === undefined ? [] : [t.tried(attempt)]),
    ...(error === undefined ? [] : [t.lastError(error)]),
    ...(retryAt === undefined ? [] : [t.triesAt(time(retryAt))]),
  ].join(" ")

/** A Host of an older version does not say which are required. */
const isOfflineAndRequired = (endpoint: EndpointView): boolean =>
  isMissed(endpoint) && isAdmittingOffline(endpoint.state)

const ofStatus = (status: Status): Attention[] => {
  const {ingress, lastFailure, lastGood, pin, checkpoint, checkpointFailure, mode, supervisor, endedCleanly} = status
  const found: Attention[] = []
  if (ingress.state === "paused")
    found.push({
      tone: "bad",
      title: t.ingress,
      why: t.ingressWhy(ingress.reasons.join(", ")),
      remedy: t.ingressDo,
      command: "svc ingress resume",
      page: "operations",
    })
  if (lastFailure !== null)
    found.push({
      tone: "bad",
      title: t.generation,
      why: lastFailure.issues?.[0] ?? lastFailure.code,
      remedy: t.generationDo,
      command: "svc config check",
      page: "generations",
    })
  if (checkpointFailure !== null)
    found.push({
      tone: "bad",
      title: t.checkpointFailed,
      why: checkpointFailure.detail ?? checkpointFailure.code,
      remedy: t.checkpointFailedDo,
      command: "svc checkpoint create",
      page: "operations",
    })
  else if (checkpoint === null || checkpoint.age > oldCheckpoint)
    found.push({
      tone: "warn",
      title: checkpoint === null ? t.noCheckpoint : t.oldCheckpoint(duration(checkpoint.age)),
      why: t.checkpointWhy,
      remedy: t.checkpointDo,
      command: "svc checkpoint create",
      page: "operations",
    })
  if (lastGood !== null)
    found.push({
      tone: "bad",
      title: t.lastGood(lastGood.generation),
      why: lastGood.why ?? t.lastGoodWhy,
      remedy: t.lastGoodDo,
      command: "svc runtime restart",
      page: "generations",
    })
  if (pin !== null)
    found.push({
      tone: "warn",
      title: t.pin(pin.number),
      why: t.pinWhy,
      remedy: t.pinDo,
      command: "svc generation unpin",
      page: "generations",
    })
  if (mode === "production" && supervisor === "none")
    found.push({tone: "warn", title: t.supervisor, why: t.supervisorWhy, remedy: t.supervisorDo})
  if (!endedCleanly)
    found.push({tone: "warn", title: t.unclean, why: t.uncleanWhy, remedy: t.uncleanDo, page: "events"})
  return found
}

const endpoints = ({endpoints: list, report}: Facts): Attention[] => {
  const told = new Set(
    (report?.components ?? []).filter(({ready, required}) => !ready && required).map(({name}) => name),
  )
  return list
    .filter(({state, reason, name}) => state !== "online" && reason !== "no_account" && !told.has(name))
    .filter(endpoint => !isOfflineAndRequired(endpoint))
    .map(({name, state, error, reason, remediation}) => ({
      tone: state === "failed" ? "bad" : "warn",
      title: t.endpoint(name, state),
      why: error ?? reason ?? "",
      remedy: remediation ?? t.endpointDo,
      page: "endpoints",
    }))
}

const plugins = ({plugins}: Facts): Attention[] =>
  plugins
    .filter(({state}) => state === "failed" || state === "quarantined")
    .map(({name, state, error}) => ({
      tone: "bad",
      title: t.plugin(name, state),
      why: error ?? "",
      remedy: t.pluginDo,
      page: "plugins",
    }))

/** A handler may fail once in a while: a plugin keeps failing where most of its attempts do, and several did. */
const isFailing = ({state, handlers}: PluginView): boolean =>
  state === "active" &&
  handlers !== undefined &&
  handlers.hour.failed >= 3 &&
  handlers.hour.failed * 2 >= handlers.hour.ended

const failing = ({plugins}: Facts): Attention[] =>
  plugins.filter(isFailing).map(({name, handlers}) => ({
    tone: "bad",
    title: t.failing(name, handlers?.hour.failed ?? 0, handlers?.hour.ended ?? 0),
    why: handlers?.lastFailure?.error ?? "",
    remedy: t.failingDo,
    page: "plugins",
    part: name,
    disable: name,
  }))

const boxes = (metrics: string): Attention[] => {
  const inbox = sumOf(metricBy(metrics, "svc_inbox_handlers", "state"), "failed", "dead", "held")
  const outbox = sumOf(metricBy(metrics, "svc_outbox_messages", "state"), "failed", "dead", "unknown", "held")
  const found: Attention[] = []
  if (inbox > 0)
    found.push({tone: "bad", title: t.inboxAside(inbox), why: t.inboxWhy, remedy: t.inboxDo, page: "inbox"})
  if (outbox > 0)
    found.push({tone: "bad", title: t.outboxAside(outbox), why: t.outboxWhy, remedy: t.outboxDo, page: "outbox"})
  return found
}

const jobsOf = (jobs: Facts["jobs"]): Attention[] => {
  const {items = [], file} = jobs ?? {}
  const on = items.filter(({enabled}) => enabled)
  const failed = on.filter(({lastRun}) => lastRun?.state === "failed")
  const unreachable = on.filter(({problem}) => problem !== null)
  const found: Attention[] = []
  if (file !== undefined && file.refused !== null)
    found.push({
      tone: "bad",
      title: t.jobs,
      why: file.refused.detail,
      remedy: t.jobsDo,
      command: "svc schedule list",
      page: "jobs",
    })
  if (failed.length > 0)
    found.push({
      tone: "bad",
      title: t.jobsFailed(failed.length),
      why: named(failed, ({lastRun}) => lastRun?.reason),
      remedy: t.jobsFailedDo,
      page: "jobs",
    })
  if (unreachable.length > 0)
    found.push({
      tone: "warn",
      title: t.jobsUnreachable(unreachable.length),
      why: named(unreachable, ({problem}) => problem),
      remedy: t.jobsUnreachableDo,
      page: "jobs",
    })
  return found
}

/** The first few by name, each with its reason. */
const named = (jobs: readonly JobView[], reasonOf: (job: JobView) => string | null | undefined): string =>
  `${jobs
    .slice(0, 3)
    .map(job => `${job.id} (${reasonOf(job) ?? ""})`)
    .join(", ")}${jobs.length > 3 ? " …" : ""}.`

const others = ({database, workroom}: Facts): Attention[] => {
  const found: Attention[] = []
  if (database.daysLeft !== null && database.daysLeft < fewDays)
    found.push({
      tone: database.daysLeft < 2 ? "bad" : "warn",
      title: t.disk(duration(database.daysLeft * 86_400)),
      why: `${t.diskWhy} ${bytes(database.disk.free)} ${texts.overview.free}.`,
      remedy: t.diskDo,
      command: "svc database info",
    })
  if (workroom.overdue > 0)
    found.push({
      tone: "warn",
      title: t.overdue(workroom.overdue),
      why: t.overdueWhy,
      remedy: t.overdueDo,
      page: "workroom",
    })
  return found
}
