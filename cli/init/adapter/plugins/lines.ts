import {once} from "node:events"
import {createConnection} from "node:net"
import {createInterface} from "node:readline"
import {channelType, definePlugin, refused, renderContent, retryAfter, Type, textOf} from "svc-runtime"

const Account = Type.Object({
  host: Type.String({default: "127.0.0.1"}),
  port: Type.Integer({minimum: 1, maximum: 65535}),
  password: Type.Secret(),
})

/** A message of the server; `at` in milliseconds since 1970. */
interface Message {
  readonly id: string
  readonly at: number
  readonly user: string
  readonly text: string
}

/** A line from the server, as one JSON object. Replace this with the messages of your platform. */
type Said = {readonly welcome: boolean} | {readonly taken: string; readonly wait?: number} | Message

/** Returns undefined for any other line: a network may send anything. */
const readLine = (line: string): Said | undefined => {
  try {
    const said = JSON.parse(line)
    if (typeof said?.welcome === "boolean" || typeof said?.taken === "string") return said
    const isMessage = [said?.id, said?.user, said?.text].every(each => typeof each === "string")
    return isMessage && Number.isSafeInteger(said.at) ? said : undefined
  } catch {
    return undefined
  }
}

export default definePlugin({
  description: "Lines of JSON over TCP",
  setup(plugin) {
    plugin.adapter("lines", {
      account: Account,
      history: "replay",
      forgetsAcknowledged: true,
      idempotent: true,
      open: async ({host, port, password}, endpoint) => {
        const socket = createConnection({host, port})
        endpoint.defer(() => socket.destroy())
        socket.on("error", error => endpoint.lost(error))
        socket.on("close", () => endpoint.lost(new Error("the server closed the connection")))
        await once(socket, "connect", {signal: endpoint.signal})

        const tell = (line: object) => socket.write(`${JSON.stringify(line)}\n`)
        const taken = new Map<string, (wait: number | undefined) => void>()

        /** Acknowledges once the event is durable: the server redelivers messages that were not acknowledged. */
        const receive = async ({id, at, user, text}: Message) => {
          await endpoint.receive({
            id,
            type: "message-created",
            timestamp: at,
            channel: {id: "room", type: channelType.text},
            user: {id: user, name: user},
            message: {id, content: renderContent(text)},
          })
          tell({acknowledge: id})
        }

        const welcomed = new Promise<boolean>(resolve => {
          createInterface({input: socket}).on("line", line => {
            const said = readLine(line)
            if (said === undefined) endpoint.log.warn("the server sent an unknown line", {line})
            else if ("welcome" in said) resolve(said.welcome)
            else if ("taken" in said) taken.get(said.taken)?.(said.wait)
            else receive(said).catch(error => endpoint.log.error("could not store a message", {error}))
          })
        })
        tell({password: password.reveal()})
        if (!(await welcomed)) {
          throw refused("the server refused the password", {
            reason: "credentials",
            remediation: "Correct the variable that password names.",
          })
        }
        endpoint.login({platform: "lines", user: {id: "bot", name: "bot", is_bot: true}, status: 1})

        return {
          send: async ({id, content}) => {
            const answered = new Promise<number | undefined>(resolve => taken.set(id, resolve))
            tell({send: id, text: textOf(content)})
            const wait = await answered.finally(() => taken.delete(id))
            if (wait !== undefined) throw retryAfter(wait)
            return {ids: [id]}
          },
        }
      },
    })
  },
})
