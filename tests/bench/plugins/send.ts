import type {TestRuntime} from "../../support/host/runtimes.ts"
import {type Figure, short} from "../measure/figure.ts"
import {type BenchHost, makeProject, startHost} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {cpuSeconds} from "../measure/process-stat.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The number of messages per sample, and the number in progress at the same time. */
const messages = 5000
const flying = 100

/** Sends with `plugin.send`, and a handler's `session.send`, to a platform that accepts messages immediately. */
const sender = `import {definePlugin, Type} from "svc-runtime"

const Count = Type.Object({sent: Type.Integer()})

export default definePlugin({
  setup(plugin) {
    let endpoint
    let taken = () => {}
    let count = 0
    plugin.adapter("sink", {
      history: "none",
      open: async (_, opened) => {
        endpoint = opened
        return {
          send: async ({id}) => {
            taken()
            return {ids: [id]}
          },
        }
      },
    })
    plugin.on("message-created", session => session.text)
    const ways = {
      plugin: channel => plugin.send({endpoint: "sink", channel}, "hello"),
      session: channel => {
        const id = String(++count)
        return endpoint.receive({
          id, type: "message-created", channel: {id: channel, type: 0}, user: {id: "ann"},
          message: {id, content: "hello"},
        })
      },
    }
    const sendAll = way => new Promise((resolve, reject) => {
      let begun = 0
      let ended = 0
      const next = () => {
        if (begun === ${messages}) return
        begun++
        way("c" + (begun % ${flying})).catch(reject)
      }
      taken = () => {
        if (++ended === ${messages}) resolve(undefined)
        else next()
      }
      for (let n = 0; n < ${flying}; n++) next()
    })
    for (const [name, way] of Object.entries(ways))
      plugin.route({
        method: "POST", path: "/" + name, scope: "full", summary: "Sends messages until the platform has all of them",
        response: Count,
        handle: async (_, call) => {
          await sendAll(way)
          return call.json(Count, {sent: ${messages}})
        },
      })
  },
})
`

/** Messages per second of the Host's processor time. */
const rateOf = async (host: BenchHost, way: "plugin" | "session"): Promise<number> => {
  const before = cpuSeconds(host.pid)
  await host.fetch(`/api/plugins/sender/${way}`, {method: "POST", body: "{}"})
  return messages / (cpuSeconds(host.pid) - before)
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const made = makeProject("  sender: {}\n", {sender})
  const host = await startHost(runtime, made)
  // Warm-up for the compiler.
  for (const way of ["plugin", "session", "plugin", "session"] as const) await rateOf(host, way)
  const {ratio, subject, yardstick} = await measurePairs(
    pairs,
    () => rateOf(host, "plugin"),
    () => rateOf(host, "session"),
  )
  await host.stop()
  made.remove()
  return [
    {
      name: `plugin.send per CPU-second, ${flying} in flight on ${runtime.name}`,
      unit: "",
      value: ratio,
      against: "an event whose handler answers it by session.send",
      detail: `${short(subject.median)} against ${short(yardstick.median)} /s`,
    },
    {name: `  messages of plugin.send per CPU-second on ${runtime.name}`, unit: "/s", value: subject},
    {name: `  events answered by session.send per CPU-second on ${runtime.name}`, unit: "/s", value: yardstick},
  ]
}

export const send: Row = {
  name: "send",
  summary:
    "plugin.send, durable, until the platform has the message, against an event whose handler answers with session.send",
  measure: onEachRuntime(measureOn),
}
