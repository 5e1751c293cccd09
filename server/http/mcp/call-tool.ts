import {isObject, toJson, tryFromJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Route} from "../../../shared/route.ts"
import {readStart} from "../../../shared/sdk/adapter/answer.ts"
import type {Answer} from "../requests/answers.ts"
import {type Placed, placeArguments, schemaOf} from "./arguments.ts"

/** Calls a route of the same process, with the token of the MCP client. */
export interface Caller {
  readonly request: Request
  /** `http.base` of the configuration. */
  readonly base: string
  readonly answer: (route: Route) => Answer
}

/** The most that a result holds: text in characters, a picture or sound in bytes. */
const most = {text: 100_000, bytes: 1024 ** 2} as const

export const askRoute = async ({request, base, answer}: Caller, route: Route, placed: Placed): Promise<Response> => {
  const {params, query, body} = placed
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  const url = new URL(`${base}${path}?${new URLSearchParams(query)}`, request.url)
  const headers = {authorization: request.headers.get("authorization") ?? "", "content-type": "application/json"}
  const init = route.body === undefined ? {} : {body: toJson(body)}
  return answer(route)(new Request(url, {method: route.method, headers, ...init}), params)
}

export interface ToolResult {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly isError?: true
}

/** Calls a tool's route. A list that is too large for one result is asked for again with fewer items a page. */
export const callTool = async (caller: Caller, route: Route, args: Readonly<Record<string, unknown>>) => {
  try {
    let placed = placeArguments(route, args)
    let limit = Number(placed.query.limit ?? defaultLimit(route))
    for (let fewer = false; ; fewer = true) {
      const {isCut, ...result} = await toResult(await askRoute(caller, route, placed))
      if (!isCut || !(limit > 1)) return fewer ? withNote(result, limit) : result
      limit = Math.floor(limit / 2)
      placed = {...placed, query: {...placed.query, limit: String(limit)}}
    }
  } catch (error) {
    if (error instanceof Problem) return failure(error.body())
    throw error
  }
}

const defaultLimit = ({method, query}: Route): unknown => {
  const limit = schemaOf(query).properties?.limit
  return method === "GET" && isObject(limit) ? limit.default : undefined
}

const text = (value: string) => ({type: "text", text: value})

const withNote = (result: ToolResult, limit: number): ToolResult => ({
  ...result,
  content: [...result.content, text(`This page has ${limit} items: more would be too long; \`next\` is the cursor.`)],
})

interface Refusal {
  readonly code?: unknown
  readonly detail?: unknown
  readonly hint?: unknown
  readonly issues?: unknown
}

const failure = ({code, detail, hint, issues}: Refusal): ToolResult => ({
  content: [text(`${code}: ${detail}\n${hint}`)],
  structuredContent: {code, detail, hint, issues},
  isError: true,
})

const toResult = async (response: Response): Promise<ToolResult & {isCut?: true}> => {
  const {bytes, isWhole} = await readStart(response.body, most.bytes)
  const type = response.headers.get("content-type") ?? ""
  const error = response.ok ? {} : ({isError: true} as const)
  const [kind = ""] = type.split("/")
  if (isWhole && (kind === "image" || kind === "audio"))
    return {content: [{type: kind, data: Buffer.from(bytes).toString("base64"), mimeType: type}], ...error}
  const written = new TextDecoder().decode(bytes)
  const value = /\bjson\b/.test(type) && isWhole ? tryFromJson(written) : undefined
  if (!response.ok && isObject(value) && "code" in value) return failure(value)
  if (!isWhole || written.length > most.text) {
    const whole = isWhole ? written.length : `more than ${written.length}`
    const shown = written.slice(0, most.text).toWellFormed()
    return {content: [text(shown), text(`Cut after ${most.text} of ${whole} characters.`)], ...error, isCut: true}
  }
  const content = [text(written === "" ? `Done: ${response.status}` : written)]
  return {content, ...(isObject(value) ? {structuredContent: value} : {}), ...error}
}
