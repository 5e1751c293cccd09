import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, ratioOf, short} from "../measure/figure.ts"
import {type BenchHost, type BenchProject, configOf, greeter, startHost} from "../measure/host.ts"
import {pairsOf} from "../measure/pairs.ts"
import {residentMegabytes} from "../measure/process-stat.ts"
import {spreadOf} from "../measure/statistics.ts"
import {deliver, sinkProject, webhookDoor} from "../messages/sink.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** A day of a busy bot: one message per second, one request of the monitoring per minute, and one reload per hour. */
const hours = 24
const messagesOfAnHour = 3600
const looksOfAnHour = 60

/** Memory is read this many milliseconds after the last message, once the garbage collector has returned memory. */
const rest = 30_000

/** MB. */
const most = 200

/** The number of messages in progress at the same time. */
const flying = 100

/** A day takes minutes. */
const mostDays = 3

const pluginsAt = (hour: number) => `${webhookDoor}  greeter: {config: {greeting: "hour ${hour}"}}\n`

const spendHour = async (host: BenchHost, project: BenchProject, hour: number): Promise<void> => {
  await deliver(host, {flying, messages: messagesOfAnHour, door: "webhook", ends: "replied"})
  for (let look = 0; look < looksOfAnHour; look++)
    for (const path of ["/api/metrics", "/pub/health", "/api/system/status"]) await (await host.fetch(path)).text()
  project.write("svc.config.yml", configOf(`  sink: {}\n${pluginsAt(hour)}`))
  await host.fetch("/api/system/reload", {method: "POST", body: "{}"})
}

interface Day {
  readonly morning: number
  readonly noon: number
  readonly evening: number
}

const spendDay = async (runtime: TestRuntime, progress: RowOptions["progress"]): Promise<Day> => {
  const project = sinkProject(pluginsAt(0))
  project.write("plugins/greeter.ts", greeter)
  const host = await startHost(runtime, project)
  await sleep(1500)
  const morning = residentMegabytes(host.pid)
  const spendHalf = async (from: number) => {
    for (let hour = from; hour < from + hours / 2; hour++) await spendHour(host, project, hour + 1)
    await sleep(rest)
    return residentMegabytes(host.pid)
  }
  const noon = await spendHalf(0)
  progress(`noon on ${runtime.name}: ${short(noon)} MB`)
  const evening = await spendHalf(hours / 2)
  progress(`evening on ${runtime.name}: ${short(evening)} MB`)
  await host.stop()
  project.remove()
  return {morning, noon, evening}
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const days: Day[] = []
  for (let day = 0; day < Math.min(pairs, mostDays); day++) days.push(await spendDay(runtime, progress))
  const growth = pairsOf(
    days.map(({evening}) => evening),
    days.map(({noon}) => noon),
  )
  return [
    {
      name: `memory in the evening on ${runtime.name}`,
      unit: "MB",
      value: growth.subject,
      target: atMost(most),
      against: "the same Host after its start",
      detail: `${short(spreadOf(days.map(({morning}) => morning)).median)} MB`,
    },
    ratioOf(`  the evening against noon on ${runtime.name}`, growth, "half a day", "MB"),
  ]
}

export const day: Row = {
  name: "day",
  summary: `memory of the Host after an accelerated day: ${hours * messagesOfAnHour} signed webhooks, stored and answered, ${hours} reloads, a look at the metrics for each minute`,
  mostPairs: 1,
  measure: onEachRuntime(measureOn),
}
