import {Problem} from "../../../shared/problems.ts"
import type {StateHandle, StateValue} from "../../../shared/sdk/session/state.ts"
import type {Statement} from "../../database/database.ts"
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
import type {InboxEvent} from "../../inbox/intake/handling.ts"
import type {PluginSide} from "./handler.ts"

interface Touched {
  readonly key: StateKey
  readonly stored: StoredState
  /** The value that the handler wrote; undefined if it only read. */
  written?: {readonly value: string | undefined}
}

/** The values that one handler reads and writes. It sees its own writes, which are stored in its mark's batch. */
export class SessionState {
  readonly #plugin: PluginSide
  readonly #stored: InboxEvent
  readonly #requireOpen: () => void
  readonly #touched = new Map<string, Promise<Touched>>()
  readonly #settled: Touched[] = []

  /** `requireOpen` throws once the handler has ended. */
  constructor(plugin: PluginSide, stored: InboxEvent, requireOpen: () => void) {
    this.#plugin = plugin
    this.#stored = stored
    this.#requireOpen = requireOpen
  }

  /** Throws `state_unknown`, `event_invalid`. */
  value<T>({scope, name}: StateHandle<T>): StateValue<T> {
    const declared = this.#plugin.state?.(scope, name)
    if (declared === undefined)
      throw new Problem("state_unknown", `${this.#plugin.name} declares no state "${name}" of scope ${scope}`)
    const key = this.#keyOf(declared)
    const get = async (): Promise<T> => {
      const {stored, written = stored} = await this.#touch(key)
      return parseState(key, declared, written.value) as T
    }
    const write = async (value: string | undefined) => {
      const touched = await this.#touch(key)
      this.#requireOpen()
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
      if ((await readState(this.#plugin.database, key)).version !== stored.version) return true
    return false
  }

  #touch(key: StateKey): Promise<Touched> {
    this.#requireOpen()
    const text = keyTextOf(key)
    const known = this.#touched.get(text)
    if (known !== undefined) return known
    const touched = readState(this.#plugin.database, key).then((stored): Touched => {
      const found = {key, stored}
      this.#settled.push(found)
      return found
    })
    this.#touched.set(text, touched)
    return touched
  }

  #keyOf({scope, name}: DeclaredState): StateKey {
    const {name: plugin} = this.#plugin
    const {event, endpoint} = this.#stored
    if (scope === "plugin") return {plugin, scope, name, endpoint: "", subject: ""}
    const subject = scope === "user" ? event.user?.id : event.channel?.id
    if (subject === undefined)
      throw new Problem("event_invalid", `this event has no ${scope}, so it has no state of a ${scope}`)
    return {plugin, scope, name, endpoint, subject}
  }
}
