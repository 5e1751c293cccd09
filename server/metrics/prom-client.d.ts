/** The modules of prom-client that svc uses. The main one loads pushgateway, cluster and OpenTelemetry: 40 ms. */
declare module "prom-client/lib/registry.js" {
  export interface Series {
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
    /** The name of a histogram's part, if it differs from the metric's. */
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

/** Registers the default metrics of one of its files. */
declare module "prom-client/lib/metrics/*" {
  import type Registry from "prom-client/lib/registry.js"

  const register: (registry: Registry) => void
  export default register
}
