import {fromJson, toJson} from "../../../shared/json.ts"
import type {Step, ToolStep} from "../runs/step-rows.ts"

/** Returns earlier steps with the same call. */
export const equalsOf = (steps: readonly Step[], step: ToolStep): readonly ToolStep[] => {
  const wanted = canonical(step.call.input)
  return steps.filter(
    (each): each is ToolStep =>
      each.kind === "tool" && each.n < step.n && each.tool === step.tool && canonical(each.call.input) === wanted,
  )
}

/** Returns the same text for equal arguments, however they are written. */
const canonical = (json: string): string => {
  try {
    return toJson(sorted(fromJson(json.trim() === "" ? "{}" : json)))
  } catch {
    return json
  }
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}
