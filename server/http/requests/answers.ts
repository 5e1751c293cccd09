import {toJson} from "../../../shared/json.ts"
import type {Problem} from "../../../shared/problems.ts"
import type {FixedAnswer} from "../../runtime/runtime.ts"

/** Every JSON answer needs these. A literal takes Bun two thirds of the time of a spread. */
const headersOf = (requestId: string) => ({
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  vary: "Origin",
  "content-type": "application/json",
  "x-request-id": requestId,
})

/** Answers a request to a route, whose path has these parameters. */
export type Answer = (request: Request, params: Readonly<Record<string, string>>) => Response | Promise<Response>

/** Masks the values of secrets in a JSON text; returns JSON. */
export type ScrubJson = (json: string) => string

/** Also makes the paths below a folder relative in each `detail`: a client need not know where the server has its files. */
export const hidingFolder = (folder: string, scrub: ScrubJson): ScrubJson => {
  const below = toJson(`${folder}/`).slice(1, -1)
  return json => scrub(json).replace(/"detail":"[^"\\]*(?:\\.[^"\\]*)*"/g, detail => detail.replaceAll(below, ""))
}

export const jsonTextAnswer = (
  json: string,
  requestId: string,
  status = 200,
  headers?: Readonly<Record<string, string>>,
): Response => new Response(json, {status, headers: Object.assign(headersOf(requestId), headers)})

/** The same response for a listener that gives it to several requests, each with its own id. */
export const fixedJson = (json: string, requestId: () => string, status = 200): FixedAnswer => ({
  status,
  headers: headersOf("-"),
  body: json,
  requestId,
})

/** A problem response (RFC 9457). It contains no stack and no secret, which an error of a plugin may carry. */
export const problemAnswer = (...given: Parameters<typeof fixedProblem>): Response => {
  const {body, ...init} = fixedProblem(...given)
  return new Response(body, init)
}

/** The same response for a listener that refuses a request without the application. */
export const fixedProblem = (
  problem: Problem,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
  scrub: ScrubJson = json => json,
): FixedAnswer => ({
  status: problem.status,
  headers: {
    ...headersOf(requestId),
    "content-type": "application/problem+json",
    ...(problem.code === "unauthorized" ? {"www-authenticate": "Bearer"} : {}),
    ...(problem.retryAfter === undefined ? {} : {"retry-after": String(problem.retryAfter)}),
    ...headers,
  },
  body: scrub(toJson(problem.body(requestId))),
})
