import {fromJson} from "../../../shared/json.ts"
import {type Hide, hideIn} from "./hiding.ts"
import type {CallPart} from "./language-model.ts"
import type {ModelCall} from "./model.ts"

/** Returns an earlier call by the model, for its provider. */
export const callPartOf = ({id, name, input}: ModelCall, hide: Hide): CallPart => ({
  type: "tool-call",
  toolCallId: id,
  toolName: name,
  input: hideIn(argumentsOf(input), hide),
})

/**
 * Providers accept only objects as arguments. The tool's result has already told the model what was wrong with these.
 */
const argumentsOf = (input: string): object => {
  try {
    const value: unknown = fromJson(input)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
