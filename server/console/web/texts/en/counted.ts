import {counting} from "../counting.ts"

/** Returns `1 run` or `2 runs`. */
export const counted = counting("en-GB")
