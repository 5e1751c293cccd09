import type {ProblemCode} from "../problems.ts"
import type {TSchema} from "../type.ts"

/**
 * What a caller must show: nothing, the platform's own signature (the endpoint's adapter verifies it), the demo token
 * (observation) or the full token.
 */
export type Scope = "none" | "signature" | "demo" | "full"

/** One request in the hands of its route. */
export interface Call {
  readonly params: Readonly<Record<string, string>>
  /** Checked and converted by the route's `query` schema. */
  readonly query: Readonly<Record<string, unknown>>
  /** The scope of the token that was shown. */
  readonly scope: Scope
  readonly requestId: string
  /** Parsed and checked by the route's `body` schema. Throws `request_invalid`, `body_too_large`. */
  body(): Promise<unknown>
  /** A JSON answer; what the schema marks `private` is left out for a demo token. */
  json(schema: TSchema, value: unknown, init?: {status?: number; headers?: Record<string, string>}): Response
}

/** What a route does, wherever the table of routes puts it. */
export interface Operation {
  readonly summary: string
  readonly query?: TSchema
  readonly body?: TSchema
  /** Schema of the answer by status; a content type where it is not JSON. */
  readonly response: Readonly<Record<number, TSchema | string>>
  readonly problems?: readonly ProblemCode[]
  /** An endless answer: not held to the request time-out. */
  readonly stream?: boolean
  /** Refuses who asks too often, before anything is read: `address` is the client's. Throws the `Problem`. */
  readonly limit?: (call: Call, address: string) => void
  /** For a route that reads the body by itself: refuses the request before anything of the body is read. Throws the `Problem`. */
  readonly admit?: (call: Call) => void
  /** The route streams the body under limits of its own: nothing of it is read or counted before. */
  readonly streamsBody?: boolean
  handle(request: Request, call: Call): Response | Promise<Response>
}

/** A route is data: the table of all routes is the API, its documentation and its authorisation. */
export interface Route extends Operation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** With `:name` for a parameter. */
  readonly path: string
  readonly scope: Scope
}

/**
 * What a plugin returns is not checked by its types alone; no answer must not count as one. A value that only looks like one, with
 * a `status` and `headers` of its own, is none.
 */
export const isResponse = (value: unknown): value is Response =>
  typeof value === "object" && value !== null && "status" in value && "headers" in value && "arrayBuffer" in value
