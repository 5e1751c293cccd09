import {untrack} from "svelte"
import {getSession} from "../../../state/session.svelte.ts"
import {typedKey} from "../../../state/typed.ts"

interface Kept {
  readonly values: object
  readonly revision?: string
}

/** The input of a form, kept in this tab until the user saves or discards it, even across page reloads. */
export class Typed<T extends object> {
  filled: T
  /** Was the input restored? */
  isBack = $state(false)
  /** The revision that it replaces; empty for a new one. */
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

  /** Replaces the input, for example with another version. */
  take(values: T): void {
    Object.assign(this.filled, values)
    this.isBack = false
  }

  restart(): void {
    this.take(this.#initial)
  }

  /** Deletes the kept input after it was saved or discarded. */
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
