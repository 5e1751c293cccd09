import type {Operation} from "../../../shared/sdk/route.ts"
import {contentType} from "../../metrics/page.ts"

/** What the Host lets this route see. */
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
