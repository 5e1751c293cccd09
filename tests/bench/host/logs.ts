import {scriptCommand} from "../measure/compiled.ts"
import {type Figure, short} from "../measure/figure.ts"
import {pairsOf} from "../measure/pairs.ts"
import {runScript} from "../measure/process.ts"
import {spreadOf} from "../measure/statistics.ts"
import type {Row, RowOptions} from "../row.ts"

type Samples = Readonly<Record<string, readonly number[]>>

const measure = async ({pairs, runtimes, progress}: RowOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  for (const {name, ...runtime} of runtimes) {
    progress(`on ${name}`)
    const command = await scriptCommand({name, ...runtime}, "tests/bench/host/work/logs.ts")
    const {
      "ours 1": one = [],
      "ours 50": fifty = [],
      tslog = [],
      pino = [],
    } = await runScript<Samples>([...command, String(pairs)])
    const {yardstick, ratio} = pairsOf(one, pino)
    figures.push(
      {name: `records with 1 secret, on ${name}`, unit: "/s", value: spreadOf(one)},
      {
        name: `the same against pino, on ${name}`,
        unit: "",
        value: ratio,
        against: "pino, redaction by path",
        detail: `${short(yardstick.median)} /s`,
      },
      {name: `tslog alone, which hides nothing, against pino, on ${name}`, unit: "", value: pairsOf(tslog, pino).ratio},
      {name: `50 secrets against 1, on ${name}`, unit: "", value: pairsOf(fifty, one).ratio},
    )
  }
  return figures
}

export const logs: Row = {
  name: "logs",
  summary:
    "log records per CPU-second: ours finds the values of secrets in every text; pino hides six paths, and finds none",
  measure,
}
