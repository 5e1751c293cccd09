import {createServer, type Socket} from "node:net"
import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {answerOf, bareName, startBare} from "../measure/bare.ts"
import type {Figure} from "../measure/figure.ts"
import {makeProject, startHost} from "../measure/host.ts"
import type {Seen} from "./kinds.ts"
import {type Force, figuresOf, suffer} from "./measure.ts"

/** What the server says at once. */
const lines = 10_000

/** How long the Host gets to handle them, in milliseconds. */
const patience = 60_000

const counter = `import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  setup(plugin) {
    let handled = 0
    plugin.on("message-created", () => {
      handled++
    })
    plugin.route({
      method: "GET",
      path: "/handled",
      scope: "full",
      summary: "How many messages were handled",
      handle: (_, call) => call.json(Type.Object({handled: Type.Integer()}), {handled}),
    })
  },
})
`

interface IrcServer {
  readonly port: number
  /** Sends so many lines of a channel to who is connected. */
  flood(count: number): void
  close(): void
}

/** A stand-in for an IRC server: it knows what a client needs until it is in a channel, and sends as fast as it is read. */
const startIrcServer = async (): Promise<IrcServer> => {
  let client: Socket | undefined
  const server = createServer(socket => {
    client = socket
    let nick = "bot"
    let rest = ""
    const answers: Readonly<Record<string, (word: string) => string>> = {
      CAP: word => (word === "LS" ? ":s CAP * LS :\r\n" : ""),
      NICK: word => {
        nick = word
        return ""
      },
      USER: () =>
        `:s 001 ${nick} :Welcome\r\n:s 005 ${nick} CASEMAPPING=ascii :are supported\r\n:s 376 ${nick} :End\r\n`,
      PING: word => `:s PONG s ${word}\r\n`,
      JOIN: word => `:${nick}!u@h JOIN ${word}\r\n:s 366 ${nick} ${word} :End\r\n`,
    }
    socket.on("error", () => {})
    socket.on("data", chunk => {
      const whole = `${rest}${chunk}`.split("\r\n")
      rest = whole.pop() ?? ""
      for (const line of whole) {
        const [command = "", word = ""] = line.split(" ")
        socket.write(answers[command]?.(word) ?? "")
      }
    })
  })
  await new Promise<void>(done => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    flood: count => {
      const said = Array.from(
        {length: count},
        (_, n) => `:n${n % 50}!u@h PRIVMSG #c :line ${n} of a flood of lines\r\n`,
      )
      client?.write(said.join(""))
    },
    close: () => {
      client?.destroy()
      server.close()
    },
  }
}

const none: Seen = {sent: 0, accepted: 0, acceptedHosts: 0, failed: 0}

/** A Host that is told ten thousand lines at once by a stand-in for an IRC server; the bare server is left alone meanwhile. */
export const measureIrcFlood = async (runtime: TestRuntime, force: Force): Promise<readonly Figure[]> => {
  const irc = await startIrcServer()
  const endpoint = {id: "a", server: "127.0.0.1", tls: false, port: irc.port, nick: "bot", channels: ["#c"]}
  const project = makeProject(`  counter: {}\n  irc: ${JSON.stringify({endpoints: [endpoint]})}\n`, {counter})
  const host = await startHost(runtime, project)
  const bare = await startBare(runtime, await answerOf(await host.fetch("/pub/health")))
  const countHandled = async () =>
    ((await (await host.fetch("/api/plugins/counter/handled")).json()) as {handled: number}).handled
  const flood = async (_: number, {scale}: Force): Promise<Seen> => {
    const count = Math.round(lines * scale)
    const wanted = (await countHandled()) + count
    irc.flood(count)
    const began = performance.now()
    while ((await countHandled()) < wanted) {
      if (performance.now() - began > patience) throw new Error(`the Host did not handle ${count} lines of IRC`)
      await sleep(200)
    }
    return none
  }
  try {
    const suffered = await suffer(host, flood, force)
    const yardstick = await suffer(bare, seconds => sleep(seconds * 1000, none), force)
    return figuresOf(`irc-flood on ${runtime.name}`, suffered, yardstick, bareName(runtime), force)
  } finally {
    irc.close()
    await Promise.all([host.stop(), bare.process.stop()])
    project.remove()
  }
}
