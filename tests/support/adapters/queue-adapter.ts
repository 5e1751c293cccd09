import {once} from "node:events"
import {createConnection} from "node:net"
import {createInterface} from "node:readline"
import {setTimeout as sleep} from "node:timers/promises"
import {channelType, definePlugin, refused, renderContent, retryAfter, Type, textOf} from "svc-runtime"

/** What may be wrong with the adapter, so that the conformance suite has something to find. */
const Fault = Type.Enum(["none", "early", "ids", "storm", "hasty", "leaky"])

const Account = Type.Object({port: Type.Integer(), password: Type.String()}, {additionalProperties: false})

/** An adapter for the tests' queue (`queue-platform.ts`), which goes on behind its stored cursor. */
export default definePlugin({
  config: Type.Object({fault: Type.Optional(Fault)}),
  setup(plugin, {fault = "none"}) {
    plugin.adapter("queue", {
      account: Account,
      history: "replay",
      idempotent: true,
      open: async ({port, password}, endpoint) => {
        const socket = createConnection({host: "127.0.0.1", port})
        socket.on("error", error => endpoint.lost(error))
        socket.on("close", () => endpoint.lost(new Error("the queue closed the connection")))
        if (fault !== "leaky") endpoint.defer(() => socket.destroy())
        await once(socket, "connect", {signal: endpoint.signal})
        const lines = createInterface({input: socket})
        const answers = new Map<string, (answer: {wait?: number}) => void>()
        const tell = (line: object) => socket.write(`${JSON.stringify(line)}\n`)
        // One after the other, so that the cursor never passes an event that is not stored.
        let storing = Promise.resolve()
        const take = async ({sn, text}: {sn: number; text: string}) => {
          const id = fault === "ids" ? `${sn} ${Math.random()}` : String(sn)
          const message = {id, content: renderContent(text)}
          if (fault === "early") {
            tell({ack: sn})
            await sleep(1000)
          }
          await endpoint.receive(
            {
              id,
              type: "message-created",
              timestamp: Date.now(),
              channel: {id: "room", type: channelType.text},
              user: {id: "ann"},
              message,
            },
            {cursor: String(sn)},
          )
          if (fault !== "early") tell({ack: sn})
        }
        const welcome = new Promise<boolean>(resolve => {
          lines.on("line", line => {
            const said = JSON.parse(line)
            if ("welcome" in said) resolve(said.welcome)
            else if ("sent" in said) answers.get(said.sent)?.(said)
            else
              storing = storing
                .then(() => take(said))
                .catch(error => endpoint.lost(error instanceof Error ? error : new Error(String(error))))
          })
        })
        tell({hello: password, from: endpoint.cursor ?? "0"})
        if (!(await welcome)) {
          if (fault === "storm") throw new Error("the queue refused the password")
          throw refused("the queue refused the password", {reason: "credentials", remediation: "Correct password."})
        }
        endpoint.login({platform: "queue", user: {id: "bot", is_bot: true}, status: 1})
        return {
          send: async ({id, content}) => {
            const answered = new Promise<{wait?: number}>(resolve => answers.set(id, resolve))
            tell({send: id, text: textOf(content)})
            const {wait} = await answered
            if (wait !== undefined) throw retryAfter(fault === "hasty" ? 0 : wait)
            return {ids: [id]}
          },
        }
      },
    })
  },
})
