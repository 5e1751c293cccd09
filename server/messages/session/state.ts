import {Problem} from "../../../shared/problems.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {StateHandle, StateValue} from "../../../shared/sdk/session/state.ts"
import type {Reader, Statement} from "../../database/database.ts"
import {
  assertUnchanged,
  type DeclaredState,
  formatState,
  keyTextOf,
  parseState,
  readState,
  type StateKey,
  type StoredState,
  storingState,
} from "../../database/state/plugin-state.ts"

export interface SessionStateOptions {
  readonly plugin: string
  readonly database: Reader
  readonly event: SatoriEvent
  readonly endpoint: string
  readonly find: (scope: string, name: string) => DeclaredState | undefined
  /** Throws once the handler has ended. */
  readonly requireOpen: () => void
}

interface Touched {
  readonly key: StateKey
  readonly stored: StoredState
  /** The value that the handler wrote; undefined if it only read. */
  written?: {readonly value: string | undefined}
}

/** The values that one handler reads and writes. It sees its own writes, which are stored in its mark's batch. */
export class SessionState {
  readonly #options: SessionStateOptions
  readonly #touched = new Map<string, Promise<Touched>>()
  readonly #settled: Touched[] = []

  constructor(options: SessionStateOptions) {
    this.#options = options
  }

  /** Throws `state_unknown`, `event_invalid`. */
  value<T>({scope, name}: StateHandle<T>): StateValue<T> {
    const declared = this.#options.find(scope, name)
    if (declared === undefined)
      throw new Problem("state_unknown", `${this.#options.plugin} declares no state "${name}" of scope ${scope}`)
    const key = this.#keyOf(declared)
    const get = async (): Promise<T> => {
      const touched = await this.#touch(key)
      return parseState(
        key,
        declared,
        touched.written === undefined ? touched.stored.value : touched.written.value,
      ) as T
    }
    const write = async (value: string | undefined) => {
      const touched = await this.#touch(key)
      this.#options.requireOpen()
      touched.written = {value}
    }
    const set = (value: T) => write(formatState(key, declared, value))
    return {
      get,
      set: async value => set(value),
      update: async change => {
        const next = change(await get())
        await set(next)
        return next
      },
      delete: () => write(undefined),
    }
  }

  /** The statements for the mark's batch. The batch fails if another handler has changed a value that this one read. */
  get statements(): readonly Statement[] {
    const written = this.#settled.flatMap(({key, written}) =>
      written === undefined ? [] : [storingState(key, written.value)],
    )
    if (written.length === 0) return []
    return [...this.#settled.map(({key, stored}) => assertUnchanged(key, stored.version)), ...written]
  }

  /** Returns whether another handler has changed a value since this one read it. */
  async isOutdated(): Promise<boolean> {
    for (const {key, stored} of this.#settled)
      if ((await readState(this.#options.database, key)).version !== stored.version) return true
    return false
  }

  #touch(key: StateKey): Promise<Touched> {
    this.#options.requireOpen()
    const text = keyTextOf(key)
    const known = this.#touched.get(text)
    if (known !== undefined) return known
    const touched = readState(this.#options.database, key).then((stored): Touched => {
      const found = {key, stored}
      this.#settled.push(found)
      return found
    })
    this.#touched.set(text, touched)
    return touched
  }

  #keyOf({scope, name}: DeclaredState): StateKey {
    const {plugin, event, endpoint} = this.#options
    if (scope === "plugin") return {plugin, scope, name, endpoint: "", subject: ""}
    const subject = scope === "user" ? event.user?.id : event.channel?.id
    if (subject === undefined)
      throw new Problem("event_invalid", `this event has no ${scope}, so it has no state of a ${scope}`)
    return {plugin, scope, name, endpoint, subject}
  }
}
