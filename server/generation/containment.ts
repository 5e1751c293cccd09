import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Generations} from "./generations.ts"
import {attribute} from "./instances/attribution.ts"
import type {Instance} from "./instances/instance.ts"
import {setUpInOrder, usersOf} from "./instances/services.ts"
import type {RunningGeneration} from "./running-generation.ts"

/** This many late exceptions within this time, in milliseconds, exclude a plugin until the next generation. */
const most = 3
const within = 10 * 60_000

/** Counts late exceptions by plugin, within one generation. */
export class Quarantine {
  #generation = 0
  readonly #times = new Map<string, readonly number[]>()

  /** Returns true if this exception is one too many. `now` comes from a clock that never goes back. */
  record(plugin: string, generation: number, now = performance.now()): boolean {
    if (generation !== this.#generation) this.#times.clear()
    this.#generation = generation
    const times = [...(this.#times.get(plugin) ?? []), now].filter(time => now - time < within)
    this.#times.set(plugin, times)
    return times.length >= most
  }
}

/**
 * Handles uncaught exceptions. It disposes the instance that an exception belongs to and starts a new one. The third
 * exception in ten minutes quarantines the plugin until the next generation. The Host keeps running.
 */
export class Containment {
  readonly #generations: Generations
  readonly #running: RunningGeneration
  readonly #log: Log
  readonly #quarantine = new Quarantine()

  constructor(generations: Generations, running: RunningGeneration, log: Log) {
    this.#generations = generations
    this.#running = running
    this.#log = log
  }

  /** Resolves when the instance has left the running generation or was replaced. Never rejects. */
  async contain(error: unknown): Promise<void> {
    const instance = attribute(error, this.#running.current?.instances ?? [])
    if (instance === undefined) {
      this.#log.error(`uncaught exception that belongs to no plugin: ${messageOf(error)}`, {error})
      return
    }
    // Thrown before its draft was committed or discarded: wait, and handle it by the instance's state then.
    if (instance.state.is === "starting") await this.#running.idle()
    const quarantined =
      instance.state.is === "active" && this.#quarantine.record(instance.name, this.#running.current?.number ?? 0)
    this.#log.error(`${instance.path} threw outside its handlers: ${messageOf(error)}${next(instance, quarantined)}`, {
      error,
      plugin: instance.name,
    })
    if (instance.state.is !== "active") return
    const failed = instance.fail(error, quarantined)
    await this.#generations.replace(instance, async running => {
      await failed
      return quarantined ? new Map() : this.#startAnew(instance, running)
    })
  }

  /**
   * Starts a new instance, and new ones of the plugins that use its services. One that cannot start stays as it is, and
   * calls of missing services are refused.
   */
  async #startAnew(failed: Instance, running: readonly Instance[]): Promise<ReadonlyMap<Instance, Instance>> {
    const active = running.filter(({state}) => state.is === "active")
    const ended = [failed, ...usersOf(failed, active)]
    const next = new Map(ended.map(instance => [instance, instance.again()]))
    const others = active.filter(instance => !next.has(instance))
    const setUp = await setUpInOrder(others, [...next.values()])
    const refused = new Map(setUp.failed.map(({instance, error}) => [instance, error]))
    for (const instance of setUp.waiting) refused.set(instance, new Error("a service that it uses no longer exists"))
    for (const [instance, fresh] of next) {
      const error = refused.get(fresh)
      if (error === undefined) fresh.activate()
      else {
        next.delete(instance)
        this.#log.error(`${instance.path} could not be restarted: ${messageOf(error)}`, {error, plugin: instance.name})
      }
    }
    return next
  }
}

const next = (instance: Instance, quarantined: boolean): string => {
  if (instance.state.is !== "active") return `; it is already ${instance.state.is}`
  return quarantined ? "; it is quarantined until the next generation" : "; the Host restarts it"
}
