import type {Static, TSchema} from "../../type.ts"
import type {Call, Scope} from "../route.ts"

type Schema = TSchema | undefined

/** One request in the hands of a plugin's route. */
export interface PluginCall<B extends Schema = Schema, Q extends Schema = Schema> extends Omit<Call, "body" | "query"> {
  /** Parsed, and checked by the route's `body` schema before `handle` is called; undefined where there is none. */
  readonly body: B extends TSchema ? Static<B> : undefined
  /** Converted and checked by the route's `query` schema, with its defaults; empty where there is none. */
  readonly query: Q extends TSchema ? Readonly<Static<Q>> : Readonly<Record<string, never>>
}

/** What a route answers: a Response; with a `response` schema also the value, of which the Host makes a JSON Response. */
export type PluginAnswer<R extends Schema> = Response | (R extends TSchema ? Static<R> : never)

export interface PluginRoute<B extends Schema = Schema, Q extends Schema = Schema, R extends Schema = Schema> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Below `/api/plugins/<name>`, for example `/messages`. */
  readonly path: string
  readonly scope: Exclude<Scope, "none" | "signature">
  readonly summary: string
  readonly body?: B
  readonly query?: Q
  /**
   * Of the answer with `status`. In development and in tests the Host checks each value that `handle` returns; one that does not
   * fit is answered with 500, and the log names where it differs. What is marked `private` is left out for a demo token.
   */
  readonly response?: R
  /** What the route answers when all is well, as the OpenAPI document says it: 200 unless named. */
  readonly status?: number
  /** An endless answer: not held to the request time-out. */
  readonly stream?: boolean
  handle(request: Request, call: PluginCall<B, Q>): PluginAnswer<R> | Promise<PluginAnswer<R>>
}
