import {untrack} from "svelte"
import {getSession} from "../../../state/session.svelte.ts"
import {typedKey} from "../../../state/typed.ts"

interface Kept {
  readonly values: object
  readonly revision?: string
}

/** What somebody types in a form, kept in this tab until it is saved or given up: also when the page is loaded anew. */
export class Typed<T extends object> {
  filled: T
  /** It was typed before, and is back. */
  isBack = $state(false)
  /** The revision of what it is to replace; empty for something new. */
  revision = $state("")
  readonly #key: string
  readonly #initial: T

  constructor(name: string, initial: T, revision = "") {
    this.#key = typedKey(getSession().account.url, name)
    this.#initial = initial
    const kept = read(this.#key)
    this.isBack = kept !== undefined
    this.revision = kept?.revision ?? revision
    this.filled = $state({...initial, ...kept?.values})
    $effect(() => {
      const text = JSON.stringify({values: this.filled, revision: this.revision})
      const isTyped = JSON.stringify(this.filled) !== JSON.stringify(initial)
      untrack(() => (isTyped ? sessionStorage.setItem(this.#key, text) : this.forget()))
    })
  }

  /** Takes other values, such as those of another version. */
  take(values: T): void {
    Object.assign(this.filled, values)
    this.isBack = false
  }

  restart(): void {
    this.take(this.#initial)
  }

  /** It is saved, or given up. */
  forget(): void {
    sessionStorage.removeItem(this.#key)
  }
}

const read = (key: string): Kept | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") ?? undefined
  } catch {
    return undefined
  }
}
