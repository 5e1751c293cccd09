import {setTimeout as sleep} from "node:timers/promises"
import type {CheckpointTask} from "../../shared/api/checkpoint.ts"
import {type BenchHost, configOf, makeProject, startHost} from "../../tests/bench/measure/host.ts"
import {storePast} from "../../tests/support/console/past.ts"
import {onBun} from "../../tests/support/host/runtimes.ts"
import {startModel} from "./model.ts"

/** The greeter of the starter project, a handler that fails on some questions, a job, and a tool for the agent. */
const greeter = `import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  description: "Says hello",
  setup(plugin) {
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => "hello " + args.name)
    plugin.on("message-created", {name: "weather"}, async session => {
      if (!session.text.includes("weather")) return
      if (session.text.includes("Mars")) throw new Error("the weather service knows no place Mars")
      await session.send("Sunny, 21 °C.")
    })
    plugin.job("digest", {description: "What happened today"}, async () => {})
    plugin.tool("forecast", {
      description: "The weather of a place",
      parameters: Type.Object({place: Type.String()}),
      effect: "none",
    }, async () => {
      await new Promise(resolve => setTimeout(resolve, 600))
      return "Sunny, 21 °C, no wind."
    })
  },
})
`

/** A plugin whose command always throws. */
const tides = `import {definePlugin} from "svc-runtime"

export default definePlugin({
  description: "Knows when the water is high",
  setup(plugin) {
    plugin.command("tides <place:string>", {description: "High water of today"}, ({args}) => {
      throw new Error("the tables of " + args.place + " end in 2025")
    })
  },
})
`

const plugins = `  greeter: {}
  tides: {}
  sandbox: {}
  workroom: {}
  irc:
    endpoints:
      - id: libera
        server: 127.0.0.1
        port: 6999
        tls: false
        nick: my-bot
        channels: ["#my-channel"]
`

/** Returns the agent's configuration. */
const agentsWith = (url: string): string => `agents:
  helper:
    description: Answers, and tells the team
    provider: openai-compatible
    model: small
    baseURL: ${url}
    instructions: You help the team.
    permission: trusted
    tools:
      greeter.forecast: {}
      send: {approval: true, to: [{endpoint: sandbox, channel: "#team"}]}
    triggers: {mention: true, command: ask}
    limits: {tokens: 5000, day: {runs: 20, tokens: 8000}}
`

/** The agent looks up the weather, then asks to send a message to the team. */
const turns = [
  {text: "I look it up.", call: {name: "greeter__forecast", args: {place: "the park"}}, takes: 1200},
  {
    text: "",
    call: {name: "send", args: {endpoint: "sandbox", channel: "#team", text: "Lunch in the park: sunny, 21 °C."}},
    takes: 900,
  },
  {text: "It is sunny at 21 °C. I have told #team to meet in the park.", takes: 1500},
]

const said: readonly (readonly [user: string, text: string])[] = [
  ["Ada", "/greet Ada"],
  ["Grace", "How is the weather?"],
  ["Linus", "/greet everybody"],
  ["Ada", "and what about the weather on Mars?"],
  ["Grace", "Thank you!"],
  ["Linus", "/tides Cuxhaven"],
  ["Ada", "/tides Husum"],
  ["Linus", "/tides Cuxhaven"],
]

const items = [
  {title: "Renew the certificate", priority: "urgent", labels: ["ops"]},
  {title: "Rotate the webhook secret of the shop", labels: ["ops"]},
  {title: "Answer for the weather on Mars", labels: ["bot"]},
  {title: "Write down how the last incident went"},
  {title: "Try the new greeting in #team", labels: ["bot"]},
]

const jobs = [
  {id: "morning", schedule: {cron: "30 7 * * *"}, timezone: "Europe/Berlin", text: "Good morning!"},
  {id: "weekly", schedule: {cron: "0 16 * * 5"}, timezone: "America/New_York", text: "Who writes the notes?"},
  {id: "water", schedule: {cron: "0 9,15 * * 1-5"}, timezone: "Europe/Berlin", text: "Drink some water."},
]

/** Waits until the Host creates and verifies no checkpoint. */
const ended = async (host: BenchHost): Promise<void> => {
  for (;;) {
    const {task}: {task: CheckpointTask | null} = await (await host.fetch("/api/checkpoints/task")).json()
    if (task?.state === "failed") throw new Error(task.problem?.detail)
    if (task?.state !== "running") return
    await sleep(200)
  }
}

