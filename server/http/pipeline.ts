import {randomBytes} from "node:crypto"
import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {isPrivate, projectionOf} from "../../shared/private.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {type Call, type Route, type Scope, scopeOf} from "../../shared/route.ts"
import type {TSchema} from "../../shared/type.ts"
import {Running} from "../runtime/flow/running.ts"
import {TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import {type FixedAnswer, failedToAnswer, limits} from "../runtime/runtime.ts"
import {admit, type Gatekeeper} from "./door.ts"
import {type Answer, fixedJson, jsonTextAnswer, problemAnswer, type ScrubJson} from "./requests/answers.ts"
import type {Verify} from "./requests/auth.ts"
import {Bodies, type BodyHold} from "./requests/bodies.ts"
import {readBody, readJson, readQuery, requirePlain} from "./requests/body.ts"
import {createSignatureLimit, type Handle} from "./requests/signature-limit.ts"
import {TurnAnswers} from "./requests/turn-answers.ts"

export interface PipelineOptions extends Gatekeeper {
  /** Returns the client's address. It is needed only when a token is wrong. */
  readonly addressOf: (request: Request) => string
  readonly log: Log
  readonly scrub: ScrubJson
}

/** Creates request ids that are unique within and across runs: a random prefix and a counter. */
const createIds = (): (() => string) => {
  const prefix = randomBytes(6).toString("hex")
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}

/** Turns routes into answers, with authorisation, request id, time limit and problems. */
export const createPipeline = (options: PipelineOptions) => {
  const {scrub} = options
  const nextId = createIds()
  const inFlight = new Running()
  const limitUnsigned = createSignatureLimit(options.addressOf)
  const made = new TurnAnswers()
  // What a request changed shows in the next answer, even in the same turn.
  const bodies = new Bodies(made.forget)
  const toAnswer = (route: Route): Answer => {
    const needed = scopeOf(route.permission)
    const emptyQuery = route.query === undefined ? Object.freeze({}) : undefined
    const bare: Handle<RouteCall> = needed === "signature" ? withoutToken(options.verify, route.handle) : route.handle
    const whole = readsRawBody(route) ? withinLimit(bare, route) : bare
    const handle = needed === "signature" ? limitUnsigned(whole) : withinRate(whole, route, options)
    const remember: Asked["remember"] =
      route.perTurn && ((scope, json, status) => made.set(route, scope, fixedJson(json, nextId, status)))
    return (request, params) => {
      const requestId = nextId()
      const hold = route.method === "GET" ? none : bodies.open()
      try {
        const scope = authorize(options, needed, request)
        if (route.method !== "GET") requirePlain(request)
        const asked = {route, request, params, scope, requestId, query: emptyQuery, scrub, hold, remember}
        const answered = handle(request, new RouteCall(asked))
        if (!(answered instanceof Promise)) {
          hold.close()
          return answered
        }
        const explained = (error: unknown) => explain(error, requestId, route, options)
        const ended = hold === none ? answered : answered.finally(hold.close)
        if (route.stream === true) return ended.catch(explained)
        return inFlight.add(() => withTimeLimit(limits.requestTimeout, () => ended).catch(explained))
      } catch (error) {
        hold.close()
        return explain(error, requestId, route, options)
      }
    }
  }
  return {
    toAnswer,
    /** Returns this turn's answer to a GET of a route, if there is one for the scope of the `Authorization` header. */
    recall: (route: Route, authorization: string | null): FixedAnswer | undefined => {
      const known = made.of(route)
      const scope = known && options.verify(authorization)
      return scope && known?.get(scope)
    },
    refuse: (problem: Problem, headers?: Record<string, string>) => problemAnswer(problem, nextId(), headers, scrub),
    /** Resolves when no request is in progress, except for streams. */
    idle: async (): Promise<void> => void (await inFlight.ends()),
  }
}

const readsRawBody = ({method, body, streamsBody}: Route) =>
  method !== "GET" && body === undefined && streamsBody !== true

/** Passes the whole body to a handler. Refuses one above the limit; reads none if `admit` refuses. */
const withinLimit =
  (handle: Handle<RouteCall>, {admit, stream}: Route): Handle<RouteCall> =>
  async (request, call) => {
    admit?.(call)
    const declared = Number(request.headers.get("content-length") ?? Infinity)
    if (declared <= limits.smallBody && stream !== true) {
      call.hold.take(declared)
      return handleDeclared(handle, request, call)
    }
    const {url, method, headers, signal} = request
    const body = await readBody(request, call.hold)
    return handle(new Request(url, {method, headers, signal, body: body.length === 0 ? null : body}), call)
  }

const withinRate = (handle: Handle<RouteCall>, {limit}: Route, {addressOf}: PipelineOptions): Handle<RouteCall> =>
  limit === undefined
    ? handle
    : (request, call) => {
        limit(call, addressOf(request))
        return handle(request, call)
      }

/** The hold of a request without a body. */
const none: BodyHold = {take: () => {}, close: () => {}}

const handleDeclared = async (handle: Handle<RouteCall>, request: Request, call: RouteCall): Promise<Response> => {
  try {
    return await handle(request, call)
  } catch (cause) {
    if (cause instanceof Problem || !request.signal.aborted) throw cause
    throw new Problem("request_invalid", "the body arrived incomplete", {cause})
  }
}

/** Removes a Host token from the request: it grants nothing here, and no plugin may see it. */
const withoutToken =
  (verify: Verify, handle: Route["handle"]): Handle<RouteCall> =>
  async (request, call) => {
    if (verify(request.headers.get("authorization")) === undefined) return handle(request, call)
    const {url, method, signal} = request
    const headers = new Headers(request.headers)
    headers.delete("authorization")
    const body = request.body === null ? null : await request.arrayBuffer()
    return handle(new Request(url, {method, headers, signal, body}), call)
  }

const authorize = (options: PipelineOptions, needed: Scope, request: Request): Scope =>
  needed === "none" || needed === "signature"
    ? needed
    : admit(options, needed, request.headers.get("authorization"), () => options.addressOf(request))

const explain = (error: unknown, requestId: string, route: Route, {log, scrub}: PipelineOptions): Response => {
  if (error instanceof TimeLimitExceeded) {
    return problemAnswer(
      new Problem("request_timeout", `no answer within ${limits.requestTimeout / 1000} s`),
      requestId,
      closing,
    )
  }
  if (error instanceof Problem) {
    if (error.status >= 500)
      log.warn(`${route.method} ${route.path} failed: ${error.message}`, {requestId, code: error.code})
    return problemAnswer(error, requestId, endsConnection(error) ? closing : {}, scrub)
  }
  log.error(`${route.method} ${route.path} failed: ${messageOf(error)}`, {requestId, error})
  return problemAnswer(failedToAnswer(error), requestId)
}

const closing = {connection: "close"}

const endings: ReadonlySet<string> = new Set([
  "request_timeout",
  "no_room",
  "file_too_large",
  "files_full",
  "checkpoint_too_large",
  "checkpoint_no_space",
])

/** The rest of the body may be slow or large, so the connection closes instead. */
const endsConnection = ({code}: Problem): boolean => endings.has(code)

/** The parts of a call. `query` is undefined until the route's schema has read it. */
interface Asked extends Pick<Call, "params" | "scope" | "requestId"> {
  readonly route: Route
  readonly request: Request
  readonly query: Call["query"] | undefined
  readonly scrub: ScrubJson
  readonly hold: BodyHold
  readonly remember: ((scope: Scope, json: string, status?: number) => void) | undefined
}

class RouteCall implements Call {
  readonly params: Call["params"]
  readonly scope: Scope
  readonly requestId: string
  readonly hold: BodyHold
  readonly #asked: Asked
  #query: Call["query"] | undefined

  constructor(asked: Asked) {
    this.params = asked.params
    this.scope = asked.scope
    this.requestId = asked.requestId
    this.hold = asked.hold
    this.#asked = asked
    this.#query = asked.query
  }

  get query(): Call["query"] {
    this.#query ??= this.#readQuery()
    return this.#query
  }

  /** A demo token must not filter by a private field: the matches would reveal it. */
  #readQuery(): Call["query"] {
    const {route, request} = this.#asked
    const schema = route.query ?? {}
    const query = readQuery(request.url, schema)
    if (this.scope !== "demo") return query
    const {properties = {}} = schema as {readonly properties?: Readonly<Record<string, TSchema>>}
    const name = Object.keys(query).find(key => Object.hasOwn(properties, key) && isPrivate(properties[key]))
    if (name !== undefined)
      throw new Problem("forbidden", `a demo token may not filter by ${name}, which it does not see`)
    return query
  }

  body(): Promise<unknown> {
    return readJson(this.#asked.request, this.#asked.route.body ?? {}, this.hold)
  }

  json(schema: TSchema, value: unknown, init: {status?: number; headers?: Record<string, string>} = {}): Response {
    const strip = this.scope === "full" ? null : projectionOf(schema)
    const json = this.#asked.scrub(toJson(strip === null ? value : strip(value)))
    this.#asked.remember?.(this.scope, json, init.status)
    return jsonTextAnswer(json, this.requestId, init.status, init.headers)
  }
}
