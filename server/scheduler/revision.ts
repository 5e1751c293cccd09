import {toJson} from "../../shared/json.ts"
import {sha256Of} from "../runtime/files.ts"

/** Returns a revision that identifies what an editor has seen: equal for equal values in one order, on any Host. */
export const revisionOf = (value: unknown): string => sha256Of(toJson(value)).slice(0, 32)