/** Starts one run and approves its call, and one that stays waiting. */
const askAgent = async (host: BenchHost): Promise<void> => {
  const ask = (input: string) => host.fetch("/api/agents/helper/run", {method: "POST", body: JSON.stringify({input})})
  const waiting = async (): Promise<string> => {
    for (;;) {
      const {items}: {items: readonly {id: string}[]} = await (await host.fetch("/api/approvals?state=waiting")).json()
      if (items[0] !== undefined) return items[0].id
      await sleep(200)
    }
  }
  await ask("Can we have lunch outside today? If so, tell the team.")
  await host.fetch(`/api/approvals/${await waiting()}/approve`, {method: "POST", body: "{}"})
  await sleep(2500)
  await ask("And tomorrow?")
  await waiting()
}

const connected = (seconds: number, unrest: number) =>
  unrest > 0.97 ? {online: seconds / 2, reconnecting: seconds / 2} : {online: seconds}

/** Returns a bot's load at a time: low at night, high in the evening, with a failed handler now and then. */
const busyAt = (at: number, seconds: number) => {
  const hours = (at / 3_600_000) % 24
  const wave = 1 + Math.sin(((hours - 12) / 24) * 2 * Math.PI)
  const unrest = (n: number) => Math.abs(Math.sin(at / 600_000 + n) * Math.sin(at / 77_000 + n))
  const received = Math.round(seconds * (0.08 + 0.3 * wave + 0.15 * unrest(1)))
  const failed = unrest(2) > 0.93 ? Math.ceil(seconds / 30) : 0
  return {
    ...{received, failed, handled: received - failed, sent: Math.round(received * 0.7)},
    handlers: [received, Math.round(received / 3), Math.round(received / 6), 2, unrest(3) > 0.9 ? 2 : 0],
    delay: 4 + 20 * unrest(4),
    commits: [received, Math.round(received / 4), 3, unrest(6) > 0.85 ? 2 : 0],
    endpoints: {"irc~libera": connected(seconds, unrest(7)), sandbox: {online: seconds}},
    bytes: 21_000_000 + ((at / 1000) % 1_000_000) * 6,
    memory: 92_000_000 + 15_000_000 * unrest(5),
  }
}

/** Starts a bot with history: users, an offline account, work items, jobs, an agent and a verified checkpoint. */
export const setScene = async (): Promise<BenchHost> => {
  const agents = agentsWith((await startModel(turns)).url)
  const project = makeProject(plugins + agents, {greeter, tides})
  project.write("package.json", JSON.stringify({name: "my-bot", type: "module"}))
  await (await startHost(onBun, project)).stop()
  await storePast(`${project.folder}/data/bot.sqlite`, {endpoint: "irc~libera", but: busyAt})
  const host = await startHost(onBun, project)
  const post = async (path: string, body?: object) =>
    host.fetch(path, {method: "POST", ...(body === undefined ? {} : {body: JSON.stringify(body)})})
  for (const [user, text] of said) {
    await post("/api/plugins/sandbox/messages", {user, text, channel: user})
    await sleep(700)
  }
  for (const item of items) await post("/api/workroom/items", item)
  const command = (id: number, name: string, expectedRevision: number, more: object = {}) =>
    post(`/api/workroom/items/${id}/${name}`, {expectedRevision, ...more})
  for (const [id, assignee] of ["user:ada", "user:grace", "user:ada", "user:linus"].entries())
    await command(id + 1, "claim", 1, {assignee})
  await command(1, "block", 2, {reason: "the authority's answer", owner: "user:grace"})
  await command(3, "review", 2)
  await command(4, "review", 2)
  await command(4, "accept", 3)
  for (const {text, ...job} of jobs)
    await post("/api/jobs", {...job, target: {endpoint: "sandbox", channel: "team", text}})
  await post("/api/jobs/morning/run")
  await askAgent(host)
  project.write("svc.config.yml", configOf(plugins.replace('["#my-channel"]', '["#my-channel", "#team"]') + agents))
  await post("/api/system/reload")
  await post("/api/checkpoints")
  await ended(host)
  return host
}
