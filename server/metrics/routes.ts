import type {AlertsView, AlertTestResult} from "../../shared/alerts/api.ts"
import {alertOperations, metricOperations} from "../../shared/api/operations/host.ts"
import {serve} from "../../shared/api/operations/operation.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {timesOf} from "../database/lists/search.ts"
import {readMetricHistory} from "./history/read.ts"
import {hour} from "./history/spans.ts"

/** The part of the Host that these routes see. */
export interface AlertsService {
  readonly view: AlertsView
  test(target: string | undefined): Promise<AlertTestResult>
}

export const alertRoutes = (alerts: AlertsService) =>
  serve(alertOperations, {
    list: () => alerts.view,
    test: ({body}) => alerts.test(body.target),
  })

/** The part of the Host that this route sees. */
export interface MetricsService {
  render(): Promise<string>
}

export const metricRoutes = (metrics: MetricsService, database: Database) =>
  serve(metricOperations, {
    show: async ({call}) =>
      new Response(await metrics.render(), {
        headers: {
          "cache-control": "no-store",
          "content-type": metricOperations.show.about.answer,
          "x-content-type-options": "nosniff",
          "x-request-id": call.requestId,
        },
      }),
    history: ({query}) => {
      const now = Date.now()
      const asked = timesOf(query)
      const to = Math.min(asked.to ?? now, now)
      const from = asked.from ?? to - hour
      if (from >= to) throw new Problem("request_invalid", "from is not before to, or not in the past")
      return readMetricHistory(database, {from, to, now})
    },
  })
