import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import {atLeast, type Figure, short, sides} from "../measure/figure.ts"
import {type BenchHost, makeProject, startHost, token} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {runScript} from "../measure/process.ts"
import {cpuSeconds} from "../measure/process-stat.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** So many webhooks are under way at the same time. */
const flights = [10, 100, 1000] as const

/** One sample lasts so long, in seconds. */
const burst = 1.5

const secret = `whsec_${Buffer.from("the secret of the bench, 32 bytes").toString("base64")}`

/** Answers each message through a platform that takes messages at once, and tells when it got the reply. */
const sink = `import {definePlugin} from "svc-runtime"

export default definePlugin({
  setup(plugin) {
    let replied: string[] = []
    let write: ((text: string) => void) | undefined
    const flush = () => {
      write?.(replied.join(""))
      replied = []
    }
    plugin.adapter("sink", {
      history: "none",
      open: async () => ({
        send: async ({id, content}) => {
          if (replied.push(content.join("") + "\\n") === 1) setImmediate(flush)
          return {ids: [id]}
        },
      }),
    })
    plugin.on("message-created", async session => {
      await session.send(session.text, {endpoint: "sink", channel: session.channel!.id})
    })
    plugin.route({
      method: "GET",
      path: "/replies",
      scope: "full",
      summary: "The text of each reply as it is handed over",
      stream: true,
      handle: () => {
        const encoder = new TextEncoder()
        const body = new ReadableStream<Uint8Array>({
          start: controller => {
            write = text => controller.enqueue(encoder.encode(text))
            write("\\n")
          },
          cancel: () => {
            write = undefined
          },
        })
        return new Response(body, {headers: {"content-type": "text/plain"}})
      },
    })
  },
})
`

const project = () => {
  const made = makeProject(
    "  sink: {}\n  webhook:\n    endpoints:\n      - id: shop\n        secrets:\n          - ${HOOK_SECRET}\n",
    {
      sink,
    },
  )
  made.write(".env", `HOOK_SECRET=${secret}\n`)
  return made
}

interface Rates {
  readonly rate: number
  /** Of the process that does it. */
  readonly perCpuSecond: number
}

interface Sample extends Rates {
  readonly p50: number
  readonly p99: number
  /** Changes that shared one commit: each message is stored in three. */
  readonly groupSize: number
}

/** Changes and commits of the Host so far, as its metrics tell them. */
const groupsOf = async (host: BenchHost) => {
  const page = await (await host.fetch("/api/metrics")).text()
  const read = (what: string) => Number(new RegExp(`^svc_database_group_batches_${what} (\\S+)$`, "m").exec(page)?.[1])
  return {changes: read("sum"), commits: read("count")}
}

const deliver = async (host: BenchHost, flying: number): Promise<Sample> => {
  const groups = await groupsOf(host)
  const before = cpuSeconds(host.pid)
  const {all, ...times} = await runScript<Omit<Sample, "perCpuSecond" | "groupSize"> & {all: number}>([
    process.execPath,
    `${root}tests/bench/messages/work/deliver.ts`,
    ...[host.port, token, secret, flying, burst].map(String),
  ])
  const perCpuSecond = all / (cpuSeconds(host.pid) - before)
  const {changes, commits} = await groupsOf(host)
  return {...times, perCpuSecond, groupSize: (changes - groups.changes) / (commits - groups.commits)}
}

const measureFlight = async (
  host: BenchHost,
  runtime: TestRuntime,
  flying: number,
  pairs: number,
): Promise<readonly Figure[]> => {
  const bulk = await scriptCommand(runtime, "tests/bench/messages/work/bulk-insert.ts")
  const samples: Sample[] = []
  const yardstick: number[] = []
  const measured = await measurePairs(
    pairs,
    async () => {
      const sample = await deliver(host, flying)
      samples.push(sample)
      return sample.rate
    },
    async () => {
      const {rate, perCpuSecond} = await runScript<Rates>([...bulk, String(flying), String(burst / 2)])
      yardstick.push(perCpuSecond)
      return rate
    },
  )
  const where = `${flying} in flight on ${runtime.name}`
  const time = (name: string, of: (sample: Sample) => number): Figure => ({
    name: `${name} from webhook to reply, ${where}`,
    unit: "ms",
    value: spreadOf(samples.map(of)),
  })
  return [
    {
      name: `durable path, ${where}`,
      unit: "",
      value: measured.ratio,
      target: atLeast(0.3),
      against: "signature check and bulk insert alone",
      detail: sides(measured, "messages/s"),
    },
    {
      name: `per CPU-second of the Host, ${where}`,
      unit: "/s",
      value: spreadOf(samples.map(({perCpuSecond}) => perCpuSecond)),
      against: "the same alone",
      detail: `${short(spreadOf(yardstick).median)} /s`,
    },
    {
      name: `changes in a group commit, ${where}`,
      unit: "",
      value: spreadOf(samples.map(({groupSize}) => groupSize)),
    },
    time("p50", ({p50}) => p50),
    time("p99", ({p99}) => p99),
  ]
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  const made = project()
  const host = await startHost(runtime, made)
  await deliver(host, 100)
  for (const flying of flights) {
    progress(`${flying} in flight on ${runtime.name}`)
    figures.push(...(await measureFlight(host, runtime, flying, pairs)))
  }
  await host.stop()
  made.remove()
  return figures
}

export const durable: Row = {
  name: "durable",
  summary:
    "signed webhook → inbox → handler → outbox → handled, each step durable, until the reply is handed to its platform",
  measure: onEachRuntime(measureOn),
}
