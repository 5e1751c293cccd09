import {setTimeout as sleep} from "node:timers/promises"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {lastAsLongAsProcess} from "../../support/host/shared.ts"
import {startIrcServer} from "../../support/irc/servers.ts"
import {atMost, type Figure, ratioOf} from "../measure/figure.ts"
import {type BenchHost, makeProject, startHost, untilOnline} from "../measure/host.ts"
import {pairsOf} from "../measure/pairs.ts"
import {startProcess} from "../measure/process.ts"
import {percentile} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"
import {type Asker, joinAsker} from "./asker.ts"

/** Several bots on IRC, because one alone may answer only every 700 ms. */
const bots = Array.from({length: 16}, (_, n) => `bot${n}`)

/** The number of edits per flood, and of channels that the bot writes to while the platform accepts nothing. */
const edits = 10_000
const channels = 400

/** The duration of a state, in milliseconds. A flood lasts until it is handled. */
const lasts = 4000
const patience = 120_000

const bot = `import {definePlugin, Type} from "svc-runtime"

const Handled = Type.Object({handled: Type.Integer()})

export default definePlugin({
  setup(plugin) {
    let handled = 0
    plugin.command("ping <text:string>", {description: "Answers"}, ({args}) => "pong " + args.text)
    plugin.on("message-updated", async session => {
      handled++
      if (session.text === "answer me") await session.send("seen")
    })
    plugin.route({
      method: "GET", path: "/handled", scope: "full", summary: "The number of handled edits", response: Handled,
      handle: (_, call) => call.json(Handled, {handled}),
    })
    plugin.route({
      method: "POST", path: "/write", scope: "full", summary: "Writes to many channels of Discord", response: Handled,
      handle: async (_, call) => {
        for (let n = 0; n < ${channels}; n++) await plugin.send({endpoint: "discord~one", channel: String(30000 + n)}, "hello")
        return call.json(Handled, {handled: ${channels}})
      },
    })
  },
})
`

interface Fake {
  readonly url: string
  to(deed: string): Promise<unknown>
  stop(): Promise<void>
}

const startFake = async (): Promise<Fake> => {
  const script = startProcess([process.execPath, `${root}tests/bench/endpoints/work/fake-discord.ts`])
  while (!script.output().includes("\n")) await sleep(20)
  const {url, control} = JSON.parse(script.output().split("\n")[0] ?? "") as {url: string; control: string}
  return {url, to: deed => fetch(`${control}/${deed}`, {method: "POST"}), stop: () => script.stop()}
}

/** The states of Discord while commands on IRC are timed. */
const troubles = ["hangs", "answers 429", "floods", "floods, each answered"] as const
type Trouble = (typeof troubles)[number]

interface Scene {
  readonly host: BenchHost
  readonly fake: Fake
  readonly asker: Asker
}

/** Times commands on IRC while Discord is in this state. */
const during = async ({host, fake, asker}: Scene, trouble?: Trouble): Promise<readonly number[]> => {
  const handled = async () =>
    ((await (await host.fetch("/api/plugins/bot/handled")).json()) as {handled: number}).handled
  if (trouble?.startsWith("floods")) {
    const wanted = (await handled()) + edits
    let isOver = false
    void fake.to(`flood?count=${edits}&text=${trouble === "floods" ? "after" : "answer%20me"}`)
    const watch = async () => {
      const latest = performance.now() + patience
      while ((await handled()) < wanted && performance.now() < latest) await sleep(250)
      isOver = true
      if ((await handled()) < wanted)
        throw new Error(
          `only ${edits + (await handled()) - wanted} of ${edits} edits were handled: ${host.process.output()}`,
        )
    }
    const [times] = await Promise.all([asker.ask(() => isOver), watch()])
    return times
  }
  if (trouble !== undefined) {
    await fake.to(trouble === "hangs" ? "hang" : "refuse")
    await host.fetch("/api/plugins/bot/write", {method: "POST"})
  }
  const end = performance.now() + lasts
  return asker.ask(() => performance.now() > end)
}

/** Measures all states in one Host, each beside its own calm phase. */
const measureOnce = async (
  runtime: TestRuntime,
  irc: number,
  progress: (text: string) => void,
): Promise<Readonly<Record<Trouble, readonly [trouble: readonly number[], calm: readonly number[]]>>> => {
  const results: Partial<Record<Trouble, readonly [readonly number[], readonly number[]]>> = {}
  const accounts = bots.map(nick => ({id: nick, server: "127.0.0.1", tls: false, port: irc, nick}))
  for (const trouble of troubles) {
    progress(`Discord ${trouble}`)
    // Otherwise messages left unsent by one trouble would be sent in the calm phase of the next.
    const fake = await startFake()
    const discord = {endpoints: [{id: "one", token: "${DISCORD_TOKEN}", api: fake.url}]}
    const plugins = `  bot: {}\n  irc: ${JSON.stringify({endpoints: accounts})}\n  discord: ${JSON.stringify(discord)}\n`
    const project = makeProject(plugins, {bot})
    project.write(".env", "DISCORD_TOKEN=bot-999.token\n")
    const host = await startHost(runtime, project)
    const asker = await joinAsker(irc, bots)
    const scene = {host, fake, asker}
    try {
      await untilOnline(host, bots.length + 1)
      await during(scene)
      const calm = await during(scene)
      results[trouble] = [await during(scene, trouble), calm]
    } finally {
      asker.leave()
      await fake.to("calm")
      await host.stop()
      await fake.stop()
      project.remove()
    }
  }
  return results as Record<Trouble, readonly [readonly number[], readonly number[]]>
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  lastAsLongAsProcess()
  const {port} = await startIrcServer("ngircd")
  const rounds: Awaited<ReturnType<typeof measureOnce>>[] = []
  for (let round = 0; round < pairs; round++) {
    rounds.push(await measureOnce(runtime, port, progress))
    progress(`round ${round + 1} of ${pairs}`)
  }
  return troubles.flatMap(trouble =>
    ([0.5, 0.99] as const).map(share => {
      const of = (side: 0 | 1) => rounds.map(round => percentile(round[trouble][side], share))
      const measured = pairsOf(of(0), of(1))
      return ratioOf(
        `p${share * 100} on irc while Discord ${trouble}, on ${runtime.name}`,
        measured,
        "calm",
        "ms",
        share === 0.99 ? atMost(2) : undefined,
      )
    }),
  )
}

export const isolation: Row = {
  name: "isolation",
  summary:
    "the time from a command on a real IRC server to its answer, while the Discord endpoint beside it is in trouble",
  measure: onEachRuntime(measureOn),
}
