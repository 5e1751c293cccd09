import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import type {RequestMeter} from "../../http/request-meter.ts"
import type {Services} from "../../http/services.ts"

/** What the metrics are read from, each time that the page is asked for. */
export interface MetricsSources extends Services {
  readonly requests: RequestMeter
  readonly report: () => ReadinessReport
  readonly isReady: () => boolean
}
