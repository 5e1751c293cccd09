import type {StatusPage} from "../../../shared/api/metrics/status-page.ts"
import {jsonResponse, serve} from "../../../shared/api/operations/operation.ts"
import {statusPageOperations} from "../../../shared/api/operations/public.ts"
import {Problem} from "../../../shared/problems.ts"
import type {AddressRate} from "./rate.ts"
import {policy} from "./status-page.ts"
import {type Language, languageFor} from "./status-texts.ts"

/** The public status page of a running Host, or of one that is starting. */
export interface ShownStatus {
  readonly isOn: boolean
  readonly page: StatusPage
  html(language: Language): string
}

export const statusPageRoutes = (status: ShownStatus, rate: AddressRate) => {
  const requireOn = () => {
    if (!status.isOn) throw new Problem("not_found", "there is no status page")
  }
  return serve(
    statusPageOperations,
    {
      page: ({request}) => {
        requireOn()
        return new URL(request.url).pathname.endsWith("/") ? answerPage(status, request) : toFolder()
      },
      json: () => {
        requireOn()
        return answerJson(status)
      },
    },
    {limit: (_, address) => rate.take(address)},
  )
}

/** Answers a path below `http.base` if it belongs to the status page; undefined otherwise. */
export const answerStatus = (status: ShownStatus, path: string, request: Request): Response | undefined => {
  if (!status.isOn || request.method !== "GET") return undefined
  if (path === "/status") return toFolder()
  if (path === "/status/") return answerPage(status, request)
  return path === "/status/status.json" ? answerJson(status) : undefined
}

/** The page refers to its JSON relative to the folder. */
const toFolder = () => new Response(null, {status: 308, headers: {location: "status/", "cache-control": "no-cache"}})

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

const answerJson = ({page}: ShownStatus) =>
  jsonResponse(page, {headers: {...always, "content-type": "application/json"}})
