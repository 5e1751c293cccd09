import type {StateOptions} from "../../../shared/sdk/session/state.ts"
import type {TSchema} from "../../../shared/type.ts"
import {withDefaults} from "../../database/state/defaults.ts"
import type {DeclaredState} from "../../database/state/plugin-state.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {requireName} from "./checks.ts"

/** Reads a `plugin.state` declaration. Throws if it is invalid. */
export const readState = (
  scope: DeclaredState["scope"],
  schema: TSchema,
  {name = "value"}: StateOptions,
): DeclaredState => {
  if (!["user", "channel", "plugin"].includes(scope))
    throw new TypeError("state() needs the scope user, channel or plugin")
  requireName(`state("${scope}")`, name)
  const problemOf = (value: unknown) => {
    const [found] = explainValue(schema, value)
    return found && [found.path.join("."), found.message].filter(text => text !== "").join(" ")
  }
  const missing = problemOf(withDefaults(schema, undefined))
  if (missing !== undefined)
    throw new Error(`state("${scope}"): the schema needs defaults, for when nothing is stored: ${missing}`)
  return {scope, schema, name, problemOf}
}
