import type {ProblemCode} from "./problems.ts"
import type {TSchema} from "./type.ts"

/** A caller's credentials: none, the platform's signature, which the adapter verifies, the demo or the full token. */
export type Scope = "none" | "signature" | "demo" | "full"

/**
 * What the caller of a route must be: anybody, a platform that signs its request, somebody with the demo token, or a
 * role. `viewer` also sees private fields, `operator` acts on messages and work, and `owner` on the Host itself. The
 * full token has each role.
 */
export type Permission = "none" | "signature" | "demo" | "viewer" | "operator" | "owner"

/** The scope that a token needs for a permission. */
export const scopeOf = (permission: Permission): Scope =>
  permission === "viewer" || permission === "operator" || permission === "owner" ? "full" : permission

/** The parameters of a path, such as `seq` of `/api/inbox/:seq`; `*` is the rest of a path that ends with it. */
export type ParamsOf<P extends string> = P extends `${infer Before}/*`
  ? "*" | ParamsOf<Before>
  : P extends `${string}/:${infer N}/${infer Rest}`
    ? N | ParamsOf<`/${Rest}`>
    : P extends `${string}/:${infer N}`
      ? N
      : never

/** One request, as its route receives it. */
export interface Call {
  readonly params: Readonly<Record<string, string>>
  /** The query parameters, converted and checked by the route's `query` schema. */
  readonly query: Readonly<Record<string, unknown>>
  readonly scope: Scope
  readonly requestId: string
  /** Returns the body, parsed and checked by the route's `body` schema. Throws `request_invalid`, `body_too_large`. */
  body(): Promise<unknown>
  /** Returns a JSON response. For a demo token it leaves out what the schema marks `private`. */
  json(schema: TSchema, value: unknown, init?: {status?: number; headers?: Record<string, string>}): Response
}

/** A route is data: the table of all routes defines the API, its documentation and its authorization. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** The path, with `:name` for a parameter. */
  readonly path: string
  readonly permission: Permission
  readonly summary: string
  readonly query?: TSchema
  readonly body?: TSchema
  /** The schema of the response by status, or a content type if the response is not JSON. */
  readonly response: Readonly<Record<number, TSchema | string>>
  readonly problems?: readonly ProblemCode[]
  /** The JSON is the same for all requests of one turn of the event loop with the same scope: one made may answer all. */
  readonly perTurn?: true
  /** An endless response, exempt from the request timeout. */
  readonly stream?: boolean
  /** Rejects clients with too many requests, before anything is read, by their `address`. Throws the `Problem`. */
  readonly limit?: (call: Call, address: string) => void
  /** For a route that reads the body itself: rejects the request before the body is read. Throws the `Problem`. */
  readonly admit?: (call: Call) => void
  /** The route streams the body under its own limits: nothing is read or counted before. */
  readonly streamsBody?: boolean
  handle(request: Request, call: Call): Response | Promise<Response>
}

/** Types do not check what a plugin returns. An object with only its own `status` and `headers` does not count. */
export const isResponse = (value: unknown): value is Response =>
  typeof value === "object" && value !== null && "status" in value && "headers" in value && "arrayBuffer" in value
