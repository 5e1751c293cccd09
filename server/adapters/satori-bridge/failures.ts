import {isRefusal, refused, retryAfter} from "../../../shared/sdk/sdk.ts"
import {AnswerError} from "../satori/api.ts"
import {type Fields, fieldsOf, listOf, numberIn} from "../satori/fields.ts"
import type {Stock} from "./stock.ts"
import type {Veil} from "./veil.ts"

/** Returns the first error if a library throws several together. */
const firstOf = (error: unknown): unknown => listOf((error as Fields | undefined)?.errors)[0] ?? error

/**
 * Returns the platform's status; undefined if it did not answer. Some adapters write the status into their own text.
 */
export const statusOf = (error: unknown): number | undefined => {
  const answer = fieldsOf(fieldsOf(firstOf(error)).response)
  const told = /^\[(\d{3})\]|\bAPI error (\d{3})\b/.exec(textOf(error))
  return numberIn(answer, "status") ?? (told === null ? undefined : Number(told[1] ?? told[2]))
}

/** Whether the platform did not answer the request. */
export const isUnanswered = (error: unknown): boolean =>
  Symbol.for("cordis.http.error") in Object(firstOf(error)) && statusOf(error) === undefined

const textOf = (error: unknown): string => {
  const first = firstOf(error)
  return first instanceof Error ? first.message : String(first)
}

/**
 * Converts the error of a method: an answer of the platform to `AnswerError`, and a rate limit to a wait for the Host.
 */
export const failureOf = (error: unknown, veil: Veil): Error => {
  if (isRefusal(error)) return error
  const status = statusOf(error)
  const reason = veil.reason(firstOf(error))
  const wait = waitOf(error)
  if (status === 429 || wait !== undefined) return retryAfter(wait ?? null, reason)
  if (status === 401 || status === 403)
    return refused(reason, {
      reason: "rejected",
      remediation: "Give the bot the permission on its platform, or correct secrets in the account.",
    })
  // Telegram answers 400 for a message that does not exist.
  const isGone = status === 404 || (status === 400 && /message to \w+ not found/i.test(reason))
  return status === undefined ? new Error(reason) : new AnswerError(isGone ? 404 : status, reason)
}

/** Returns how long the platform asks to wait, in milliseconds. */
const waitOf = (error: unknown): number | undefined => {
  const {headers} = fieldsOf(fieldsOf(firstOf(error)).response)
  const header = headers instanceof Headers ? Number(headers.get("retry-after") ?? Number.NaN) : Number.NaN
  const [, told] = /retry[_ ]after"?:?\s*(\d+(?:\.\d+)?)/i.exec(textOf(error)) ?? []
  const seconds = Number.isNaN(header) ? Number(told ?? Number.NaN) : header
  return Number.isNaN(seconds) ? undefined : seconds * 1000
}

/** Words and close codes with which platforms reject a bot: Discord's 4004 and 4014, and words of others. */
const refusal =
  /\b(4004|4014)\b|unauthori[sz]ed|authentication failed|invalid (app|token|secret|credential|appid|client)/i

export const isRefused = (error: unknown): boolean =>
  [401, 403].includes(statusOf(error) ?? 0) || refusal.test(textOf(error))

/** Whether the platform itself says so: in words, with a close code, or with 401 and JSON. A proxy answers with a page. */
const isCertain = (error: unknown): boolean => {
  const {response} = fieldsOf(firstOf(error))
  if (response === undefined) return statusOf(error) !== 403
  return statusOf(error) === 401 && Object.keys(fieldsOf(fieldsOf(response).data)).length > 0
}

export const credentialsHint = (name: string): string =>
  `Correct the variables that secrets names, and the bot's permissions on the platform's developer page; see the documentation of ${name}. Then run svc runtime reload.`

/** Explains why there is no connection. Returns a refusal if a retry would fail too. */
export const connectionError = (error: unknown, {name, veil}: Pick<Stock, "name" | "veil">): Error => {
  if (isRefusal(error)) return error
  const reason = veil.reason(firstOf(error ?? new Error("the adapter is offline")))
  if (firstOf(error) instanceof TypeError)
    return new Error(`${name} did not understand the platform's answer: ${reason}`)
  if (!isRefused(error)) return new Error(reason)
  return refused(`the platform refused the bot: ${reason}`, {
    passing: !isCertain(error),
    reason: "credentials",
    remediation: credentialsHint(name),
  })
}
