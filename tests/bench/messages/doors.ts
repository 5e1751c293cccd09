import {setTimeout as sleep} from "node:timers/promises"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {type Figure, ratioOf, short} from "../measure/figure.ts"
import {startHost, token, untilOnline} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {startProcess} from "../measure/process.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"
import {deliver, perCpu, type Sample, type Server, sinkProject, warmUp, webhookDoor} from "./sink.ts"
import type {Flight, Flown} from "./work/flights.ts"
import type {IrcDelivery} from "./work/irc-partners.ts"

/** The number of messages in progress at the same time. */
const flying = 100

/** The duration of a sample, in seconds. */
const burst = 1.5

/** Partners that last as long as the Host's connection. */
const startIrcPartners = async () => {
  const process_ = startProcess([process.execPath, `${root}tests/bench/messages/work/irc-partners.ts`])
  while (!process_.output().includes("\n")) await sleep(20)
  const ports = JSON.parse(process_.output().split("\n")[0] ?? "") as {irc: number; control: number}
  return {
    port: ports.irc,
    deliver: async (server: Server, flight: Flight): Promise<Sample> =>
      perCpu(server, async () => {
        const wanted: IrcDelivery = {...flight, port: server.port, token}
        const answer = await fetch(`http://127.0.0.1:${ports.control}/`, {method: "POST", body: JSON.stringify(wanted)})
        if (!answer.ok) throw new Error(`the partners on IRC: ${process_.output()}`)
        return (await answer.json()) as Flown
      }),
    stop: () => process_.stop(),
  }
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const partners = await startIrcPartners()
  const account = {id: "one", server: "127.0.0.1", port: partners.port, tls: false, nick: "bot"}
  const made = sinkProject(`${webhookDoor}  sandbox: {}\n  irc: ${JSON.stringify({endpoints: [account]})}\n`)
  const host = await startHost(runtime, made)
  await untilOnline(host, 4)
  const doors = {
    webhook: (flight: Flight) => deliver(host, {...flight, door: "webhook", ends: "replied"}),
    irc: (flight: Flight) => partners.deliver(host, flight),
    sandbox: (flight: Flight) => deliver(host, {...flight, door: "sandbox", ends: "replied"}),
  } as const
  progress("warm-up messages")
  for (const door of Object.values(doors)) await door({flying, messages: warmUp / 2})
  const figures: Figure[] = []
  for (const name of ["irc", "sandbox"] as const) {
    progress(`${name} on ${runtime.name}`)
    const samples: Sample[] = []
    const measured = await measurePairs(
      pairs,
      async () => {
        const sample = await doors[name]({flying, seconds: burst})
        samples.push(sample)
        return sample.perCpuSecond
      },
      async () => (await doors.webhook({flying, seconds: burst})).perCpuSecond,
    )
    const [p50, p99] = [spreadOf(samples.map(({p50}) => p50)), spreadOf(samples.map(({p99}) => p99))]
    figures.push(
      ratioOf(
        `${name}, ${flying} in flight on ${runtime.name}`,
        measured,
        "signed webhooks to the same Host",
        "messages per CPU-second",
      ),
      {name: `  messages over ${name} per CPU-second on ${runtime.name}`, unit: "/s", value: measured.subject},
      {
        name: `  p50 from ${name} to the reply on ${runtime.name}`,
        unit: "ms",
        value: p50,
        detail: `p99 ${short(p99.median)} ms`,
      },
    )
  }
  await host.end()
  await partners.stop()
  return figures
}

export const doors: Row = {
  name: "doors",
  summary: "the durable path, per CPU-second, for messages that come over irc and the sandbox, against signed webhooks",
  measure: onEachRuntime(measureOn),
}
