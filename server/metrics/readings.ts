import type {Distribution, Sample} from "../../shared/meter.ts"
import type {MetricName, metrics} from "./table.ts"

type LabelsOf<N extends MetricName> = (typeof metrics)[N]["labels"][number]

/** The series of one metric, according to its row in the table. */
export type SeriesOf<N extends MetricName> = (typeof metrics)[N]["type"] extends "histogram"
  ? readonly Distribution<LabelsOf<N>>[]
  : readonly Sample<LabelsOf<N>>[]

/** The values of all metrics at one moment. */
export type Readings = {readonly [N in MetricName]: SeriesOf<N>}

/** The only series of a metric without labels. */
export const single = (value: number): readonly Sample<never>[] => [{labels: {}, value}]

/** The same, or no series if the value is undefined. */
export const singleOrNone = (value: number | undefined): readonly Sample<never>[] =>
  value === undefined ? [] : single(value)

/** One series for each entry, with one label. */
export const by = <L extends string>(label: L, values: Readonly<Record<string, number>>): readonly Sample<L>[] =>
  Object.entries(values).map(([name, value]) => ({labels: {[label]: name} as Record<L, string>, value}))
