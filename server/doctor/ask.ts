import {messageOf} from "../../shared/problems.ts"
import type {TSchema} from "../../shared/type.ts"
import {fits} from "../config/check.ts"
import {bypassProxy, isLoopback} from "../runtime/proxy.ts"

/** A whole check takes at most so long, in milliseconds. */
export const limit = 5000

/** An answer is never larger, in bytes. */
const largest = 4 * 1024 * 1024

/** Where a Host is, or why that is no address of one. */
export const parseAddress = (address: string): URL | string => {
  if (!URL.canParse(address)) return "the address is not a URL; it looks like http://127.0.0.1:8068"
  const url = new URL(address)
  if (url.protocol !== "http:" && url.protocol !== "https:") return "the address must begin with http:// or https://"
  if (url.username !== "" || url.password !== "")
    return "the address must not carry credentials; the token is SVC_HTTP_TOKEN"
  if (url.search !== "" || url.hash !== "") return "the address must end with its path"
  return url
}

export const withoutCredentials = (address: string): string => address.replace(/\/\/[^/]*@/, "//")

/** What a Host answered, `text` undefined where it was too large; or why there is no answer that counts. */
export type Answered =
  | {readonly is: "answer"; readonly status: number; readonly text: string | undefined}
  | {readonly is: "none"; readonly reason: string; readonly isReached: boolean}

/**
 * Asks a Host by GET. Follows no redirect, so that the token goes nowhere else; a token that is refused counts as no answer.
 * Never rejects.
 */
export const ask = async (target: string, token: string | undefined, signal: AbortSignal): Promise<Answered> => {
  const url = new URL(target)
  if (isLoopback(url)) bypassProxy(url)
  const none = (reason: string, isReached = true): Answered => ({is: "none", reason, isReached})
  try {
    const authorization = token === undefined ? {} : {authorization: `Bearer ${token}`}
    const headers = {...authorization, accept: "application/json"}
    const response = await fetch(target, {headers, redirect: "manual", signal})
    const {status} = response
    if (status >= 300 && status < 400) return none("the Host answered with a redirect, which is not followed")
    if (status === 401) return none("the Host does not know the token in SVC_HTTP_TOKEN (401)")
    if (status === 403) return none("the token in SVC_HTTP_TOKEN is not the full token (403)")
    return {is: "answer", status, text: await readText(response)}
  } catch (error) {
    return none(describeFailure(error), false)
  }
}

/** The JSON of an answer, where it fits its schema. */
export const parseAnswer = (schema: TSchema, text: string | undefined): unknown => {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return fits(schema, value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The body as text; undefined for one that is too large, which is not read to its end. */
const readText = async (response: Response): Promise<string | undefined> => {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > largest) return undefined
    text += decoder.decode(chunk, {stream: true})
  }
  return text + decoder.decode()
}

const describeFailure = (error: unknown): string => {
  if (error instanceof Error && error.name === "TimeoutError") return `no answer within ${limit / 1000} s`
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : ""
  return `the request failed: ${messageOf(cause) || "no answer"}${code}`
}
