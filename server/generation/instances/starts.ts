import {isProblem} from "../../../shared/problems.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Instance} from "./instance.ts"

/** How long a plugin's `onStart` may take, in milliseconds. */
const startLimit = 60_000

/** The pause before another attempt if ingress was paused meanwhile, in milliseconds. */
const pause = 1000

type Gate = Pick<Ingress, "isPaused" | "onChange">

interface Start {
  readonly instance: Instance
  readonly work: () => unknown
}

/** Runs the `onStart` functions of plugins: once for each instance, after its commit and once messages can be sent. */
export class PluginStarts {
  readonly #ingress: Gate
  readonly #waiting = new Set<Start>()
  readonly #running = new Set<Start>()
  /** Receives an error as the instance's own exception. Undefined until messages can be sent. */
  #fail: ((error: unknown) => void) | undefined

  constructor(ingress: Gate) {
    this.#ingress = ingress
    ingress.onChange(() => this.#runWaiting())
  }

  /** True if no `onStart` function is running. */
  get isIdle(): boolean {
    return this.#running.size === 0
  }

  /** Call it when an instance becomes part of a committed generation. */
  activated(instance: Instance): void {
    for (const work of instance.registrations.starts) this.#waiting.add({instance, work})
    this.#runWaiting()
  }

  /** Call it when messages can be sent, unless ingress is paused. `fail` receives an error as the instance's own. */
  open(fail: (error: unknown) => void): void {
    this.#fail = fail
    this.#runWaiting()
  }

  #runWaiting(): void {
    if (this.#fail === undefined || this.#ingress.isPaused) return
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
        if (!isProblem(error, "ingress_paused")) return instance.as(() => this.#fail?.(error))
        instance.log.warn("paused ingress interrupted the plugin's onStart; it runs again once ingress opens", {error})
        this.#waiting.add(start)
        setTimeout(() => this.#runWaiting(), pause)
      })
      .finally(() => this.#running.delete(start))
  }
}
