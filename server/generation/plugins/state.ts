import {isProblem, Problem} from "../../../shared/problems.ts"
import type {StateHandle, StateScope, StateSubject, StateValue} from "../../../shared/sdk/session/state.ts"
import {fieldsOf, isId} from "../../../shared/sdk/session/values.ts"
import {groupCommitted} from "../../database/persist.ts"
import {
  assertUnchanged,
  type DeclaredState,
  formatState,
  parseState,
  readState,
  type StateKey,
  storingState,
} from "../../database/state/plugin-state.ts"
import type {OpenDatabase} from "./plugin-database.ts"

export interface StateAccess {
  readonly plugin: string
  readonly database: OpenDatabase
  /** Throws if the plugin may not write. */
  readonly requireActive: () => void
}

/** How often `update` retries after another write came in between. */
const mostTries = 100

/** Returns a declared value for code outside handlers. */
export const stateHandle = <T, S extends StateScope>(
  declared: DeclaredState,
  access: StateAccess,
): StateHandle<T, S> => ({
  scope: declared.scope as S,
  name: declared.name,
  of: (...[subject]) => stateValue<T>(keyOf(access.plugin, declared, subject), declared, access),
})

const keyOf = (plugin: string, {scope, name}: DeclaredState, subject: StateSubject<StateScope>): StateKey => {
  if (scope === "plugin") return {plugin, scope, name, endpoint: "", subject: ""}
  const {endpoint, [scope]: id} = fieldsOf(subject)
  if (!isId(endpoint) || !isId(id))
    throw new Problem("target_invalid", `of() needs {endpoint, ${scope}} for the state of a ${scope}`)
  return {plugin, scope, name, endpoint, subject: id}
}

const stateValue = <T>(
  key: StateKey,
  declared: DeclaredState,
  {database, requireActive}: StateAccess,
): StateValue<T> => {
  const write = async (value: string | undefined) => {
    requireActive()
    await database.write([storingState(key, value)])
  }
  return {
    get: async () => parseState(key, declared, (await readState(database, key)).value) as T,
    set: async value => write(formatState(key, declared, value)),
    delete: () => write(undefined),
    update: async change => {
      for (let tries = 1; ; tries++) {
        requireActive()
        const {value, version} = await readState(database, key)
        const next = change(parseState(key, declared, value) as T)
        const batch = [assertUnchanged(key, version), storingState(key, formatState(key, declared, next))]
        try {
          await database.write(batch)
          return next
        } catch (error) {
          await groupCommitted(database)
          const isLost = isProblem(error, "database_refused") && (await readState(database, key)).version !== version
          if (!isLost || tries === mostTries) throw error
        }
      }
    },
  }
}
