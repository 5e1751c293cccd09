import {node} from "@elysiajs/node"
import {Elysia} from "elysia"
import type {Log} from "../../shared/log.ts"
import {Problem} from "../../shared/problems.ts"
import type {Route} from "../../shared/route.ts"
import type {Fetch, FixedAnswer, FixedChoice, PeerOf} from "../runtime/runtime.ts"
import type {Door} from "./door.ts"
import {createPipeline} from "./pipeline.ts"
import type {RequestMeter} from "./request-meter.ts"
import type {Answer, ScrubJson} from "./requests/answers.ts"

export interface AppOptions {
  /** The route table, with full paths. `answer` answers a route that is not in the table. */
  readonly routes: (answer: (route: Route) => Answer) => readonly Route[]
  readonly door: Door
  readonly log: Log
  readonly requests: RequestMeter
  /** Masks the values of secrets in a response. */
  readonly scrub: ScrubJson
}

export interface Answers {
  readonly fetch: Fetch
  /** Returns the answer that this turn of the event loop already has for the path; undefined if only `fetch` can answer. */
  readonly recall: (path: string, authorization: string | null) => FixedAnswer | undefined
}

export interface App extends Answers {
  /** Resolves when no request is in progress, except for streams. */
  idle(): Promise<void>
}

const methods: readonly Route["method"][] = ["POST", "GET", "PUT", "DELETE"]

interface Matched {
  readonly request: Request
  readonly params?: Readonly<Record<string, string>>
}

/** Elysia passes no params to the handler of a path without any. */
const noParams = {}

/** The HTTP application: Elysia routes, our pipeline answers. The only place that knows Elysia. */
export const createApp = ({routes, door, log, requests, scrub}: AppOptions): App => {
  // Only a HEAD enters the WeakMap: one entry for each request would cost Node's collector a quarter of its time.
  const heads = new WeakMap<Request, Request>()
  let peerOf: PeerOf = () => ""
  const {toAnswer, recall, refuse, idle} = createPipeline({
    ...door,
    addressOf: request => door.live().clientAddress(peerOf(heads.get(request) ?? request), request),
    log,
    scrub,
  })
  // Without standardHostname, Elysia takes a short Host header for a part of the path.
  const app = new Elysia({adapter: node(), handler: {standardHostname: false}, precompile: false})
  const recalls = new Map<string, FixedChoice>()
  for (const route of routes(toAnswer)) {
    const meter = requests.add(route)
    const answer = meter.measure(toAnswer(route))
    const handle = ({request, params}: Matched) => answer(request, params ?? noParams)
    // From the text of a function, which `bind` hides, Elysia guesses that it needs a promise.
    app.route(route.method, route.path, handle.bind(undefined))
    if (route.perTurn !== true) continue
    recalls.set(route.path, authorization => {
      const begun = performance.now()
      const known = recall(route, authorization)
      if (known !== undefined) meter.count(known.status, begun)
      return known
    })
  }
  // For Elysia a missing method is 404. With `app.all`, POST …/checkpoints/prune would hide GET …/checkpoints/:id.
  const methodsAt = (path: string) => methods.filter(method => hasRoute(app.router, method, path))
  app.onError(({request, path, code, error}) => {
    const begun = performance.now()
    const isUnmatched = code === "NOT_FOUND"
    if (!isUnmatched) log.error("the HTTP application failed", {error})
    const response = isUnmatched
      ? refuseUnmatched(refuse, request.method, path, methodsAt(path))
      : refuse(new Problem("internal", "the Host failed to answer"))
    requests.unmatched.count(response.status, begun)
    return response
  })
  app.compile()
  const answer = (request: Request): Response | Promise<Response> => {
    if (request.headers.get("origin") === null) return app.fetch(request)
    const {cors} = door.live()
    const preflight = cors.preflight(request)
    if (preflight !== undefined) return preflight
    const answered = app.fetch(request)
    return answered instanceof Promise
      ? answered.then(response => cors.decorate(request, response))
      : cors.decorate(request, answered)
  }
  /** Handles HEAD as GET: Elysia's own HEAD reads an endless stream, and calls no handler for a path with parameter. */
  const answerHead = async (request: Request): Promise<Response> => {
    const {url, headers, signal} = request
    const asGet = new Request(url, {headers, signal})
    heads.set(asGet, request)
    const response = await answer(asGet)
    await response.body?.cancel()
    return new Response(null, {status: response.status, headers: response.headers})
  }
  return {
    idle,
    recall: (path, authorization) => recalls.get(path)?.(authorization),
    fetch: (request, peer) => {
      peerOf = peer
      return request.method === "HEAD" ? answerHead(request) : answer(request)
    },
  }
}

/** Whether Elysia routes a method at a path. It stores paths without parameters separately. */
const hasRoute = ({http, static: fixed}: Elysia["router"], method: string, path: string): boolean =>
  http.find(method, path) !== null || fixed[path.replace(/\/$/, "")]?.[method] !== undefined

type Refuse = ReturnType<typeof createPipeline>["refuse"]

/** 404, or 405 if the path has other methods. */
const refuseUnmatched = (refuse: Refuse, method: string, path: string, methods: readonly string[]): Response =>
  methods.length === 0
    ? refuse(new Problem("not_found", `there is nothing at ${path.slice(0, 200)}`))
    : refuse(new Problem("method_not_allowed", `this path does not support ${method}`), {allow: methods.join(", ")})
