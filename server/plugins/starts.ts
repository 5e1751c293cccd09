import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Instance} from "./instance.ts"

/** What a plugin does at its start may take so long, in milliseconds. */
const startLimit = 60_000

/** Runs what plugins declared with `onStart`: once for each instance, after its commit, and not before messages can be sent. */
export class PluginStarts {
  readonly #fail: (error: unknown) => void
  readonly #waiting = new Set<Instance>()
  #isOpen = false

  /** `fail` hears what is thrown, as the instance's own exception. */
  constructor(fail: (error: unknown) => void) {
    this.#fail = fail
  }

  /** An instance is part of a committed generation. */
  activated(instance: Instance): void {
    if (this.#isOpen) this.#run(instance)
    else this.#waiting.add(instance)
  }

  /** Messages can be sent from now on. */
  open(): void {
    this.#isOpen = true
    for (const instance of this.#waiting) if (instance.state.is === "active") this.#run(instance)
    this.#waiting.clear()
  }

  #run(instance: Instance): void {
    for (const start of instance.registrations.starts) {
      const work = () => withTimeLimit(startLimit, async () => start(), instance.scope.signal)
      instance.run(work, {}, `${instance.path}/start`).catch(error => {
        if (!instance.scope.signal.aborted) instance.as(() => this.#fail(error))
      })
    }
  }
}
