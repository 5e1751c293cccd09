import {randomInt, timingSafeEqual} from "node:crypto"

/** Without letters that look like others, or like digits. */
const letters = "ACDEFGHJKMNPRTWXYZ"

const length = 8

export const newCode = (): string => Array.from({length}, () => letters[randomInt(letters.length)]).join("")

/** Returns a code as somebody typed it, in its stored form. */
export const readCode = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z]/g, "")

/** Whether two codes are the same, in a time that does not say how much of them is. */
export const isCode = (code: string, other: string): boolean =>
  code.length === other.length && timingSafeEqual(Buffer.from(code), Buffer.from(other))
