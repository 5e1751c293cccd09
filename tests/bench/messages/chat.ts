import type {TestRuntime} from "../../support/host/runtimes.ts"
import {type Figure, short} from "../measure/figure.ts"
import {type BenchHost, makeProject, startHost} from "../measure/host.ts"
import {percentile, spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The number of messages per sample, one at a time. */
const messages = 300

/** A platform inside the Host that sends one message at a time, several per request, and a command that answers it. */
export const lineOf = (count: number): string => `import {definePlugin, Type} from "svc-runtime"

const Times = Type.Array(Type.Number())

export default definePlugin({
  setup(plugin) {
    let endpoint
    let heard = () => {}
    let count = 0
    plugin.adapter("line", {
      history: "none",
      open: async (_, opened) => {
        endpoint = opened
        return {
          send: async ({id}) => {
            heard()
            return {ids: [id]}
          },
        }
      },
    })
    plugin.command("ping <text:string>", {description: "Answers"}, ({args}) => "pong " + args.text)
    const say = async () => {
      const id = String(++count)
      const answered = new Promise<void>(resolve => (heard = resolve))
      const begun = performance.now()
      await endpoint.receive({
        id, type: "message-created", channel: {id: "#line", type: 0}, user: {id: "ann"},
        message: {id, content: "!ping " + id},
      })
      const acknowledged = performance.now() - begun
      await answered
      return [acknowledged, performance.now() - begun]
    }
    plugin.route({
      method: "GET", path: "/say", scope: "full",
      summary: "Milliseconds from each message to its acknowledgement and to its answer",
      response: {200: Type.Array(Times)},
      handle: async (_, call) => {
        const times = []
        for (let n = 0; n < ${count}; n++) {
          times.push(await say())
          // Waits until the rest of this message is stored, so that the next one is alone.
          await new Promise(rested => setTimeout(rested, 5))
        }
        return call.json(Type.Array(Times), times)
      },
    })
  },
})
`

export const line = lineOf(messages)

export type Times = readonly (readonly [acknowledged: number, answered: number])[]

export const sample = async (host: BenchHost): Promise<Times> =>
  (await (await host.fetch("/api/plugins/line/say")).json()) as Times

const figuresOf = (samples: readonly Times[], {name}: TestRuntime): readonly Figure[] => {
  const acknowledged = samples.map(times =>
    percentile(
      times.map(([time]) => time),
      0.5,
    ),
  )
  const answered = (share: number) =>
    spreadOf(
      samples.map(times =>
        percentile(
          times.map(([, time]) => time),
          share,
        ),
      ),
    )
  return [
    {
      name: `p50 from a lone message to its answer, on ${name}`,
      unit: "ms",
      value: answered(0.5),
      detail: `acknowledged after ${short(spreadOf(acknowledged).median)} ms`,
    },
    {name: `p99 from a lone message to its answer, on ${name}`, unit: "ms", value: answered(0.99)},
  ]
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const made = makeProject("  line: {}\n", {line})
  const host = await startHost(runtime, made)
  await sample(host)
  const samples: Times[] = []
  for (let round = 0; round < pairs; round++) samples.push(await sample(host))
  await host.stop()
  made.remove()
  return figuresOf(samples, runtime)
}

export const chat: Row = {
  name: "chat",
  summary: "one message in an idle Host, each step durable: from its arrival until the platform has the answer",
  measure: onEachRuntime(measureOn),
}
