import {tryParseJson} from "../../shared/json.ts"
import {messageOf} from "../../shared/problems.ts"
import {readStart} from "../../shared/sdk/adapter/answer.ts"
import type {TSchema} from "../../shared/type.ts"
import {fits} from "../config/check.ts"
import {bypassProxy, isLoopback} from "../runtime/proxy.ts"

/** The time limit of a whole check, in milliseconds. */
export const limit = 5000

/** The largest accepted answer, in bytes. */
const largest = 4 * 1024 * 1024

/** Returns the URL of a Host, or the reason why the address is invalid. */
export const parseAddress = (address: string): URL | string => {
  if (!URL.canParse(address)) return "the address is not a URL such as http://127.0.0.1:8068"
  const url = new URL(address)
  if (url.protocol !== "http:" && url.protocol !== "https:") return "the address must start with http:// or https://"
  if (url.username !== "" || url.password !== "")
    return "the address must not contain credentials; put the token into SVC_HTTP_TOKEN"
  if (url.search !== "" || url.hash !== "") return "the address must not have a query or a fragment"
  return url
}

export const withoutCredentials = (address: string): string => address.replace(/\/\/[^/]*@/, "//")

/** The answer of a Host, with `text` undefined if it is too large; or the reason why there is no valid answer. */
export type Answered =
  | {readonly is: "answer"; readonly status: number; readonly text: string | undefined}
  | {readonly is: "none"; readonly reason: string; readonly isReached: boolean}

/** Sends a GET request. Follows no redirect: no other server sees the token. A refused token counts as no answer. */
export const ask = async (target: string, token: string | undefined, signal: AbortSignal): Promise<Answered> => {
  const url = new URL(target)
  if (isLoopback(url)) bypassProxy(url)
  const none = (reason: string, isReached = true): Answered => ({is: "none", reason, isReached})
  try {
    const authorization = token === undefined ? {} : {authorization: `Bearer ${token}`}
    const headers = {...authorization, accept: "application/json"}
    const response = await fetch(target, {headers, redirect: "manual", signal})
    const {status} = response
    if (status >= 300 && status < 400)
      return none("the Host answered with a redirect, which svc doctor does not follow")
    if (status === 401) return none("the Host does not know the token in SVC_HTTP_TOKEN (401)")
    if (status === 403) return none("the token in SVC_HTTP_TOKEN is not the full token (403)")
    const {bytes, isWhole} = await readStart(response.body, largest)
    return {is: "answer", status, text: isWhole ? new TextDecoder().decode(bytes) : undefined}
  } catch (error) {
    return none(describeFailure(error), false)
  }
}

/** Returns the JSON of an answer, or undefined if it does not fit its schema. */
export const parseAnswer = (schema: TSchema, text: string | undefined): unknown => {
  const value = tryParseJson(text ?? "")
  return fits(schema, value) ? value : undefined
}

const describeFailure = (error: unknown): string => {
  if (error instanceof Error && error.name === "TimeoutError") return `no answer within ${limit / 1000} s`
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : ""
  return `the request failed: ${messageOf(cause) || "no answer"}${code}`
}
