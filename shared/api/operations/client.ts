import type {ParamsOf} from "../../route.ts"
import type * as agents from "./agents.ts"
import type * as host from "./host.ts"
import type * as messages from "./messages.ts"
import type {AnswerOf, BodyOf, Operation, QueryOf} from "./operation.ts"
import type * as recovery from "./recovery.ts"
import type * as system from "./system.ts"
import type * as work from "./work.ts"

type ValuesOf<T> = T[keyof T]

/** The operations of all exported tables of a file. */
type In<File> = Extract<ValuesOf<{[K in keyof File]: ValuesOf<File[K]>}>, Operation>

type Operations =
  | In<typeof agents>
  | In<typeof host>
  | In<typeof messages>
  | In<typeof recovery>
  | In<typeof system>
  | In<typeof work>

type Method = Operation["method"]

export type Path<M extends Method> = Extract<Operations, {readonly method: M}>["path"]

export type At<M extends Method, P extends string> = Extract<Operations, {readonly method: M; readonly path: P}>

/** The answer of an operation, by its method and path. */
export type Answer<M extends Method, P extends Path<M>> = P extends Path<M> ? AnswerOf<At<M, P>> : never

type Value = string | number | boolean | null | undefined

/** What JSON sends as `T`: it leaves out undefined properties, and lists may be readonly. */
export type Sent<T> = T extends readonly (infer I)[]
  ? readonly Sent<I>[]
  : T extends object
    ? {readonly [K in keyof T]: Sent<T[K]> | (Readonly<Record<never, never>> extends Pick<T, K> ? undefined : never)}
    : T

/** The parameters of the path and the query by name, and the body. The Host checks the query; null leaves a name out. */
export type Input<O extends Operation> = {readonly [K in ParamsOf<O["path"]>]: string | number} & {
  readonly [K in keyof QueryOf<O>]?: Value
} & (undefined extends BodyOf<O>
    ? unknown
    : Readonly<Record<never, never>> extends BodyOf<O>
      ? {readonly body?: Sent<BodyOf<O>>}
      : {readonly body: Sent<BodyOf<O>>})

/** TypeScript allows any properties where a type has none: `Record<string, never>` does not. */
type Given<O extends Operation, Options> = [keyof Input<O>] extends [never]
  ? [input?: Readonly<Record<string, never>>, options?: Options]
  : Readonly<Record<never, never>> extends Input<O>
    ? [input?: Input<O>, options?: Options]
    : [input: Input<O>, options?: Options]

/** The operations of the API. Each call resolves to the JSON of the answer, and throws what the transport throws. */
export interface Client<Options> {
  get<P extends Path<"GET">>(path: P, ...given: Given<At<"GET", P>, Options>): Promise<Answer<"GET", P>>
  post<P extends Path<"POST">>(path: P, ...given: Given<At<"POST", P>, Options>): Promise<Answer<"POST", P>>
}

/** Sends one request. `path` has its parameters and its query. */
export type Send<Options> = (method: Method, path: string, body: unknown, options?: Options) => Promise<unknown>

type Values = Readonly<Record<string, unknown>>

/** Replaces `:seq` of a path by its value and adds the other values as a query. */
export const addressOf = (path: string, {body: _, ...values}: Values = {}): string => {
  const query = new Map(Object.entries(values))
  const whole = path.replace(/:(\w+)/g, (_, name: string) => {
    query.delete(name)
    return encodeURIComponent(String(values[name]))
  })
  const rest = [...query].flatMap(([name, value]) => ((value ?? null) === null ? [] : [[name, String(value)]]))
  return rest.length === 0 ? whole : `${whole}?${new URLSearchParams(rest)}`
}

/** The address of an operation whose answer is not JSON, such as a stream. */
export const streamAt: <P extends Path<"GET">>(path: P, input: Input<At<"GET", P>>) => string = addressOf

export const createClient = <Options>(send: Send<Options>): Client<Options> => {
  const call = (method: Method) => (path: string, input?: Values, options?: Options) =>
    send(method, addressOf(path, input), method === "GET" ? undefined : input?.body, options)
  return {get: call("GET"), post: call("POST")} as unknown as Client<Options>
}
