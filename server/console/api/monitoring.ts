import {AlertsView, AlertTestRequest, AlertTestResult} from "../../../shared/alerts/api.ts"
import {MetricHistoryQuery, MetricHistoryView} from "../../../shared/api/metrics/history.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {readMetricHistory} from "../../metrics/history/read.ts"
import {hour} from "../../metrics/history/spans.ts"
import {contentType} from "../../metrics/page.ts"
import {answering, type Operation} from "../operations.ts"
import {timesOf} from "../search.ts"

/** The part of the Host that these routes see. */
export interface AlertsService {
  readonly view: AlertsView
  test(target: string | undefined): Promise<AlertTestResult>
}

export const listAlerts = (alerts: AlertsService): Operation => ({
  summary: "Alerts that are active or ended within a day, where they were sent, and what could not be sent",
  response: {200: AlertsView},
  handle: (_, call) => call.json(AlertsView, alerts.view),
})

export const testAlerts = answering({
  summary: "Send a test alert to one target or to all, and return the result of each",
  body: AlertTestRequest,
  answer: AlertTestResult,
  problems: ["alert_target_unknown", "alerts_off"],
  run: ({body}, alerts: AlertsService) => alerts.test(body.target),
})

/** The part of the Host that this route sees. */
export interface MetricsService {
  render(): Promise<string>
}

export const showMetrics = (metrics: MetricsService): Operation => ({
  summary: "Metrics for Prometheus; docs/reference/metrics.md lists them",
  response: {200: contentType},
  handle: async (_, call) =>
    new Response(await metrics.render(), {
      headers: {
        "cache-control": "no-store",
        "content-type": contentType,
        "x-content-type-options": "nosniff",
        "x-request-id": call.requestId,
      },
    }),
})

export const showMetricHistory = (database: Database): Operation => ({
  summary: "The Host's figures over time: by minute for 48 hours, by hour for 90 days",
  query: MetricHistoryQuery,
  response: {200: MetricHistoryView},
  problems: ["request_invalid"],
  handle: async (_, call) => {
    const now = Date.now()
    const asked = timesOf(call)
    const to = Math.min(asked.to ?? now, now)
    const from = asked.from ?? to - hour
    if (from >= to) throw new Problem("request_invalid", "from is not before to, or not in the past")
    return call.json(MetricHistoryView, await readMetricHistory(database, {from, to, now}))
  },
})
