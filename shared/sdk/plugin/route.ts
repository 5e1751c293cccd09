import type {Call, ParamsOf, Scope} from "../../route.ts"
import type {Static, TSchema} from "../../type.ts"

type Schema = TSchema | undefined

/** One request, as a plugin's route receives it. */
export interface PluginCall<B extends Schema = Schema, Q extends Schema = Schema, P extends string = string>
  extends Omit<Call, "body" | "query" | "params"> {
  /** The parameters of the path, percent-decoded: each is text of 1 to 1,000 characters without NUL. */
  readonly params: string extends P ? Call["params"] : {readonly [Name in ParamsOf<P>]: string}
  /** The body, parsed and checked by the route's `body` schema before `handle` runs; undefined without a schema. */
  readonly body: B extends TSchema ? Static<B> : undefined
  /** The query parameters, converted and checked by the route's `query` schema, with defaults; empty without one. */
  readonly query: Q extends TSchema ? Readonly<Static<Q>> : Readonly<Record<string, never>>
}

/** A route's response: a Response, or with a `response` schema also a value, which svc turns into a JSON Response. */
export type PluginAnswer<R extends Schema> = Response | (R extends TSchema ? Static<R> : never)

export interface PluginRoute<
  B extends Schema = Schema,
  Q extends Schema = Schema,
  R extends Schema = Schema,
  P extends string = string,
> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /**
   * The path below `/api/plugins/<name>`, such as `/messages` or `/messages/:id`. Where two routes fit a path, the one
   * with a fixed part at their first difference answers.
   */
  readonly path: P
  readonly scope: Exclude<Scope, "none" | "signature">
  readonly summary: string
  readonly body?: B
  readonly query?: Q
  /**
   * The schema of the response with `status`. In development and in tests the Host checks each value that `handle`
   * returns; if one does not fit, the Host responds with 500 and logs where it differs. A demo token does not see
   * fields marked `private`.
   */
  readonly response?: R
  /** The status of a successful response, also in the OpenAPI document; 200 when left out. */
  readonly status?: number
  /** An endless response, exempt from the request timeout. */
  readonly stream?: boolean
  handle(request: Request, call: PluginCall<B, Q, NoInfer<P>>): PluginAnswer<R> | Promise<PluginAnswer<R>>
}
