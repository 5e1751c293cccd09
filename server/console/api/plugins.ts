import {PageQuery, page} from "../../../shared/api/pages.ts"
import {PluginDetail, PluginSwitch, PluginView, pluginStates} from "../../../shared/api/plugin-views.ts"
import {GenerationView} from "../../../shared/api/system.ts"
import {type PluginPath, pluginPath} from "../../../shared/ids.ts"
import type {Mode} from "../../../shared/mode.ts"
import {Problem} from "../../../shared/problems.ts"
import type {PluginRoute} from "../../../shared/sdk/plugin/route.ts"
import {type Call, isResponse, type Operation, type Route} from "../../../shared/sdk/route.ts"
import {Optional, Type} from "../../../shared/type.ts"
import {explainUnseen} from "../../config/explain.ts"
import type {Generation, PublishedRoute} from "../../generation/generation.ts"
import type {Generations} from "../../generation/generations.ts"
import type {HandlerMeter} from "../../inbox/handler-meter.ts"
import {answering, isInState, pageOf} from "../operations.ts"
import {viewPlugin, viewPlugins} from "../plugin-views.ts"
import {type Foresight, viewCommitted} from "./generations.ts"

const PluginPage = page(PluginView)

const PluginQuery = Type.Object({
  ...PageQuery.properties,
  state: Optional.Enum([...pluginStates], {description: "Only plugins in this state"}),
})

export interface PluginServices {
  current(): Generation
  readonly identity: {readonly mode: Mode}
  readonly handlers: HandlerMeter
  /** Answers in the same way as the plugin's own route: with its scope, its time limit and its problems. */
  answer(route: Route): (request: Request, params: Readonly<Record<string, string>>) => Response | Promise<Response>
}

type ShownPlugins = Pick<PluginServices, "current" | "handlers">

export const listPlugins = ({current, handlers}: ShownPlugins): Operation => ({
  summary: "The plugin instances of the running generation and what they publish",
  query: PluginQuery,
  response: {200: PluginPage},
  handle: (_, call) => call.json(PluginPage, pageOf(viewPlugins(current(), handlers).filter(isInState(call)), call)),
})

export const showPlugin = ({current, handlers}: ShownPlugins): Operation => ({
  summary: "One plugin: what it publishes, its settings with their schema, and their place in the file",
  response: {200: PluginDetail},
  problems: ["plugin_unknown"],
  handle: (_, call) => call.json(PluginDetail, viewPlugin(current(), handlers, call.params.plugin ?? "")),
})

export const switchPlugin = answering({
  summary: "Disable or enable a plugin of the running configuration, as a new generation that is pinned",
  body: PluginSwitch,
  answer: GenerationView,
  problems: ["plugin_unknown", "conflict", "config_invalid", "plugin_invalid", "restart_required"],
  run: async ({body: {enabled}, params}, generations: Generations, foresight: Foresight) =>
    viewCommitted(generations, await generations.turn({name: params.plugin ?? "", enabled}), foresight),
})

/** Answers with whatever route the plugin of the path publishes for the method. */
export const answerPluginRoute = (
  method: PluginRoute["method"],
  {current, identity, answer}: PluginServices,
): Operation => ({
  summary: "A route that a plugin publishes",
  response: {},
  stream: true,
  admit: call => void findPluginRoute(current(), method, call),
  handle: (request, call) => {
    const {published, params} = findPluginRoute(current(), method, call)
    return answer(toRoute(published, identity.mode))(request, params)
  },
})

/** The plugins' routes for the document of the API. */
export const publishedRoutes = (generation: Generation): Route[] =>
  generation.snapshot.routes.map(published => toRoute(published))

const toRoute = ({instance, route}: PublishedRoute, mode: Mode = "production"): Route => ({
  method: route.method,
  path: `/api/plugins/${instance.name}${route.path}`,
  scope: route.scope,
  summary: route.summary,
  ...(route.query === undefined ? {} : {query: route.query}),
  ...(route.body === undefined ? {} : {body: route.body}),
  ...(route.stream === undefined ? {} : {stream: route.stream}),
  response: {[route.status ?? 200]: route.response ?? {}},
  handle: async (request, call) => {
    const body = route.body === undefined ? undefined : await call.body()
    const {params, query, scope, requestId} = call
    const own = {params, query, scope, requestId, body, json: call.json.bind(call)}
    const given = await instance.run(() => route.handle(request, own as never), {requestId})
    return isResponse(given) ? instance.answer(given, {requestId}) : toResponse(given, route, call, mode)
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
  const published = generation.snapshot.routes.find(
    ({instance, route}) => instance.path === owner && route.method === method && matches(route.path, path),
  )
  if (published === undefined) throw new Problem("not_found", `${owner} publishes no ${method} ${path}`)
  return {published, params: paramsOf(published.route.path, path)}
}

const matches = (pattern: string, path: string): boolean => {
  const expected = pattern.split("/")
  const actual = path.split("/")
  return (
    expected.length === actual.length && expected.every((part, index) => part.startsWith(":") || part === actual[index])
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

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw new Problem("request_invalid", `"${part.slice(0, 100)}" in the path is not percent-encoded text`, {cause})
  }
}
