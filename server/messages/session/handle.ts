import {Problem} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"

/** Returns the name of a handle that a plugin passes. Throws `<kind>_unknown` if it is none of this kind. */
export const nameOf = (kind: "form" | "prompt" | "timer", handle: unknown): string => {
  const given = fieldsOf(handle)
  if (given.kind === kind && typeof given.name === "string") return given.name
  throw new Problem(`${kind}_unknown`, `this is no ${kind} handle: pass what plugin.${kind}() returned`)
}
