import {setTimeout as sleep} from "node:timers/promises"
import type {AdapterUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {discord} from "../../support/adapters/discord.ts"
import {email} from "../../support/adapters/email.ts"
import {matrix} from "../../support/adapters/matrix.ts"
import {mqtt} from "../../support/adapters/mqtt.ts"
import {onebot} from "../../support/adapters/onebot.ts"
import {irc} from "../../support/adapters/platforms.ts"
import {satori, startServingHost} from "../../support/adapters/satori.ts"
import {slack} from "../../support/adapters/slack.ts"
import {telegram} from "../../support/adapters/telegram.ts"
import {xmpp} from "../../support/adapters/xmpp.ts"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {lastAsLongAsProcess} from "../../support/host/shared.ts"
import {atMost, type Figure, ratioOf, sides} from "../measure/figure.ts"
import {type BenchProject, greeter, makeProject, startHost, untilOnline} from "../measure/host.ts"
import {measurePairs, pairsOf} from "../measure/pairs.ts"
import {cpuSeconds, residentMegabytes} from "../measure/process-stat.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** Memory and processor time are read this many milliseconds after all endpoints are online. */
const settled = 2000

interface Place {
  readonly name: string
  readonly account: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
}

/** Real servers and the tests' fakes, in this process or its children. They serve all Hosts of the row in turn. */
const openPlaces = async (): Promise<readonly Place[]> => {
  // Importing it installs it, and no other row should wait for that.
  const {startDendrite} = await import("../../support/platforms/matrix/dendrite.ts")
  const server = await startServingHost()
  const adapters: readonly AdapterUnderTest[] = [
    irc,
    discord,
    email,
    await matrix(await startDendrite()),
    mqtt,
    onebot("ws"),
    satori(() => server),
    slack,
    telegram,
    xmpp(),
  ]
  return Promise.all(
    adapters.map(async ({use, env = {}, platform}) => {
      const {account = {id: "one"}} = await platform(undo => void process.on("exit", () => void undo()))
      return {name: use, account, env}
    }),
  )
}

const projectOf = (places: readonly Place[]): BenchProject => {
  const plugins = places.map(({name, account}) => `  ${name}: ${JSON.stringify({endpoints: [account]})}\n`)
  const project = makeProject(`  greeter: {}\n${plugins.join("")}`, {greeter})
  const env = Object.assign({}, ...places.map(place => place.env)) as Record<string, string>
  project.write(
    ".env",
    Object.entries(env)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(""),
  )
  return project
}

interface Sample {
  /** The milliseconds until the Host is ready, and the processor time until then. */
  readonly ready: number
  readonly readyWith: number
  /** The processor time until its endpoints are online and it has settled. */
  readonly settledWith: number
  readonly megabytes: number
}

const sampleOf = async (runtime: TestRuntime, project: BenchProject, count: number): Promise<Sample> => {
  const host = await startHost(runtime, project)
  try {
    await untilOnline(host, count)
    await sleep(settled)
    const sample = {
      ready: host.startedIn,
      readyWith: host.startedWith,
      settledWith: cpuSeconds(host.pid) * 1000,
      megabytes: residentMegabytes(host.pid),
    }
    return sample
  } finally {
    await host.stop()
  }
}

const startFigures = async (
  runtime: TestRuntime,
  places: readonly Place[],
  pairs: number,
): Promise<readonly Figure[]> => {
  const [all, one] = [projectOf(places), projectOf(places.slice(0, 1))]
  await sampleOf(runtime, all, places.length)
  const samples: {all: Sample[]; one: Sample[]} = {all: [], one: []}
  const take = (kind: "all" | "one", project: BenchProject, count: number) => async () => {
    const sample = await sampleOf(runtime, project, count)
    samples[kind].push(sample)
    return sample.ready
  }
  const ready = await measurePairs(pairs, take("all", all, places.length), take("one", one, 1))
  for (const project of [all, one]) project.remove()
  const of = (read: (sample: Sample) => number) => pairsOf(samples.all.map(read), samples.one.map(read))
  const [readyWith, settledWith, memory] = [
    of(sample => sample.readyWith),
    of(sample => sample.settledWith),
    of(sample => sample.megabytes),
  ]
  const against = "a Host with one idle endpoint, irc"
  const on = `of ten idle endpoints, on ${runtime.name}`
  return [
    ratioOf(`start ${on}`, ready, against, "ms", atMost(1.5)),
    ratioOf(`  processor time until ready ${on}`, readyWith, against, "ms", atMost(1.5)),
    ratioOf(`  processor time until all are online ${on}`, settledWith, against, "ms"),
    ratioOf(`  memory ${on}`, memory, against, "MB"),
  ]
}

/** The memory that each adapter adds to a Host without endpoints. */
const memoryFigures = async (
  runtime: TestRuntime,
  places: readonly Place[],
  {pairs, progress}: RowOptions,
): Promise<readonly Figure[]> => {
  const projects = [[], ...places.map(place => [place])].map(some => ({some, project: projectOf(some)}))
  const seen = projects.map(() => [] as number[])
  for (let round = 0; round < pairs; round++) {
    for (const [index, {some, project}] of projects.entries())
      seen[index]?.push((await sampleOf(runtime, project, some.length)).megabytes)
    progress(`memory, round ${round + 1} of ${pairs}`)
  }
  for (const {project} of projects) project.remove()
  const [none = [], ...rest] = seen
  return places.map(({name}, index) => ({
    name: `memory of ${name}, on ${runtime.name}`,
    unit: "MB",
    value: spreadOf((rest[index] ?? []).map((megabytes, round) => megabytes - (none[round] ?? Number.NaN))),
    against: "a Host without endpoints",
    detail: sides(pairsOf(rest[index] ?? [], none), "MB"),
  }))
}

let places: Promise<readonly Place[]> | undefined

const measureOn = async (runtime: TestRuntime, options: RowOptions): Promise<readonly Figure[]> => {
  lastAsLongAsProcess()
  places ??= openPlaces()
  const start = await startFigures(runtime, await places, options.pairs)
  options.progress("measuring starts")
  return [...start, ...(await memoryFigures(runtime, await places, options))]
}

export const idleEndpoints: Row = {
  name: "idle-endpoints",
  summary: "ten idle endpoints of ten adapters against one: start, processor time, memory; and the memory of each",
  measure: onEachRuntime(measureOn),
}
