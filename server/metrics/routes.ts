import {alertOperations, metricOperations} from "../../shared/api/operations/host.ts"
import {serve} from "../../shared/api/operations/operation.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {timesOf} from "../database/lists/search.ts"
import type {Alerts} from "./alerts/alerts.ts"
import {readMetricHistory} from "./history/read.ts"
import {hour} from "./history/spans.ts"
import type {MetricsPage} from "./page.ts"

export const alertRoutes = (alerts: Alerts) =>
  serve(alertOperations, {list: () => alerts.view, test: ({body}) => alerts.test(body.target)})

export const metricRoutes = (metrics: MetricsPage, database: Database) =>
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
