import {StatusPage} from "../../../shared/api/metrics/status-page.ts"
import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import {policy} from "../../console/status/page.ts"
import {type Language, languageFor} from "../../console/status/texts.ts"
import type {AddressRate} from "./rate.ts"

/** The public status page of a running Host, or of one that is starting. */
export interface ShownStatus {
  readonly isOn: boolean
  readonly page: StatusPage
  html(language: Language): string
}

export const openStatusPage = (status: ShownStatus, rate: AddressRate): Operation => ({
  summary: "The public status page, at /status/: the configuration's labels, each up or down",
  response: {200: "text/html"},
  problems: ["not_found", "too_many_requests"],
  limit: (_, address) => rate.take(address),
  handle: request => {
    requireOn(status)
    return new URL(request.url).pathname.endsWith("/") ? answerPage(status, request) : toFolder()
  },
})

export const showStatusPage = (status: ShownStatus, rate: AddressRate): Operation => ({
  summary: "The public status page as JSON",
  response: {200: StatusPage},
  problems: ["not_found", "too_many_requests"],
  limit: (_, address) => rate.take(address),
  handle: () => {
    requireOn(status)
    return answerJson(status)
  },
})

/** Answers a path below `http.base` if it belongs to the status page; undefined otherwise. */
export const answerStatus = (status: ShownStatus, path: string, request: Request): Response | undefined => {
  if (!status.isOn || request.method !== "GET") return undefined
  if (path === "/status") return toFolder()
  if (path === "/status/") return answerPage(status, request)
  return path === "/status/status.json" ? answerJson(status) : undefined
}

/** The page refers to its JSON relative to the folder. */
const toFolder = () => new Response(null, {status: 308, headers: {location: "status/", "cache-control": "no-cache"}})

const requireOn = ({isOn}: ShownStatus): void => {
  if (!isOn) throw new Problem("not_found", "there is no status page")
}

const always = {
  "cache-control": "public, max-age=3",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const

const answerPage = (status: ShownStatus, {headers}: Request): Response => {
  const language = languageFor(headers.get("accept-language"))
  return new Response(status.html(language), {
    headers: {
      ...always,
      "content-language": language,
      "content-security-policy": policy,
      "content-type": "text/html; charset=utf-8",
      vary: "Accept-Language",
    },
  })
}

const answerJson = (status: ShownStatus): Response =>
  new Response(toJson(status.page), {headers: {...always, "content-type": "application/json"}})
