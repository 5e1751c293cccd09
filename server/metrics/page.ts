import type {Metric, Series} from "prom-client/lib/registry.js"
import type {Distribution, Sample} from "../../shared/meter.ts"
import type {Readings} from "./readings.ts"
import {metrics} from "./table.ts"

/** The metrics as one page. The library that renders it is loaded for the first page, so that no start waits for it. */
export class MetricsPage {
  readonly #collect: () => Promise<Readings>
  #library: ReturnType<typeof load> | undefined

  constructor(collect: () => Promise<Readings>) {
    this.#collect = collect
  }

  async render(): Promise<string> {
    this.#library ??= load()
    const {Registry, ofProcess} = await this.#library
    const readings = await this.#collect()
    const registry = new Registry()
    for (const [name, {type, help}] of Object.entries(metrics)) {
      const values = seriesOf(name, readings[name as keyof Readings])
      registry.registerMetric({name, get: async () => ({name, type, help, values})})
    }
    for (const metric of ofProcess) registry.registerMetric(metric)
    return registry.metrics()
  }
}

const load = async () => {
  const [{default: Registry}, ...defaults] = await Promise.all([
    import("prom-client/lib/registry.js"),
    import("prom-client/lib/metrics/processStartTime.js"),
    import("prom-client/lib/metrics/osMemoryHeap.js"),
    import("prom-client/lib/metrics/processOpenFileDescriptors.js"),
    import("prom-client/lib/metrics/processMaxFileDescriptors.js"),
    import("prom-client/lib/metrics/heapSizeAndUsed.js"),
  ])
  const registry = new Registry()
  for (const {default: register} of defaults) register(registry)
  const ofProcess: readonly Metric[] = registry.getMetricsAsArray()
  return {Registry, ofProcess}
}

const seriesOf = (name: string, series: readonly (Sample | Distribution)[]): readonly Series[] =>
  series.flatMap(each => ("histogram" in each ? partsOf(name, each) : [each]))

/** Returns the buckets with their upper bounds, the sum and the count. */
const partsOf = (name: string, {labels, histogram}: Distribution): readonly Series[] => [
  ...histogram.cumulative().map((value, index) => ({
    metricName: `${name}_bucket`,
    labels: {...labels, le: String(histogram.bounds[index])},
    value,
  })),
  {metricName: `${name}_bucket`, labels: {...labels, le: "+Inf"}, value: histogram.count},
  {metricName: `${name}_sum`, labels, value: histogram.sum},
  {metricName: `${name}_count`, labels, value: histogram.count},
]
