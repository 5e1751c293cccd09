import {counting} from "../counting.ts"

/** `# run` or `# runs`, with the number. */
export const counted = counting("en-GB")
