/** What is used of prom-client's modules. Its entrance loads pushgateway, cluster and OpenTelemetry too: 40 ms and more. */
declare module "prom-client/lib/registry.js" {
  export interface Series {
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
    /** Another name than the metric's: of a histogram's parts. */
    readonly metricName?: string
  }

  export interface Metric {
    readonly name: string
    get(): Promise<{
      readonly name: string
      readonly help: string
      readonly type: "counter" | "gauge" | "histogram"
      readonly values: readonly Series[]
    }>
  }

  export default class Registry {
    static readonly PROMETHEUS_CONTENT_TYPE: string
    registerMetric(metric: Metric): void
    getMetricsAsArray(): Metric[]
    metrics(): Promise<string>
  }
}

/** Registers default metrics that one of its files has. */
declare module "prom-client/lib/metrics/*" {
  import type Registry from "prom-client/lib/registry.js"

  const register: (registry: Registry) => void
  export default register
}
