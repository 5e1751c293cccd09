import type {Metric, Series} from "prom-client/lib/registry.js"
import type {Distribution, Sample} from "../../shared/metrics/meter.ts"
import {by, type Reading, type Readings, readGroups} from "../../shared/metrics/readings.ts"
import {metrics} from "../../shared/metrics/table.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"

/** The longest wait for a reading, in milliseconds. Prometheus waits 10 s for the page. */
const readLimit = 5000

/** The metrics as one page. The library that renders it is loaded for the first page, so that no start waits for it. */
export class MetricsPage {
  readonly #readings: () => readonly Reading[]
  readonly #failures = Object.fromEntries(readGroups.map(group => [group, 0]))
  #library: ReturnType<typeof load> | undefined

  /** A reading that fails, or takes too long, is counted as failed; the page shows the rest. */
  constructor(readings: () => readonly Reading[]) {
    this.#readings = readings
  }

  async render(): Promise<string> {
    this.#library ??= load()
    const {Registry, ofProcess} = await this.#library
    const read = await Promise.all(this.#readings().map(reading => this.#read(reading)))
    const found: readonly Partial<Readings>[] = [...read, {svc_collect_failures_total: by("part", this.#failures)}]
    const registry = new Registry()
    for (const [name, {type, help}] of Object.entries(metrics)) {
      const values = found.flatMap(each => seriesOf(name, each[name as keyof Readings] ?? []))
      registry.registerMetric({name, get: async () => ({name, type, help, values})})
    }
    for (const metric of ofProcess) registry.registerMetric(metric)
    return registry.metrics()
  }

  async #read({group, read}: Reading): Promise<Partial<Readings>> {
    if (group === undefined) return read()
    return withTimeLimit(readLimit, read).catch(() => {
      this.#failures[group] = (this.#failures[group] ?? 0) + 1
      return {}
    })
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
