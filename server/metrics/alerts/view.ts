import type {AlertsView, AlertTargetView, AlertView, AlertWait} from "../../../shared/alerts/api.ts"
import {type AlertTarget, kindOf} from "../../../shared/config/alerts.ts"
import type {Heartbeat} from "./heartbeat.ts"
import type {AlertRecord} from "./ledger.ts"
import type {KeptTarget} from "./store.ts"

interface ShownTarget {
  readonly name: string
  readonly target: AlertTarget
  readonly serving: KeptTarget | undefined
  readonly failures: number
  readonly waiting: AlertWait | null
  readonly due: number
}

interface Shown {
  readonly project: string
  readonly configured: boolean
  readonly checkedAt: number | undefined
  readonly records: readonly AlertRecord[]
  readonly targets: readonly ShownTarget[]
  readonly heartbeat: Pick<Heartbeat, "lastSentAt" | "stopped" | "failure"> | undefined
}

/** Returns the answer of `GET /api/alerts`. */
export const viewAlerts = ({project, configured, checkedAt, records, targets, heartbeat}: Shown): AlertsView => ({
  configured,
  checkedAt: timeOf(checkedAt),
  items: records.toSorted(pressingFirst).map(record => viewAlert(record, project)),
  targets: targets.map(viewTarget),
  heartbeat:
    heartbeat === undefined
      ? null
      : {
          lastSentAt: timeOf(heartbeat.lastSentAt),
          stopped: heartbeat.stopped,
          lastFailure: failureOf(heartbeat.failure),
        },
})

const timeOf = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString())

const failureOf = (failure: {readonly at: number; readonly error: string} | undefined) =>
  failure === undefined ? null : {at: new Date(failure.at).toISOString(), error: failure.error}

/** Alerts in force first, then critical ones, then the newest. */
const pressingFirst = (one: AlertRecord, other: AlertRecord): number =>
  Number(one.until !== null) - Number(other.until !== null) ||
  one.severity.localeCompare(other.severity) ||
  other.raisedAt - one.raisedAt

const viewAlert = (record: AlertRecord, project: string): AlertView => {
  const {id, code, severity, title, text, since, raisedAt, until, remediation, endpoint, runtimeId, runId} = record
  return {
    id,
    code,
    severity,
    title,
    text,
    since: new Date(since).toISOString(),
    raisedAt: new Date(raisedAt).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
    remediation,
    ...(endpoint === undefined ? {} : {Endpoint: endpoint}),
    Project: project,
    runtimeId,
    ...(runId === undefined ? {} : {runId}),
    told: Object.entries(record.told).flatMap(([name, told]) => (told.id === id ? [name] : [])),
  }
}

const viewTarget = ({name, target, serving, failures, waiting, due}: ShownTarget): AlertTargetView => ({
  name,
  kind: kindOf(target),
  ...(target.endpoint === undefined ? {} : {endpoint: target.endpoint}),
  waiting,
  due: due + (serving?.notice === undefined ? 0 : serving.notice.alerts.length),
  lastSentAt: timeOf(serving?.lastSentAt),
  lastFailure: failureOf(serving?.failure),
  failures,
})
