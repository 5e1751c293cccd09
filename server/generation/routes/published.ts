import {serve} from "../../../shared/api/operations/operation.ts"
import {publishedOn} from "../../../shared/api/operations/public.ts"
import {type PluginPath, pluginPath} from "../../../shared/ids.ts"
import {omitUndefined} from "../../../shared/json.ts"
import type {Mode} from "../../../shared/mode.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Call, isResponse, type Route} from "../../../shared/route.ts"
import type {PluginRoute} from "../../../shared/sdk/plugin/route.ts"
import {isId} from "../../../shared/sdk/session/values.ts"
import {explainUnseen} from "../../runtime/text/explain.ts"
import type {Generation} from "../generation.ts"
import type {PublishedRoute} from "../kinds/route.ts"

export interface PublishedServices {
  current(): Generation
  readonly identity: {readonly mode: Mode}
  /** Answers in the same way as the plugin's own route: with its scope, its time limit and its problems. */
  answer(route: Route): (request: Request, params: Readonly<Record<string, string>>) => Response | Promise<Response>
}

/** Each answers with the route that the plugin of the path publishes for the method, with its scope, at least demo. */
export const publishedRoutes = ({current, identity, answer}: PublishedServices): readonly Route[] =>
  (["GET", "POST", "PUT", "DELETE"] as const).flatMap(method =>
    serve(
      {any: publishedOn(method)},
      {
        any: ({request, call}) => {
          const {published, params} = findPluginRoute(current(), method, call)
          return answer(toRoute(published, identity.mode))(request, params)
        },
      },
      {admit: call => void findPluginRoute(current(), method, call)},
    ),
  )

/** The plugins' routes for the document of the API. */
export const describePublished = (generation: Generation): readonly Route[] =>
  generation.snapshot.routes.map(published => toRoute(published))

const toRoute = ({instance, route}: PublishedRoute, mode: Mode = "production"): Route => ({
  method: route.method,
  path: `/api/plugins/${instance.name}${route.path}`,
  // A plugin does not say which role may call its route.
  permission: route.scope === "full" ? "owner" : route.scope,
  summary: route.summary,
  ...omitUndefined({query: route.query, body: route.body, stream: route.stream}),
  response: {[route.status ?? 200]: route.response ?? "*/*"},
  handle: async (request, call) => {
    const body = route.body === undefined ? undefined : await call.body()
    const {params, query, scope, requestId} = call
    const own = {params, query, scope, requestId, body, json: call.json.bind(call)}
    const given = await instance.run(() => route.handle(request, own as never), {requestId})
    if (!isResponse(given)) return toResponse(given, route, call, mode)
    const answer = instance.answer(given, {requestId})
    for (const [name, value] of call.json({}, null).headers)
      if (name !== "content-type" && !answer.headers.has(name)) answer.headers.set(name, value)
    return answer
  },
})

/** Throws an error for the log; the caller does not see it. It contains no value of the response. */
const toResponse = (given: unknown, {response, status = 200}: PluginRoute, call: Call, mode: Mode): Response => {
  if (response === undefined) throw new TypeError("the route returned no Response, and it has no response schema")
  if (given === undefined) throw new TypeError("the route returned nothing")
  const [wrong] = mode === "production" ? [] : explainUnseen(response, given)
  if (wrong === undefined) return call.json(response, given, {status})
  const where = wrong.path.length === 0 ? "" : `${wrong.path.join(".")}: `
  throw new TypeError(`the answer does not fit the route's response schema: ${where}${wrong.message}`)
}

/** Throws `not_found`. */
const findPluginRoute = (generation: Generation, method: PluginRoute["method"], {params}: Call) => {
  const owner: PluginPath = pluginPath(params.plugin ?? "")
  const path = `/${params["*"] ?? ""}`
  const fitting = generation.snapshot.routes.filter(
    ({instance, route}) => instance.path === owner && route.method === method && matches(route.path, path),
  )
  const [published] = fitting.sort((one, other) => (opennessOf(one) < opennessOf(other) ? -1 : 1))
  if (published === undefined) throw new Problem("not_found", `${owner} publishes no ${method} ${path}`)
  return {published, params: paramsOf(published.route.path, path)}
}

/** Of the routes that fit a path, the one with the smallest openness answers. */
const opennessOf = ({route}: PublishedRoute): string =>
  route.path
    .split("/")
    .map(part => (part.startsWith(":") ? 1 : 0))
    .join("")

const matches = (pattern: string, path: string): boolean => {
  const expected = pattern.split("/")
  const actual = path.split("/")
  return (
    expected.length === actual.length &&
    expected.every((part, index) => (part.startsWith(":") ? actual[index] !== "" : part === actual[index]))
  )
}

const paramsOf = (pattern: string, path: string): Record<string, string> => {
  const actual = path.split("/")
  return Object.fromEntries(
    pattern
      .split("/")
      .flatMap((part, index) => (part.startsWith(":") ? [[part.slice(1), decode(actual[index] ?? "")]] : [])),
  )
}

/** The longest parameter of a path, in characters. */
const longestParam = 1000

const decode = (part: string): string => {
  try {
    const decoded = decodeURIComponent(part)
    if (isId(decoded) && decoded.length <= longestParam) return decoded
  } catch {
    // It is not percent-encoded text.
  }
  const what = `percent-encoded text without NUL of at most ${longestParam} characters`
  throw new Problem("request_invalid", `"${part.slice(0, 100)}" in the path is not ${what}`)
}
