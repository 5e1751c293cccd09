import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import {attribute} from "../plugins/attribution.ts"
import type {Instance} from "../plugins/instance.ts"
import type {Generations} from "./generations.ts"
import {Quarantine} from "./quarantine.ts"

/**
 * Deals with exceptions that nobody caught: the instance that one belongs to is disposed and started anew; the third in
 * ten minutes keeps it out until the next generation. The Host goes on.
 */
export class Containment {
  readonly #generations: Generations
  readonly #log: Log
  readonly #quarantine = new Quarantine()

  constructor(generations: Generations, log: Log) {
    this.#generations = generations
    this.#log = log
  }

  /** Resolves when the instance is out of the running generation, or a new one is in its place. Never rejects. */
  async contain(error: unknown): Promise<void> {
    const instance = attribute(error, this.#generations.current?.instances ?? [])
    if (instance === undefined) {
      this.#log.error(`an exception was not caught; it belongs to no plugin: ${messageOf(error)}`, {error})
      return
    }
    // Thrown before its draft was committed or given up: it is dealt with as what the instance is then.
    if (instance.state.is === "starting") await this.#generations.settled()
    const quarantined =
      instance.state.is === "active" && this.#quarantine.record(instance.name, this.#generations.current?.number ?? 0)
    this.#log.error(`${instance.path} threw outside its handlers: ${messageOf(error)}${next(instance, quarantined)}`, {
      error,
      plugin: instance.name,
    })
    if (instance.state.is !== "active") return
    const failed = instance.fail(error, quarantined)
    await this.#generations.replace(instance, async () => {
      await failed
      return quarantined ? undefined : this.#startAnew(instance)
    })
  }

  async #startAnew(failed: Instance): Promise<Instance | undefined> {
    const fresh = failed.again()
    try {
      await fresh.setup()
      fresh.activate()
      return fresh
    } catch (error) {
      this.#log.error(`${failed.path} could not be started anew: ${messageOf(error)}`, {error, plugin: failed.name})
      return undefined
    }
  }
}

const next = (instance: Instance, quarantined: boolean): string => {
  if (instance.state.is !== "active") return `; it is ${instance.state.is} already`
  return quarantined ? "; it is quarantined until the next generation" : "; it is started anew"
}
