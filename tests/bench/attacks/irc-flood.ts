import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {answerOf, bareName, startBare} from "../measure/bare.ts"
import type {Figure} from "../measure/figure.ts"
import {makeProject, startHost} from "../measure/host.ts"
import {startIrcServer} from "../measure/irc-server.ts"
import type {Seen} from "./kinds.ts"
import {type Force, figuresOf, suffer} from "./measure.ts"

/** The number of lines that the server sends at once. */
const lines = 10_000

/** How long the Host may take to handle them, in milliseconds. */
const patience = 60_000

const counter = `import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  setup(plugin) {
    let handled = 0
    plugin.on("message-created", () => {
      handled++
    })
    plugin.route({
      method: "GET", path: "/handled", scope: "full", summary: "The number of handled messages",
      handle: (_, call) => call.json(Type.Object({handled: Type.Integer()}), {handled}),
    })
  },
})
`

const none: Seen = {sent: 0, accepted: 0, acceptedHosts: 0, failed: 0}

/** A Host that gets ten thousand lines at once from a stand-in for an IRC server. The bare server gets no load. */
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
    for (let n = 0; n < count; n++) irc.say(`n${n % 50}`, "#c", `line ${n} of a flood of lines`)
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
