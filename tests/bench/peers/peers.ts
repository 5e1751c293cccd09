import {setTimeout as sleep} from "node:timers/promises"
import {onBun, root} from "../../support/host/runtimes.ts"
import {atLeast, atMost, type Figure, ratioOf} from "../measure/figure.ts"
import {pairsOf} from "../measure/pairs.ts"
import {type Running, startProcess} from "../measure/process.ts"
import {cpuSeconds, residentMegabytes} from "../measure/process-stat.ts"
import {freePort, waitFor200} from "../measure/ready.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onOneNode, type Row, type RowOptions} from "../row.ts"
import {type Bot, frameworks, makeBots} from "./bots.ts"

/** The first messages warm up the compiler. */
const warmUp = {seconds: 15, most: 12_000}
const again = {seconds: 5, most: 4000}
const sample = {seconds: 3, most: 1_000_000}

/** The load while a bot is killed. Each command takes `pause` milliseconds, so that some are always in progress. */
const calm = {rate: 200, seconds: 4, pause: 50}

interface Platform {
  readonly url: string
  ask<T>(what: "first" | "load" | "steady" | "ledger", bot: Bot, order?: object): Promise<T>
}

const startPlatform = async (): Promise<Platform> => {
  const port = await freePort()
  const running = startProcess([onBun.command[0] ?? "", `${root}tests/bench/peers/partners.ts`, String(port)])
  await waitFor200(port, "/ready", running)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    ask: async (what, bot, order = {}) => {
      const body = JSON.stringify({bot: {door: bot.door, port: bot.port}, ...order})
      const answered = await fetch(`${url}/control/${what}`, {
        method: "POST",
        body,
        signal: AbortSignal.timeout(60_000),
      })
      if (!answered.ok) throw new Error(`${bot.name} on ${bot.runtime}, ${what}: ${running.output()}`)
      return answered.json()
    },
  }
}

interface Samples {
  readonly bot: Bot
  /** The milliseconds from the start of the process to the first answer. */
  readonly started: number[]
  /** Resident megabytes before the first load, and after the last. */
  readonly rested: number[]
  readonly loaded: number[]
  readonly perCpuSecond: number[]
  readonly accepted: number[]
  readonly lost: number[]
}

const samplesOf = (bot: Bot): Samples => ({
  bot,
  started: [],
  rested: [],
  loaded: [],
  perCpuSecond: [],
  accepted: [],
  lost: [],
})

const label = ({name, runtime}: Bot) => `${name} on ${runtime}`

/** Every other round goes in reverse order. */
const inTurn = async <T>(rounds: number, all: readonly T[], measure: (each: T) => Promise<void>): Promise<void> => {
  for (let round = 0; round < rounds; round++)
    for (const each of round % 2 === 0 ? all : [...all].reverse()) await measure(each)
}

const startBot = async (platform: Platform, bot: Bot, pause: number): Promise<{running: Running; time: number}> => {
  const begun = performance.now()
  const running = bot.start(pause)
  const failed = running.ended.then(() => Promise.reject(new Error(`${label(bot)} ended: ${running.output()}`)))
  failed.catch(() => {})
  await Promise.race([platform.ask("first", bot), failed])
  return {running, time: performance.now() - begun}
}

const measureStart = async (platform: Platform, {bot, started, rested}: Samples): Promise<void> => {
  const {running, time} = await startBot(platform, bot, 0)
  started.push(time)
  await sleep(1500)
  rested.push(residentMegabytes(running.pid))
  await running.stop()
}

/** All bots run and are warm; they get the load one after another. */
const measureLoad = async (
  platform: Platform,
  all: readonly Samples[],
  {pairs, progress}: RowOptions,
): Promise<void> => {
  const running = new Map<Bot, Running>()
  for (const {bot} of all) {
    progress(`warms ${label(bot)}`)
    running.set(bot, (await startBot(platform, bot, 0)).running)
    await platform.ask("load", bot, warmUp)
  }
  progress(`loads each ${pairs} times`)
  await inTurn(pairs, all, async ({bot, perCpuSecond}) => {
    const pid = running.get(bot)?.pid ?? 0
    // It rested while the others ran: the row `burst` measures what that costs.
    await platform.ask("load", bot, again)
    const before = cpuSeconds(pid)
    perCpuSecond.push((await platform.ask<number>("load", bot, sample)) / (cpuSeconds(pid) - before))
  })
  for (const {bot, loaded} of all) {
    loaded.push(residentMegabytes(running.get(bot)?.pid ?? 0))
    await running.get(bot)?.stop()
  }
}

