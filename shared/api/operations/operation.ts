import {toJson} from "../../json.ts"
import type {ProblemCode} from "../../problems.ts"
import {type Call, isResponse, type ParamsOf, type Permission, type Route, type Scope} from "../../route.ts"
import type {Static, TSchema} from "../../type.ts"
import {PageQuery, page} from "../pages.ts"

/** What everybody knows of an operation: the document of the API, its client, and the handler that answers it. */
interface About extends Pick<Route, "perTurn" | "stream" | "streamsBody"> {
  readonly summary: string
  readonly query?: TSchema
  readonly body?: TSchema
  /** The schema of the JSON answer, or the content type of another answer. */
  readonly answer?: TSchema | string
  /** The status of the answer (default: 200). */
  readonly status?: number
  /** Instead of `answer`: the schema by status. */
  readonly answers?: Readonly<Record<number, TSchema>>
  readonly problems?: readonly ProblemCode[]
}

/** One operation of the API, without its handler: each part of the Host serves its own. */
export interface Operation<
  M extends Route["method"] = Route["method"],
  P extends string = string,
  A extends About = About,
> {
  readonly method: M
  readonly path: P
  readonly permission: Permission
  readonly about: A
}

/** A path that stands for several names makes one type for each. */
type Declared<M extends Route["method"], P extends string, A extends About> = P extends string
  ? Operation<M, P, A>
  : never

export const on =
  <M extends Route["method"]>(method: M) =>
  <const P extends string, const A extends About>(path: P, permission: Permission, about: A): Declared<M, P, A> =>
    ({method, path, permission, about}) as unknown as Declared<M, P, A>

export const get = on("GET")
export const post = on("POST")
export const put = on("PUT")

/** A list of the API, which clients read page by page. */
export const pages = <const P extends string, T extends TSchema>(
  path: P,
  permission: Permission,
  item: T,
  summary: string,
  problems: readonly ProblemCode[] = [],
) => get(path, permission, {summary, query: PageQuery, answer: page(item), problems})

export type QueryOf<O extends Operation> = O["about"] extends {readonly query: infer Q extends TSchema}
  ? Static<Q>
  : Readonly<Record<never, never>>

export type BodyOf<O extends Operation> = O["about"] extends {readonly body: infer B extends TSchema}
  ? Static<B>
  : undefined

/** What the answer's JSON has; undefined if the answer is not JSON. */
export type AnswerOf<O extends Operation> = O["about"] extends {readonly answers: infer S}
  ? Static<Extract<S[keyof S], TSchema>>
  : O["about"] extends {readonly answer: infer A extends TSchema}
    ? Static<A>
    : undefined

/** An answer with one of several statuses. `schema` is the one of several answers that marks its private fields. */
export class Reply<T> {
  readonly status: number
  readonly value: T
  readonly schema: TSchema | undefined

  constructor(status: number, value: T, schema?: TSchema) {
    this.status = status
    this.value = value
    this.schema = schema
  }
}

declare const content: unique symbol

/** A response that has this value as JSON. */
export type JsonResponse<T> = Response & {readonly [content]: T}

/** Returns a JSON response without the headers that every answer of the API has. */
export const jsonResponse = <const T>(value: T, init: ResponseInit): JsonResponse<T> =>
  new Response(toJson(value), init) as JsonResponse<T>

/** A request that has passed the operation's schemas. */
export interface Asked<O extends Operation> {
  readonly params: Readonly<Record<ParamsOf<O["path"]>, string>>
  readonly query: QueryOf<O>
  readonly body: BodyOf<O>
  readonly scope: Scope
  readonly request: Request
  readonly call: Call
}

/** Who gives a value may keep others from changing its lists. */
export type Unchanging<T> = T extends readonly (infer I)[]
  ? readonly Unchanging<I>[]
  : T extends object
    ? {readonly [K in keyof T]: Unchanging<T[K]>}
    : T

type Given<O extends Operation> = O["about"] extends {readonly answers: unknown}
  ? Reply<Unchanging<AnswerOf<O>>> | JsonResponse<Unchanging<AnswerOf<O>>>
  : O["about"] extends {readonly answer: string}
    ? Response
    : Unchanging<AnswerOf<O>> | Reply<Unchanging<AnswerOf<O>>> | JsonResponse<Unchanging<AnswerOf<O>>>

/** Does the work and returns the answer. A `Response` is for an answer that is not JSON. */
export type Handler<O extends Operation> = (asked: Asked<O>) => Given<O> | Promise<Given<O>>

type Handlers<T extends Readonly<Record<string, Operation>>> = {readonly [K in keyof T]: Handler<T[K]>}

/** Returns the routes of some operations, each with its handler. `checks` are those of all of them. */
export const serve = <T extends Readonly<Record<string, Operation>>>(
  table: T,
  handlers: Handlers<T>,
  checks: Pick<Route, "admit" | "limit"> = {},
): readonly Route[] =>
  Object.entries(table).map(([name, operation]) => ({
    ...checks,
    ...routeOf(operation, handlers[name] as unknown as AnyHandler),
  }))

type AnyHandler = (asked: Readonly<Record<keyof Asked<Operation>, unknown>>) => unknown

const routeOf = ({method, path, permission, about}: Operation, handler: AnyHandler): Route => {
  const {answer = {}, status = 200, answers, ...rest} = about
  const reply = (call: Call, given: unknown): Response => {
    if (isResponse(given)) return given
    if (given instanceof Reply)
      return call.json(given.schema ?? answers?.[given.status] ?? {}, given.value, {status: given.status})
    return call.json(answer as TSchema, given, {status})
  }
  const ask = (request: Request, call: Call, body: unknown): Response | Promise<Response> => {
    const {params, query, scope} = call
    const given = handler({params, query, body, scope, request, call})
    return given instanceof Promise ? given.then(each => reply(call, each)) : reply(call, given)
  }
  return {
    ...rest,
    method,
    path,
    permission,
    response: answers ?? {[status]: answer},
    handle:
      about.body === undefined
        ? (request, call) => ask(request, call, undefined)
        : async (request, call) => ask(request, call, await call.body()),
  }
}
