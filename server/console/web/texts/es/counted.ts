import {counting} from "../en/counting.ts"

export const counted = counting("es")