/** Kills a bot under load, restarts it, and counts the messages that it had accepted and never answers. */
const measureKill = async (platform: Platform, {bot, accepted, lost}: Samples): Promise<void> => {
  const {running} = await startBot(platform, bot, calm.pause)
  await platform.ask("load", bot, {seconds: 1, most: 200})
  await platform.ask("steady", bot, calm)
  await sleep(2500 + Math.random() * 1000)
  process.kill(running.pid, "SIGKILL")
  await running.ended
  // By now the platform has stopped sending: a message that was not accepted is not lost.
  await sleep(1700)
  const again = await startBot(platform, bot, calm.pause)
  const books = () => platform.ask<{accepted: number; unanswered: number}>("ledger", bot)
  let seen = await books()
  for (let quiet = 0; quiet < 4 && seen.unanswered > 0; ) {
    await sleep(500)
    const now = await books()
    quiet = now.unanswered === seen.unanswered ? quiet + 1 : 0
    seen = now
  }
  accepted.push(seen.accepted)
  lost.push(seen.unanswered)
  await again.running.stop()
}

/** The framework that svc must beat on a runtime. */
const rivalOn = (runtime: string) => (runtime === "bun" ? "grammY" : "Hubot")

const rateFigures = (all: readonly Samples[]): readonly Figure[] =>
  all.flatMap(({bot, perCpuSecond}) => {
    const rate: Figure = {name: `messages a CPU-second, ${label(bot)}`, unit: "/s", value: spreadOf(perCpuSecond)}
    if (bot.name === "svc") return [rate]
    const own = all.find(other => other.bot.name === "svc" && other.bot.runtime === bot.runtime)
    if (own === undefined) return [rate]
    const measured = pairsOf(own.perCpuSecond, perCpuSecond)
    const isRival = bot.name === rivalOn(bot.runtime)
    const against: Figure = ratioOf(
      `  svc through ${bot.name}, on ${bot.runtime}`,
      measured,
      label(bot),
      "/s",
      isRival ? atLeast(1) : undefined,
    )
    return [rate, against]
  })

const lossOf = ({bot, accepted, lost}: Samples): Figure => {
  const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0)
  return {
    name: `answers lost by a kill -9, ${label(bot)}`,
    unit: "",
    value: spreadOf(lost),
    ...(bot.name === "svc" ? {target: atMost(0)} : {}),
    detail: `${sum(lost)} of ${sum(accepted)} accepted over ${lost.length} kills`,
  }
}

const measure = async (options: RowOptions): Promise<readonly Figure[]> => {
  const {pairs, runtimes, progress} = options
  progress("installs the frameworks, once")
  if (!frameworks.install()) throw new Error("npm cannot install the frameworks")
  const platform = await startPlatform()
  const bots = await makeBots(runtimes, platform.url)
  const all = bots.map(samplesOf)
  // The first start of each bot creates its database and fills the machine's caches.
  for (const bot of bots) {
    progress(`starts ${label(bot)}`)
    await (await startBot(platform, bot, 0)).running.stop()
  }
  progress(`starts each ${pairs} times`)
  await inTurn(pairs, all, each => measureStart(platform, each))
  await measureLoad(platform, all, options)
  progress(`kills each ${pairs} times`)
  await inTurn(pairs, all, each => measureKill(platform, each))
  for (const bot of bots) bot.remove()
  const of = (name: string, unit: string, values: (samples: Samples) => readonly number[]): readonly Figure[] =>
    all.map(each => ({name: `${name}, ${label(each.bot)}`, unit, value: spreadOf(values(each))}))
  return [
    ...rateFigures(all),
    ...of("start to the first answer", "ms", ({started}) => started),
    ...of("resident after the start", "MB", ({rested}) => rested),
    ...of("resident after the load", "MB", ({loaded}) => loaded),
    ...all.map(lossOf),
  ]
}

export const peers: Row = {
  name: "peers",
  summary:
    "svc beside grammY, Hubot and Koishi: 100 commands, 64 partners, each message arrives and each reply leaves over HTTP; the platforms are stand-ins",
  measure: onOneNode(measure),
}
