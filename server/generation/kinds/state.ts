import type {StateOptions} from "../../../shared/sdk/session/state.ts"
import type {TSchema} from "../../../shared/type.ts"
import {withDefaults} from "../../database/state/defaults.ts"
import type {DeclaredState} from "../../database/state/plugin-state.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {requireKeys} from "../checks/keys.ts"
import {requireName} from "./checks.ts"
import {declarationsOf, type Setup} from "./kind.ts"

export const states = (setup: Setup) => {
  const declared: DeclaredState[] = []
  const declareState = (scope: DeclaredState["scope"], schema: TSchema, options: StateOptions) => {
    const what = setup.begin("state", scope)
    requireKeys(what, options, "state")
    const {name = "value"} = options
    if (!["user", "channel", "plugin"].includes(scope))
      throw new TypeError("state() needs the scope user, channel or plugin")
    requireName(what, name)
    const problemOf = (value: unknown) => {
      const [found] = explainValue(schema, value)
      return found && [found.path.join("."), found.message].filter(text => text !== "").join(" ")
    }
    const missing = problemOf(withDefaults(schema, undefined))
    if (missing !== undefined)
      throw new Error(`${what}: the schema needs defaults, for when nothing is stored: ${missing}`)
    if (declared.some(other => other.scope === scope && other.name === name))
      throw new Error(`${what} is declared twice under the name "${name}"; give the second another name`)
    const state: DeclaredState = {scope, schema, name, problemOf}
    declared.push(state)
    return state
  }
  return declarationsOf({methods: {declareState}, declared})
}
