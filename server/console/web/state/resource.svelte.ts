import {onMount} from "svelte"
import type {HostClient} from "../host/client.ts"
import {getSession} from "./session.svelte.ts"

/** The delay from an event to the reload, and the shortest time between two loads, in milliseconds. */
const soon = 80
const spacing = 250

/** A value of the API that reloads when an event says that it has changed. */
export class Resource<T> {
  /** The newest answer; it stays while the Host is offline. */
  value = $state.raw<T>()
  /** Why the newest request failed. */
  failure = $state.raw<Error>()
  isLoading = $state(false)
  readonly #load: (signal: AbortSignal) => Promise<T>
  readonly #ending = new AbortController()
  #running: Promise<void> | undefined
  #wanted: Promise<void> | undefined
  #loadedAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(load: (signal: AbortSignal) => Promise<T>) {
    this.#load = load
  }

  /**
   * Loads now, or again after the current load: one load at a time, so that an older answer never arrives last.
   * Resolves when that load is over, whether or not it failed.
   */
  reload(): Promise<void> {
    if (this.#wanted !== undefined) return this.#wanted
    if (this.#running === undefined) return this.#start()
    this.#wanted = this.#running.then(async () => {
      await new Promise(resolve => setTimeout(resolve, spacing))
      this.#wanted = undefined
      await this.#start()
    })
    return this.#wanted
  }

  /** Loads soon, and at most a few times a second, because events come in bursts. */
  wake(): void {
    const rest = this.#loadedAt + spacing - performance.now()
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined
        void this.reload()
      },
      Math.max(soon, rest),
    )
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#ending.abort()
  }

  #start(): Promise<void> {
    this.#running = this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<void> {
    const {signal} = this.#ending
    if (signal.aborted) return
    this.isLoading = true
    try {
      const value = await this.#load(signal)
      if (signal.aborted) return
      this.value = value
      this.failure = undefined
    } catch (error) {
      if (signal.aborted) return
      this.failure = error instanceof Error ? error : new Error(String(error))
    }
    this.isLoading = false
    this.#loadedAt = performance.now()
  }
}

/** Loads a resource while the component is shown, and again when one of the events `wants` arrives. */
export const keepFresh = <T>(resource: Resource<T>, wants: readonly string[], every?: number): Resource<T> => {
  const {live} = getSession()
  onMount(() => {
    resource.reload()
    const unwatch = live.watch(types => {
      if (types === undefined || [...types].some(type => isWanted(type, wants))) resource.wake()
    })
    const timer = every === undefined ? undefined : setInterval(() => resource.wake(), every)
    return () => {
      unwatch()
      clearInterval(timer)
      resource.end()
    }
  })
  return resource
}

/**
 * A value of the API while the component is shown. `wants` names the events that change it: a type, or a prefix that
 * ends with a dot. `every` also reloads it after this many milliseconds, for changes without an event.
 */
export const useResource = <T>(
  load: (client: HostClient) => Promise<T>,
  wants: readonly string[] = [],
  every?: number,
): Resource<T> => {
  const {client} = getSession()
  return keepFresh(new Resource(signal => load(client.until(signal))), wants, every)
}

const isWanted = (type: string, wants: readonly string[]) =>
  wants.some(wanted => (wanted.endsWith(".") ? type.startsWith(wanted) : type === wanted))
