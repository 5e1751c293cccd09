import {isRefusal, refused, retryAfter} from "../../../shared/sdk/sdk.ts"
import {AnswerError} from "../satori/api.ts"
import {type Fields, fieldsOf, listOf, numberIn} from "../satori/fields.ts"
import type {Stock} from "./stock.ts"
import type {Veil} from "./veil.ts"

/** Returns the first error if a library throws several together. */
const firstOf = (error: unknown): unknown => listOf((error as Fields | undefined)?.errors)[0] ?? error

const answerOf = (error: unknown): Fields => fieldsOf(fieldsOf(firstOf(error)).response)

/** Returns the platform's status; undefined if it did not answer. */
export const statusOf = (error: unknown): number | undefined => numberIn(answerOf(error), "status")

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
  if (status === 429) return retryAfter(waitOf(error), reason)
  if (status === 401 || status === 403)
    return refused(reason, {
      reason: "rejected",
      remediation: "Give the bot the permission on its platform, or correct secrets in the account.",
    })
  return status === undefined ? new Error(reason) : new AnswerError(status, reason)
}

/** Returns how long the platform asks to wait, in milliseconds; KOOK in `x-rate-limit-reset`. */
const waitOf = (error: unknown): number | null => {
  const {headers} = answerOf(error)
  const seconds = headers instanceof Headers && (headers.get("retry-after") ?? headers.get("x-rate-limit-reset"))
  return typeof seconds === "string" && /^\d+(\.\d+)?$/.test(seconds) ? Number(seconds) * 1000 : null
}

/** Words and close codes with which platforms reject a bot: 4004 and 4014 of gateways with Discord's protocol. */
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
