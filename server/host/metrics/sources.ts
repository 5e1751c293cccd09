import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import type {RequestMeter} from "../../http/request-meter.ts"
import type {Sources} from "../parts/sources.ts"

/** The sources of the metrics, read at each request of the page. */
export interface MetricsSources extends Sources {
  readonly requests: RequestMeter
  readonly report: () => ReadinessReport
  readonly isReady: () => boolean
}
