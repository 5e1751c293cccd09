import {type AlertBody, type AlertMessage, alertSchema} from "../../../shared/alerts/api.ts"
import {type AlertTarget, isCriticalOnly} from "../../../shared/config/alerts.ts"
import {uuid} from "../../runtime/uuid.ts"
import type {AlertRecord, Told} from "./ledger.ts"

/** A message to a target. It is kept until it is sent or abandoned. */
export interface Notice {
  /** The same for each attempt, so that a receiver can recognize a repetition. */
  readonly id: string
  readonly at: number
  readonly attempts: number
  /** Not before this moment. */
  readonly nextAt: number
  readonly alerts: readonly AlertBody[]
}

export interface Who {
  readonly project: string
  readonly runtimeId: string
}

export interface DueSettings {
  /** Milliseconds; 0 for never. */
  readonly repeat: number
  readonly isQuiet: boolean
  /** Are critical alerts sent during quiet hours? */
  readonly passes: boolean
}

/** A target, and since when it is known. Alerts that were resolved before are not sent to it. */
export interface Asking {
  readonly name: string
  readonly target: AlertTarget
  readonly since: number
}

/** How many alerts go into one message. The others follow in the next. */
const mostAtOnce = 20

/** Returns what to send a target about an alert now; undefined for nothing. */
export const dueOf = (
  record: AlertRecord,
  {name, target, since}: Asking,
  {repeat, isQuiet, passes}: DueSettings,
  now: number,
): Told["status"] | undefined => {
  if (target.items !== undefined && !target.items.includes(record.code)) return undefined
  if (isCriticalOnly(target) && record.severity !== "critical") return undefined
  if (isQuiet && target.quiet && !(passes && record.severity === "critical")) return undefined
  const told = record.told[name]?.id === record.id ? record.told[name] : undefined
  if (record.until === null) {
    if (told?.status !== "firing") return "firing"
    return repeat > 0 && now - told.at >= repeat ? "firing" : undefined
  }
  if (told === undefined) return record.until >= since ? "resolved" : undefined
  return told.status === "resolved" || record.happens ? undefined : "resolved"
}

/** Returns the next message to a target, and the records that note it; undefined if nothing is due. */
export const compose = (
  records: readonly AlertRecord[],
  asking: Asking,
  settings: DueSettings,
  who: Who,
  now: number,
): {readonly notice: Notice; readonly records: readonly AlertRecord[]} | undefined => {
  const due = records.flatMap(record => {
    const status = dueOf(record, asking, settings, now)
    return status === undefined ? [] : [{record, status}]
  })
  if (due.length === 0) return undefined
  const chosen = due.toSorted(worstFirst).slice(0, mostAtOnce)
  return {
    notice: {
      id: uuid(),
      at: now,
      attempts: 0,
      nextAt: now,
      alerts: chosen.map(({record, status}) => bodyOf(record, status, record.told[asking.name], who.project)),
    },
    records: chosen.map(({record, status}) => ({
      ...record,
      told: {...record.told, [asking.name]: {id: record.id, status, at: now}},
    })),
  }
}

const worstFirst = (one: {readonly record: AlertRecord}, other: {readonly record: AlertRecord}): number =>
  one.record.severity.localeCompare(other.record.severity) || one.record.since - other.record.since

const timeOf = (at: number): string => new Date(at).toISOString()

const bodyOf = (record: AlertRecord, status: Told["status"], before: Told | undefined, project: string): AlertBody => ({
  ...aboutOf(record, project),
  status,
  repeated: status === "firing" && before?.id === record.id && before.status === "firing",
})

/** Returns what every form of an alert says. */
export const aboutOf = (record: AlertRecord, project: string) => ({
  id: record.id,
  code: record.code,
  severity: record.severity,
  title: record.title,
  text: record.text,
  since: timeOf(record.since),
  until: record.until === null ? null : timeOf(record.until),
  remediation: record.remediation,
  ...(record.endpoint === undefined ? {} : {Endpoint: record.endpoint}),
  Project: project,
  runtimeId: record.runtimeId,
  ...(record.runId === undefined ? {} : {runId: record.runId}),
})

/** Returns the JSON for a webhook. */
export const messageOf = ({id, alerts}: Notice, {project, runtimeId}: Who, now: number): AlertMessage => ({
  schema: alertSchema,
  id,
  project,
  runtimeId,
  sentAt: timeOf(now),
  alerts: [...alerts],
})

/** Returns the text for a chat or a mail. */
export const textOf = ({alerts}: Pick<Notice, "alerts">): string => alerts.map(sayOne).join("\n\n")

export const subjectOf = ({alerts}: Pick<Notice, "alerts">, project: string): string => {
  const [first] = alerts
  const more = alerts.length > 1 ? ` and ${alerts.length - 1} more` : ""
  return `[${project}] ${first === undefined ? "" : `${markOf(first)}: ${first.title}`}${more}`
}

const markOf = ({status, severity, repeated}: AlertBody): string => {
  if (status === "test") return "Test"
  if (status === "resolved") return "Resolved"
  return `${severity === "critical" ? "Critical" : "Warning"}${repeated ? ", still" : ""}`
}

const sayOne = (alert: AlertBody): string => {
  const {title, text, since, until, remediation, Endpoint, Project, runtimeId, runId} = alert
  const labels = [
    `Project ${Project}`,
    ...(Endpoint === undefined ? [] : [`Endpoint ${Endpoint}`]),
    `runtimeId ${runtimeId}`,
    ...(runId === undefined ? [] : [`runId ${runId}`]),
  ]
  return [
    `${markOf(alert)}: ${title}`,
    text,
    until === null ? `Since ${since}.` : `From ${since} to ${until}.`,
    ...(until === null ? [`What to do: ${remediation.text}`] : []),
    ...(until === null && remediation.command !== undefined ? [`  ${remediation.command}`] : []),
    `${labels.join(", ")}.`,
  ]
    .filter(line => line !== "")
    .join("\n")
}
