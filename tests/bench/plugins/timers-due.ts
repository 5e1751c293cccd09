import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, short} from "../measure/figure.ts"
import {type BenchHost, makeProject, startHost} from "../measure/host.ts"
import {percentile, spreadOf} from "../measure/statistics.ts"
import {line, sample, type Times} from "../messages/chat.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The number of timers that fall due, and the time over which they do, in milliseconds. */
const timers = 10_000
const within = 60_000

/** The number of timers that fire earlier, as a warm-up. */
const warmUp = 3000

/** The time to set the timers before the first one is due, in milliseconds. */
const lead = 20_000

/** Sets timers that fall due evenly over some time, and records how late each handler began. */
const reminders = `import {definePlugin, Type} from "svc-runtime"

const Lateness = Type.Object({lateness: Type.Array(Type.Number())})
const Wanted = Type.Object({count: Type.Integer(), lead: Type.Integer(), within: Type.Integer()})

export default definePlugin({
  setup(plugin) {
    let lateness = []
    const due = plugin.timer("due", {data: Type.Integer()}, session => {
      lateness.push(Date.now() - session.event.timestamp)
    })
    plugin.route({
      method: "POST", path: "/set", scope: "full", summary: "Sets timers", body: Wanted, response: Lateness,
      handle: async (_, call) => {
        const {count, lead, within} = call.body as {count: number, lead: number, within: number}
        lateness = []
        const start = Date.now() + lead
        for (let n = 0; n < count; n += 500)
          await Promise.all(Array.from({length: 500}, (_, more) =>
            plugin.setTimer(due, {at: start + ((n + more) * within) / count}, n + more)))
        if (lead > 0 && Date.now() > start) throw new Error("setting the timers took too long")
        return call.json(Lateness, {lateness})
      },
    })
    plugin.route({
      method: "GET", path: "/lateness", scope: "full",
      summary: "Milliseconds from each due time to the start of its handler", response: Lateness,
      handle: async (_, call) => call.json(Lateness, {lateness}),
    })
  },
})
`

const latenessOf = async (host: BenchHost): Promise<readonly number[]> => {
  const answer = (await (await host.fetch("/api/plugins/reminders/lateness")).json()) as {lateness: readonly number[]}
  return answer.lateness
}

const answerTimes = (samples: readonly Times[]): number[] => samples.flatMap(times => times.map(([, time]) => time))

const measureOn = async (runtime: TestRuntime, {progress}: RowOptions): Promise<readonly Figure[]> => {
  const made = makeProject("  line: {}\n  reminders: {}\n", {line, reminders})
  const host = await startHost(runtime, made)
  const set = async (count: number, options: {lead: number; within: number}) => {
    await host.fetch("/api/plugins/reminders/set", {method: "POST", body: JSON.stringify({count, ...options})})
  }
  const untilFired = async (count: number) => {
    while ((await latenessOf(host)).length < count) await sleep(200)
  }
  await set(warmUp, {lead: 0, within: 1})
  await untilFired(warmUp)
  await sample(host)
  const calm: Times[] = []
  for (const end = Date.now() + within / 4; Date.now() < end; ) calm.push(await sample(host))
  progress(`${timers} timers on ${runtime.name}`)
  await set(timers, {lead, within})
  await untilFired(1)
  const busy: Times[] = []
  for (const end = Date.now() + within * 0.9; Date.now() < end; ) busy.push(await sample(host))
  await untilFired(timers)
  const lateness = await latenessOf(host)
  await host.stop()
  made.remove()
  const during = percentile(answerTimes(busy), 0.99)
  const before = percentile(answerTimes(calm), 0.99)
  return [
    {
      name: `p99 from due to the handler's begin, on ${runtime.name}`,
      unit: "ms",
      value: spreadOf([percentile(lateness, 0.99)]),
      target: atMost(1000),
      detail: `${lateness.length} fired; p50 ${short(percentile(lateness, 0.5))}, longest ${short(Math.max(...lateness))} ms`,
    },
    {
      name: `p99 of a chat message meanwhile, on ${runtime.name}`,
      unit: "",
      value: spreadOf([during / before]),
      target: atMost(2),
      against: "the same on the calm Host",
      detail: `${short(during)} against ${short(before)} ms`,
    },
  ]
}

export const timersDue: Row = {
  name: "timers-due",
  summary: `${timers.toLocaleString("en")} timers that fall due within a minute: how late they fire, and the latency of chat meanwhile`,
  measure: onEachRuntime(measureOn),
}
