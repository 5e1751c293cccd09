import type {TestRuntime} from "../../support/host/runtimes.ts"
import {type BareServer, bareName, startBareInbox} from "../measure/bare.ts"
import {atLeast, atMost, type Figure, ratioOf} from "../measure/figure.ts"
import {type BenchHost, startHost} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"
import {deliver, groupsOf, type Sample, secret, sinkProject, warmUp, webhookDoor} from "./sink.ts"

/** The number of webhooks in progress at the same time. */
const flights = [1, 10, 100, 1000] as const

/** The duration of a sample, in seconds. */
const burst = 1.5

/** The number in progress to which the targets apply. */
const usual = 100
const targetsOf = ({name}: TestRuntime) =>
  name === "bun" ? {ratio: atLeast(0.17), rate: atLeast(4000)} : {ratio: atLeast(0.2), rate: atLeast(2400)}

/** For a single message, in milliseconds. */
const lone = atMost(1)

interface HostSample extends Sample {
  /** The number of changes per commit: each message is stored in three changes. */
  readonly groupSize: number
}

const sampleOf = async (host: BenchHost, flying: number): Promise<HostSample> => {
  const before = await groupsOf(host)
  const sample = await deliver(host, {flying, seconds: burst, door: "webhook", ends: "replied"})
  const after = await groupsOf(host)
  return {...sample, groupSize: (after.changes - before.changes) / (after.commits - before.commits)}
}

const measureFlight = async (
  {host, bare, runtime}: {host: BenchHost; bare: BareServer; runtime: TestRuntime},
  flying: number,
  pairs: number,
): Promise<readonly Figure[]> => {
  const samples: HostSample[] = []
  const measured = await measurePairs(
    pairs,
    async () => {
      const sample = await sampleOf(host, flying)
      samples.push(sample)
      return sample.perCpuSecond
    },
    async () => (await deliver(bare, {flying, seconds: burst, door: "webhook", ends: "answered"})).perCpuSecond,
  )
  const where = `${flying} in flight on ${runtime.name}`
  const targets = flying === usual ? targetsOf(runtime) : undefined
  const figure = (name: string, unit: string, of: (sample: HostSample) => number): Figure => ({
    name: `${name}, ${where}`,
    unit,
    value: spreadOf(samples.map(of)),
  })
  return [
    ratioOf(
      `durable path, ${where}`,
      measured,
      `${bareName(runtime)} with the signature check and one durable insert a group`,
      "messages per CPU-second",
      targets?.ratio,
    ),
    {
      ...figure("  messages per CPU-second of the Host", "/s", ({perCpuSecond}) => perCpuSecond),
      ...(targets === undefined ? {} : {target: targets.rate}),
    },
    figure("  messages per second", "/s", ({rate}) => rate),
    figure("  changes in a group commit", "", ({groupSize}) => groupSize),
    {...figure("  p50 from webhook to reply", "ms", ({p50}) => p50), ...(flying === 1 ? {target: lone} : {})},
    figure("  p99 from webhook to reply", "ms", ({p99}) => p99),
  ]
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  const made = sinkProject(webhookDoor)
  const host = await startHost(runtime, made)
  const bare = await startBareInbox(runtime, secret)
  progress(`${warmUp} warm-up messages, on ${runtime.name}`)
  const first = {flying: usual, messages: warmUp, door: "webhook"} as const
  await deliver(host, {...first, ends: "replied"})
  await deliver(bare, {...first, ends: "answered"})
  for (const flying of flights) {
    progress(`${flying} in flight on ${runtime.name}`)
    figures.push(...(await measureFlight({host, bare, runtime}, flying, pairs)))
  }
  await host.end()
  await bare.process.stop()
  return figures
}

export const durable: Row = {
  name: "durable",
  summary:
    "signed webhook → inbox → handler → outbox → handled, each step durable, until the platform has the reply; per CPU-second of the server",
  measure: onEachRuntime(measureOn),
}
