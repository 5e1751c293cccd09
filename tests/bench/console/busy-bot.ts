import type {Answer} from "../../../shared/api/operations/client.ts"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {type BenchHost, makeProject, startHost} from "../measure/host.ts"

/** A platform inside the Host whose accounts receive messages on request; the bot answers each one. */
const crowd = `import {definePlugin, Type} from "svc-runtime"

const text = "It is a fine day, and nobody has anything to do but to talk about it. "

export default definePlugin({
  setup(plugin) {
    const accounts = []
    let count = 0
    const hear = () => {
      const id = String(++count)
      const user = "person " + (count % 300)
      return accounts[count % accounts.length].receive({
        id, type: "message-created", timestamp: Date.now(), channel: {id: user, type: 1},
        user: {id: user, name: user}, message: {id, content: id + ": " + text.repeat(1 + (count % 3))},
      })
    }
    plugin.adapter("crowd", {
      history: "replay", idempotent: true, account: Type.Object({}),
      open: async (_, endpoint) => {
        accounts.push(endpoint)
        return {send: async message => ({ids: [message.id]})}
      },
    })
    plugin.on("message-created", session => "I have heard " + session.event.message.id)
    const Count = Type.Object({count: Type.Integer()})
    plugin.route({
      method: "POST", path: "/hear", scope: "full", summary: "Receive this many messages at once", body: Count,
      handle: async (_, call) => {
        await Promise.all(Array.from({length: call.body.count}, hear))
        return call.json(Count, {count})
      },
    })
    plugin.route({
      method: "POST", path: "/chatter", scope: "full", summary: "Receive this many messages, one after another",
      body: Type.Object({count: Type.Integer(), every: Type.Number()}),
      handle: async (_, call) => {
        const {count: most, every} = call.body
        const begun = performance.now()
        let heard = 0
        const timer = setInterval(() => {
          for (; heard < Math.min(most, (performance.now() - begun) / every); heard++) void hear()
          if (heard >= most) clearInterval(timer)
        }, 5)
        plugin.defer(() => clearInterval(timer))
        return call.json(Count, {count})
      },
    })
  },
})
`

/** The events of a message: received, handled, and its answer sent. */
export const eventsOfMessage = 3

export interface BusyBot {
  readonly host: BenchHost
  readonly url: string
  /** Resolves once this many more messages are stored. */
  hear(count: number): Promise<void>
  /** Starts to receive messages at an interval, in milliseconds. */
  chatter(count: number, every: number): Promise<void>
  /** When each of these inbox events arrived, in milliseconds since 1970, newest first. */
  newest(count: number): Promise<ReadonlyMap<number, number>>
}

/** A Host with this many endpoints, and a bot that answers every message. */
export const startBusyBot = async (runtime: TestRuntime, endpoints: number): Promise<BusyBot> => {
  const accounts = Array.from({length: endpoints}, (_, index) => `      - id: account-${index + 1}\n`).join("")
  const project = makeProject(`  crowd:\n    endpoints:\n${accounts}`, {crowd})
  const host = await startHost(runtime, project)
  const post = async (path: string, body: object) => {
    await host.fetch(`/api/plugins/crowd/${path}`, {method: "POST", body: JSON.stringify(body)})
  }
  return {
    host,
    url: `http://127.0.0.1:${host.port}`,
    hear: async count => {
      for (let left = count; left > 0; left -= 500) await post("hear", {count: Math.min(500, left)})
    },
    chatter: (count, every) => post("chatter", {count, every}),
    newest: async count => {
      const times = new Map<number, number>()
      let cursor: string | undefined
      while (times.size < count) {
        const page: Answer<"GET", "/api/inbox"> = await host.get("/api/inbox", {limit: 500, cursor})
        for (const {seq, receivedAt} of page.items) times.set(seq, Date.parse(receivedAt))
        if (page.next === null) break
        cursor = page.next
      }
      return new Map([...times].slice(0, count))
    },
  }
}
