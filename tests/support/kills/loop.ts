import {setTimeout as sleep} from "node:timers/promises"
import {type Chance, launchHost, type Project, startHost, type TestHost, until} from "../host/host.ts"
import {onBun, runtimes, type TestRuntime} from "../host/runtimes.ts"
import type {Open} from "../messages/open-work.ts"
import {cutOff, momentOf} from "./in-flight.ts"
import type {KillPlatform} from "./platform.ts"

/** The time limit for everything about a Host, in milliseconds: the machine may be busy. */
export const patience = 300_000

const nodes = runtimes.filter(runtime => runtime !== onBun)
/** Bun, and every fourth time a Node, each available one in turn: a Node takes twice the processor time to start. */
const runtimeOf = (round: number): TestRuntime =>
  round % 4 !== 1 ? onBun : (nodes[((round - 1) / 4) % nodes.length] ?? onBun)

export interface Scene {
  readonly project: Project
  readonly env: Readonly<Record<string, string>>
  readonly platforms: readonly KillPlatform[]
}

export const openOf = (host: TestHost) => host.plugin<Open>("/api/plugins/answer/open")

export const untilOnline = async (host: TestHost): Promise<void> => {
  let last: readonly {readonly name: string; readonly state: string}[] = []
  await until(
    "all endpoints to be online",
    async () => {
      last = (await host.get("/api/endpoints")).items.filter(({name}) => name.endsWith("~one"))
      return last.length > 0 && last.every(({state}) => state === "online")
    },
    patience,
  ).catch(error => {
    throw new Error(`${error.message}: ${JSON.stringify(last)}\n${host.process.output()}`)
  })
}

/** Waits until the newest text of each platform is in the inbox. */
export const untilStored = async (host: TestHost, platforms: readonly KillPlatform[]): Promise<void> => {
  const newest = platforms.map(({said}) => [...said.keys()].at(-1))
  await until(
    `${newest.join(", ")} to be stored`,
    async () => {
      const {items} = await host.get("/api/inbox", {limit: 500})
      const texts = new Set(items.map(({event}) => event.message?.content))
      return newest.every(text => texts.has(text))
    },
    patience,
  )
}

/** Says the next text of a platform's person, `<platform> <number>`. */
const speak = (platform: KillPlatform) => platform.say(`${platform.name} ${platform.said.size}`)

export const speakAll = ({platforms}: Pick<Scene, "platforms">): Promise<unknown> => Promise.all(platforms.map(speak))

/** Kills the Host until each platform has enough kills that interrupted something there. */
export class KillLoop {
  /** For each platform, the number of kills that count. */
  readonly counted = new Map<KillPlatform, number>()
  readonly kills = {all: 0, early: 0, bun: 0, node: 0}
  readonly #scene: Scene
  readonly #chance: Chance
  /** How long the last Host took to serve, by runtime, in milliseconds. */
  readonly #startTimes = new Map<string, number>()

  constructor(scene: Scene, chance: Chance) {
    this.#scene = scene
    this.#chance = chance
    for (const platform of scene.platforms) this.counted.set(platform, 0)
  }

  get fewest(): number {
    return Math.min(...this.counted.values())
  }

  /** The counts by adapter, for people. */
  get counts(): string {
    return [...this.counted].map(([{name}, kills]) => `${name} ${kills}`).join(", ")
  }

  async kill(): Promise<void> {
    const {platforms} = this.#scene
    const runtime = runtimeOf(this.kills.all)
    const startTime = this.#startTimes.get(runtime.name)
    const isEarly = startTime !== undefined && this.#chance.below(4) === 0
    for (const platform of platforms) {
      if (this.kills.all > 0 && this.#chance.below(4) === 0) platform.forget?.()
      platform.launching()
    }
    // The bot does not get messages from before its first connection.
    if (this.kills.all > 0) await speakAll(this.#scene)
    if (isEarly) await this.#killStarting(runtime, startTime)
    else await this.#killRunning(runtime)
    this.kills.all++
    if (isEarly) this.kills.early++
    this.kills[runtime === onBun ? "bun" : "node"]++
  }

  /** Kills the Host anywhere in its start or while it connects. */
  async #killStarting(runtime: TestRuntime, startTime: number): Promise<void> {
    const {project, env} = this.#scene
    const {process: running} = launchHost({project, env, runtime})
    await sleep((0.3 + this.#chance.next()) * startTime)
    await this.#strike(running)
  }

  /** Kills a running Host while people speak, after all interrupted work: eight kills in a row would make it `dead`. */
  async #killRunning(runtime: TestRuntime): Promise<void> {
    const {project, env, platforms} = this.#scene
    const began = performance.now()
    const host = await startHost({own: true, project, env, runtime, patience})
    this.#startTimes.set(runtime.name, performance.now() - began)
    await until(
      "the interrupted work to end",
      async () => {
        const {suspects, messages} = await openOf(host)
        return suspects === 0 && messages === 0
      },
      patience,
    )
    if (this.kills.all === 0 || this.#chance.below(3) > 0) await untilOnline(host)
    if (this.kills.all === 0) {
      // Only histories of channels with a message are requested.
      await speakAll(this.#scene)
      await untilStored(host, platforms)
    }
    // The platform with the fewest kills gets its last text closest to the kill.
    const order = platforms
      .map(platform => ({platform, at: this.#chance.below(120)}))
      .map(({platform, at}) => ({platform, at: this.counted.get(platform) === this.fewest ? 100 : at}))
    const spoken = Promise.all(
      order.map(async ({platform, at}) => {
        await speak(platform)
        await sleep(at)
        await speak(platform)
      }),
    )
    // Mostly soon: IRC stores and answers a text within 20 ms.
    await sleep(100 + 60 * this.#chance.next() ** 2)
    await this.#strike(host.process)
    await spoken
  }

  async #strike(running: TestHost["process"]): Promise<void> {
    const {project, platforms} = this.#scene
    const moments = platforms.map(momentOf)
    running.child.kill("SIGKILL")
    const {signal} = await running.finished
    if (signal !== "SIGKILL") throw new Error(`the Host ended before it was killed:\n${running.output()}`)
    for (const platform of await cutOff(project, moments))
      this.counted.set(platform, (this.counted.get(platform) ?? 0) + 1)
  }
}
