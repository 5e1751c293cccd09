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
 * Returns a function that handles an uncaught exception. It disposes the instance that the exception belongs to and starts
 * a new one. The third exception in ten minutes quarantines the plugin until the next generation. The Host keeps running.
 * Resolves when the instance has left the running generation or was replaced. Never rejects.
 */
export const createContain = (generations: Generations, running: RunningGeneration, log: Log) => {
  const quarantine = new Quarantine()
  return async (error: unknown): Promise<void> => {
    const instance = attribute(error, running.current?.instances ?? [])
    if (instance === undefined) {
      log.error(`uncaught exception that belongs to no plugin: ${messageOf(error)}`, {error})
      return
    }
    // Thrown before its draft was committed or discarded: wait, and handle it by the instance's state then.
    if (instance.state.is === "starting") await running.idle()
    const quarantined = instance.state.is === "active" && quarantine.record(instance.name, running.current?.number ?? 0)
    const what = `${instance.path} threw outside its handlers: ${messageOf(error)}${next(instance, quarantined)}`
    log.error(what, {error, plugin: instance.name})
    if (instance.state.is !== "active") return
    const failed = instance.fail(error, quarantined)
    await generations.replace(instance, async all => {
      await failed
      return quarantined ? new Map() : startAnew(instance, all, log)
    })
  }
}

/** Starts a new instance, and new ones of the users of its services. One that cannot start stays as it is. */
const startAnew = async (
  failed: Instance,
  running: readonly Instance[],
  log: Log,
): Promise<ReadonlyMap<Instance, Instance>> => {
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
      log.error(`${instance.path} could not be restarted: ${messageOf(error)}`, {error, plugin: instance.name})
    }
  }
  return next
}

const next = (instance: Instance, quarantined: boolean): string => {
  if (instance.state.is !== "active") return `; it is already ${instance.state.is}`
  return quarantined ? "; it is quarantined until the next generation" : "; the Host restarts it"
}
