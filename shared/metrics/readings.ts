import type {Distribution, Sample} from "./meter.ts"
import type {MetricName, metrics} from "./table.ts"

type LabelsOf<N extends MetricName> = (typeof metrics)[N]["labels"][number]

/** The series of one metric, according to its row in the table. */
export type SeriesOf<N extends MetricName> = (typeof metrics)[N]["type"] extends "histogram"
  ? readonly Distribution<LabelsOf<N>>[]
  : readonly Sample<LabelsOf<N>>[]

/** The values of all metrics at one moment. */
export type Readings = {readonly [N in MetricName]: SeriesOf<N>}

/** The groups of readings whose failures the page counts. */
export const readGroups = ["runs", "gaps", "messages", "storage", "events", "jobs", "agents", "disk"] as const

/** Some metrics of a part. Readings of one metric by several parts are put together. */
export interface Reading {
  /** The group that a failure counts for; left out if the reading cannot fail. */
  readonly group?: (typeof readGroups)[number]
  read(): Partial<Readings> | Promise<Partial<Readings>>
}

/** The only series of a metric without labels. */
export const single = (value: number): readonly Sample<never>[] => [{labels: {}, value}]

/** The same, or no series if the value is undefined. */
export const singleOrNone = (value: number | undefined): readonly Sample<never>[] =>
  value === undefined ? [] : single(value)

/** One series for each entry, with one label. */
export const by = <L extends string>(label: L, values: Readonly<Record<string, number>>): readonly Sample<L>[] =>
  Object.entries(values).map(([name, value]) => ({labels: {[label]: name} as Record<L, string>, value}))
