import {messageOf} from "../../shared/problems.ts"
import {ReadinessReport} from "../../shared/readiness.ts"
import {fits} from "../config/check.ts"
import {bypassProxy, isLoopback} from "../runtime/proxy.ts"

export type LiveResult =
  | {readonly ok: true; readonly url: string; readonly report: ReadinessReport}
  | {readonly ok: false; readonly url: string; readonly reason: string; readonly report?: ReadinessReport}

/** The whole check takes at most so long, in milliseconds. */
const limit = 5000

/** A report is never larger, in bytes. */
const largest = 4 * 1024 * 1024

/**
 * Reads the detailed readiness report of a Host: ready, or the reason why not. Follows no redirect, and refuses an
 * address that carries credentials: the token is `token`, and goes nowhere else. Never rejects.
 */
export const checkLive = async (address: string, token: string | undefined): Promise<LiveResult> => {
  const url = parseAddress(address)
  if (typeof url === "string") return {ok: false, url: withoutCredentials(address), reason: url}
  const target = `${url.href.replace(/\/+$/, "")}/api/system/readiness`
  const fail = (reason: string, report?: ReadinessReport): LiveResult => ({
    ok: false,
    url: target,
    reason,
    ...(report === undefined ? {} : {report}),
  })
  if (token === undefined || token === "") return fail("SVC_HTTP_TOKEN is not set; it must hold the Host's full token")
  if (isLoopback(url)) bypassProxy(url)
  try {
    const response = await fetch(target, {
      headers: {authorization: `Bearer ${token}`, accept: "application/json"},
      redirect: "manual",
      signal: AbortSignal.timeout(limit),
    })
    if (response.status >= 300 && response.status < 400)
      return fail("the Host answered with a redirect, which is not followed")
    if (response.status === 401) return fail("the Host does not know the token in SVC_HTTP_TOKEN (401)")
    if (response.status === 403) return fail("the token in SVC_HTTP_TOKEN is not the full token (403)")
    const report = await readReport(response)
    if (report === undefined)
      return fail(`the answer is no readiness report (${response.status}); check the address and http.base`)
    if (response.status === 200 && report.ready) return {ok: true, url: target, report}
    return fail("the Host is not ready", report)
  } catch (error) {
    return fail(describeFailure(error))
  }
}

const parseAddress = (address: string): URL | string => {
  if (!URL.canParse(address)) return "the address is not a URL; it looks like http://127.0.0.1:8068"
  const url = new URL(address)
  if (url.protocol !== "http:" && url.protocol !== "https:") return "the address must begin with http:// or https://"
  if (url.username !== "" || url.password !== "")
    return "the address must not carry credentials; the token is SVC_HTTP_TOKEN"
  if (url.search !== "" || url.hash !== "") return "the address must end with its path"
  return url
}

const withoutCredentials = (address: string) => address.replace(/\/\/[^/]*@/, "//")

const readReport = async (response: Response): Promise<ReadinessReport | undefined> => {
  const text = await readText(response)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return fits(ReadinessReport, value) ? (value as ReadinessReport) : undefined
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
