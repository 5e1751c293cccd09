import {onMount} from "svelte"
import type {DraftCheck} from "../../../../../../shared/api/scheduled/drafts.ts"
import type {HostClient} from "../../../host/client.ts"
import {getSession} from "../../../state/session.svelte.ts"

/** The Host checks the input after this pause in typing, in milliseconds. */
const quiet = 250

/** The Host's check of the input: after a pause in typing, and again when the Host is back. */
export class Check {
  /** The newest answer; it stays while the Host is offline. */
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

  /** Checks at once. Resolves to the answer, or to undefined without one. */
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

/** Checks while the component is shown, each time that a value which `body` reads has changed. */
export const useCheck = <B>(body: () => B, ask: (client: HostClient, body: B) => Promise<DraftCheck>): Check => {
  const {client, live} = getSession()
  const check = new Check(() => ask(client, body()))
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
    // Reads the whole input, so that each change starts a check.
    JSON.stringify(body())
    check.wake()
  })
  return check
}
