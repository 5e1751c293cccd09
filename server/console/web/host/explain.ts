import {texts} from "../texts/texts.ts"
import {Refusal, Unreachable} from "./client.ts"

const unreachable = (address: string, origin: string): string =>
  address.startsWith(origin) ? texts.failures.unreachable(address) : texts.failures.unreachableHere(address, origin)

/** Says why the sign-in failed, and what to do about it. */
export const explain = (error: unknown, address: string, origin: string): string => {
  if (error instanceof Unreachable) return unreachable(address, origin)
  if (!(error instanceof Refusal)) return describeRefusal(error)
  if (error.status === 401) return texts.failures.wrongToken
  if (error.status === 429) return texts.failures.tooMany(error.retryAfter ?? 60)
  if (error.status === 404) return texts.failures.noConsole(address)
  return describeRefusal(error)
}

/** Returns an error as one text; for a refusal, what happened, where, and what to do. */
export const describeRefusal = (error: unknown): string => {
  if (error instanceof Refusal)
    return [error.message, ...error.issues.slice(0, 3), error.hint].filter(text => text !== "").join(". ")
  return error instanceof Error ? error.message : String(error)
}
