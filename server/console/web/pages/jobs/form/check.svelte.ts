import {onMount} from "svelte"
import type {DraftCheck} from "../../../host/views.ts"
import {getSession} from "../../../state/session.svelte.ts"

/** How long nothing must be typed before the Host is asked, in milliseconds. */
const quiet = 250

/** What the Host says to what somebody types: asked once the typing rests, and again when the Host is back. */
export class Check {
  /** The newest answer; it stays while the Host is away. */
  said = $state.raw<DraftCheck>()
  isAway = $state(false)
  readonly #ask: () => Promise<DraftCheck>
  #timer: ReturnType<typeof setTimeout> | undefined
  #count = 0

  constructor(ask: () => Promise<DraftCheck>) {
    this.#ask = ask
  }

  wake(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.now(), quiet)
  }

  /** Asks at once; resolves to the answer, or to undefined where there is none. */
  async now(): Promise<DraftCheck | undefined> {
    clearTimeout(this.#timer)
    const count = ++this.#count
    try {
      const said = await this.#ask()
      if (count === this.#count) [this.said, this.isAway] = [said, false]
      return said
    } catch {
      if (count === this.#count) this.isAway = true
      return undefined
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#count++
  }
}

/** A check for as long as the component is shown. `body` is read again whenever something that it reads changes. */
export const useCheck = (path: string, body: () => unknown): Check => {
  const {client, live} = getSession()
  const check = new Check(() => client.post<DraftCheck>(path, body()))
  onMount(() => {
    const unwatch = live.watch(types => {
      if (types === undefined || check.isAway) check.wake()
    })
    return () => {
      unwatch()
      check.end()
    }
  })
  $effect(() => {
    // Everything that is typed is read here, so that each change is checked.
    JSON.stringify(body())
    check.wake()
  })
  return check
}
