import {toJson} from "../../shared/json.ts"
import {sha256Of} from "../runtime/hash.ts"

/** Tells what an editor has seen: equal for values that say the same, in the same order, whichever Host is asked. */
export const revisionOf = (value: unknown): string => sha256Of(toJson(value)).slice(0, 32)
