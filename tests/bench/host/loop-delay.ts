import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {type Figure, sides} from "../measure/figure.ts"
import {type BenchHost, startHost} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {percentile, spreadOf} from "../measure/statistics.ts"
import {deliver, sinkProject, warmUp, webhookDoor} from "../messages/sink.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The number of signed webhooks in progress at the same time. */
const flights = [100, 1000] as const

/** The duration of a sample, in seconds. */
const burst = 3

/** A plugin that returns how late each turn of a 5 ms timer was since the last request, in milliseconds. */
const clock = `import {definePlugin, Type} from "svc-runtime"

const Late = Type.Object({late: Type.Array(Type.Number())})
const pause = 5

export default definePlugin({
  setup(plugin) {
    let late: number[] = []
    let due = performance.now() + pause
    const turn = () => {
      late.push(performance.now() - due)
      due = performance.now() + pause
      timer = setTimeout(turn, pause)
    }
    let timer = setTimeout(turn, pause)
    plugin.signal.addEventListener("abort", () => clearTimeout(timer))
    plugin.route({
      method: "GET", path: "/late", scope: "full", summary: "The delays of the event loop", response: Late,
      handle: async (_, call) => {
        const seen = late
        late = []
        return call.json(Late, {late: seen})
      },
    })
  },
})
`

const lateness = async (host: BenchHost): Promise<readonly number[]> => {
  const {late} = (await (await host.fetch("/api/plugins/clock/late")).json()) as {late: readonly number[]}
  return late
}

const during = async (host: BenchHost, work: () => Promise<unknown>): Promise<readonly number[]> => {
  await lateness(host)
  await work()
  return lateness(host)
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const made = sinkProject(`${webhookDoor}  clock: {}\n`)
  made.write("plugins/clock.ts", clock)
  const host = await startHost(runtime, made)
  const load = (flying: number) => () => deliver(host, {flying, seconds: burst, door: "webhook", ends: "replied"})
  progress(`${warmUp} messages for the compiler`)
  await deliver(host, {flying: 100, messages: warmUp, door: "webhook", ends: "replied"})
  const figures: Figure[] = []
  for (const flying of flights) {
    progress(`${flying} in flight on ${runtime.name}`)
    const longest: number[] = []
    const measured = await measurePairs(
      pairs,
      async () => {
        const late = await during(host, load(flying))
        longest.push(Math.max(...late))
        return percentile(late, 0.99)
      },
      async () => percentile(await during(host, () => sleep(burst * 1000)), 0.99),
    )
    figures.push(
      {
        name: `p99 of the delay, ${flying} in flight on ${runtime.name}`,
        unit: "ms",
        value: measured.subject,
        against: "the same Host at rest",
        detail: sides(measured, "ms"),
      },
      {name: `  the longest delay, ${flying} in flight on ${runtime.name}`, unit: "ms", value: spreadOf(longest)},
    )
  }
  await host.stop()
  made.remove()
  return figures
}

export const loopDelay: Row = {
  name: "loop-delay",
  summary: "the delay of the Host's event loop for a timer, while it stores, handles and answers signed webhooks",
  measure: onEachRuntime(measureOn),
}
