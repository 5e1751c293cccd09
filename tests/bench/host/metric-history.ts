import type {TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import {atLeast, atMost, type Figure, ratioOf} from "../measure/figure.ts"
import {pairsOf} from "../measure/pairs.ts"
import {runScript} from "../measure/process.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The output of tests/bench/host/work/metric-history.ts. Rates are messages per second of processor time. */
interface Sample {
  readonly with: number
  readonly without: number
  readonly messageBytes: number
  /** Seconds of processor time. */
  readonly rowSeconds: number
  /** The disk space of the history after a day, and once its oldest rows expire. */
  readonly dayBytes: number
  readonly wholeBytes: number
}

/** One message per second for a day. */
const quietDay = 86_400

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const command = await scriptCommand(runtime, "tests/bench/host/work/metric-history.ts")
  const samples: Sample[] = []
  for (let pair = 0; pair < pairs; pair++) samples.push(await runScript<Sample>(command))
  const of = (read: (sample: Sample) => number) => samples.map(read)
  const rate = pairsOf(
    of(sample => sample.with),
    of(sample => sample.without),
  )
  const size = pairsOf(
    of(({wholeBytes}) => wholeBytes / 1e6),
    of(({messageBytes}) => (messageBytes * quietDay) / 1e6),
  )
  const figure = (name: string, unit: string, read: (sample: Sample) => number): Figure => ({
    name: `  ${name} on ${runtime.name}`,
    unit,
    value: spreadOf(of(read)),
  })
  return [
    ratioOf(
      `messages stored, with a row of the history after every 4000, on ${runtime.name}`,
      rate,
      "the same without; a Host stores one row a minute",
      "messages per CPU-second",
      atLeast(0.95),
    ),
    ratioOf(
      `disk of a history of 90 days, on ${runtime.name}`,
      size,
      "the inbox rows of a day of a message a second",
      "MB",
      atMost(0.2),
    ),
    figure("processor time of a row", "ms", ({rowSeconds}) => rowSeconds * 1000),
    figure("disk after a day", "MB", ({dayBytes}) => dayBytes / 1e6),
  ]
}

export const metricHistory: Row = {
  name: "metric-history",
  summary:
    "what the rows of the metric history cost: messages stored beside them, processor time of a row, disk of 90 days",
  measure: onEachRuntime(measureOn),
}
