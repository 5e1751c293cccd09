import {isProblem} from "../../shared/problems.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Instance} from "./instance.ts"

/** What a plugin does at its start may take so long, in milliseconds. */
const startLimit = 60_000

/** Where ingress was paused while it ran, in milliseconds. */
const pause = 1000

export interface PluginStartsOptions {
  readonly isPaused: () => boolean
  /** Hears what is thrown, as the instance's own exception. */
  readonly fail: (error: unknown) => void
}

interface Start {
  readonly instance: Instance
  readonly work: () => unknown
}

/** Runs what plugins declared with `onStart`: once for each instance, after its commit, and not before messages can be sent. */
export class PluginStarts {
  readonly #options: PluginStartsOptions
  readonly #waiting = new Set<Start>()
  readonly #running = new Set<Start>()
  #isOpen = false

  constructor(options: PluginStartsOptions) {
    this.#options = options
  }

  /** Nothing that a plugin does at its start runs. */
  get isQuiet(): boolean {
    return this.#running.size === 0
  }

  /** An instance is part of a committed generation. */
  activated(instance: Instance): void {
    for (const work of instance.registrations.starts) this.#waiting.add({instance, work})
    this.#runWaiting()
  }

  /** Messages can be sent from now on, unless ingress is paused. */
  open(): void {
    this.#isOpen = true
    this.#runWaiting()
  }

  ingressChanged(): void {
    this.#runWaiting()
  }

  #runWaiting(): void {
    if (!this.#isOpen || this.#options.isPaused()) return
    const due = [...this.#waiting]
    this.#waiting.clear()
    for (const start of due) if (start.instance.state.is === "active") this.#run(start)
  }

  #run(start: Start): void {
    const {instance, work} = start
    const {signal} = instance.scope
    this.#running.add(start)
    instance
      .run(() => withTimeLimit(startLimit, async () => work(), signal), {}, `${instance.path}/start`)
      .catch(error => {
        if (signal.aborted) return
        if (!isProblem(error, "ingress_paused")) return instance.as(() => this.#options.fail(error))
        instance.log.warn(
          "the plugin's onStart was interrupted by paused ingress; it runs again once ingress is open",
          {error},
        )
        this.#waiting.add(start)
        setTimeout(() => this.#runWaiting(), pause)
      })
      .finally(() => this.#running.delete(start))
  }
}
