import {type BenchHost, type BenchProject, makeProject} from "../measure/host.ts"
import {lineOf} from "../messages/chat.ts"

/** The number of messages per request, which must take less than a minute even on a busy machine. */
const messages = 60

const bot = `import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  setup(plugin) {
    plugin.tool("look", {description: "Looks", parameters: Type.Object({n: Type.Integer()}), effect: "none"}, ({args}) => "seen " + args.n)
  },
})
`

const agents = (url: string) => `agents:
  helper:
    provider: openai-compatible
    model: bench
    baseURL: ${url}
    instructions: You help.
    tools: {bot.look: {}}
    permission: trusted
    limits: {steps: 1000, tokens: 100000000, seconds: 3600, parallel: 256, user: none, day: none}
`

/** A project with an agent for the model at `url`, and with a platform inside the Host that calls a command. */
export const agentBot = (url: string): BenchProject =>
  makeProject(`  bot: {}\n  line: {}\n${agents(url)}`, {bot, line: lineOf(messages)})

export const ask = (host: BenchHost): Promise<unknown> =>
  host.post("/api/agents/:name/run", {name: "helper", body: {input: "go"}})

export const untilEnded = async (host: BenchHost): Promise<void> => {
  for (;;) {
    const states = await Promise.all(
      ["queued", "running"].map(async state => {
        const {items} = await host.get("/api/runs", {kind: "agent", limit: 1, state})
        return items.length
      }),
    )
    if (states.every(count => count === 0)) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
