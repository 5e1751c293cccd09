import type {AlertsView, AlertTargetView, AlertView} from "../../../shared/alerts/api.ts"
import {type AlertTarget, kindOf} from "../../../shared/config/alerts.ts"
import type {Heartbeat} from "./heartbeat.ts"
import type {AlertRecord} from "./ledger.ts"
import {aboutOf} from "./notice.ts"
import type {KeptTarget} from "./store.ts"

/** Returns the alerts in force first, then critical ones, then the newest. */
export const viewAlerts = (records: readonly AlertRecord[], project: string): AlertView[] =>
  records.toSorted(pressingFirst).map(record => ({
    ...aboutOf(record, project),
    raisedAt: new Date(record.raisedAt).toISOString(),
    told: Object.entries(record.told).flatMap(([name, told]) => (told.id === record.id ? [name] : [])),
  }))

export const viewHeartbeat = ({lastSentAt, stopped, failure}: Heartbeat): AlertsView["heartbeat"] => ({
  lastSentAt: timeOf(lastSentAt),
  stopped,
  lastFailure: failureOf(failure),
})

export const timeOf = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString())

const failureOf = (failure: {readonly at: number; readonly error: string} | undefined) =>
  failure === undefined ? null : {at: new Date(failure.at).toISOString(), error: failure.error}

const pressingFirst = (one: AlertRecord, other: AlertRecord): number =>
  Number(one.until !== null) - Number(other.until !== null) ||
  one.severity.localeCompare(other.severity) ||
  other.raisedAt - one.raisedAt

export const viewTarget = (
  target: AlertTarget,
  kept: KeptTarget,
): Pick<AlertTargetView, "name" | "kind" | "endpoint" | "lastSentAt" | "lastFailure"> => ({
  name: kept.name,
  kind: kindOf(target),
  ...(target.endpoint === undefined ? {} : {endpoint: target.endpoint}),
  lastSentAt: timeOf(kept.lastSentAt),
  lastFailure: failureOf(kept.failure),
})
