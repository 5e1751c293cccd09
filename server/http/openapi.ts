import {type ProblemCode, problems} from "../../shared/problems.ts"
import type {Operation, Route, Scope} from "../../shared/sdk/route.ts"
import {type TSchema, Type} from "../../shared/type.ts"
import {describeTags, tagOf} from "./tags.ts"

const ProblemBody = Type.Object({
  type: Type.String({description: "urn:svc:problem:<code>"}),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String({description: "Stable; docs/reference/problems.md lists all"}),
  hint: Type.String({description: "What to do"}),
  requestId: Type.Optional(Type.String()),
  issues: Type.Optional(Type.Array(Type.Unknown())),
  current: Type.Optional(Type.Unknown({description: "What is there now, where the request was made against less"})),
})

/** The document of what `document` makes of the routes each time: a new generation may publish others. */
export const showOpenApi = (document: () => unknown): Operation => ({
  summary: "This API as an OpenAPI document",
  response: {200: Type.Object({})},
  handle: (_, call) => call.json(Type.Object({}), document()),
})

const descriptions: Record<number, string> = {
  101: "A WebSocket",
  200: "Done",
  202: "Accepted",
  204: "Done",
  503: "Not ready",
}

/** The OpenAPI 3.1 document of a route table with full paths. Ids and tags of operations say nothing of `base`. */
export const createOpenApi = (routes: readonly Route[], base: string, version: string) => {
  const paths: Record<string, Record<string, unknown>> = {}
  const used = new Set<string>()
  for (const route of routes.filter(each => !each.path.endsWith("*"))) {
    const path = route.path.replace(/:([A-Za-z]+)/g, "{$1}")
    const own = route.path.startsWith(`${base}/`) ? route.path.slice(base.length) : route.path
    paths[path] = {...paths[path], [route.method.toLowerCase()]: operation(route, own)}
    used.add(tagOf(own))
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "svc Host",
      version,
      description: "The API of one Host. What a schema marks x-private is left out for a demo token.",
    },
    servers: [{url: "/"}],
    security: [{fullToken: []}],
    tags: describeTags(used),
    paths,
    components: {
      schemas: {Problem: ProblemBody},
      securitySchemes: {
        fullToken: {type: "http", scheme: "bearer", description: "`http.token`: everything"},
        demoToken: {
          type: "http",
          scheme: "bearer",
          description: "`http.demoToken`: to observe, without what is private",
        },
        signature: {
          type: "apiKey",
          in: "header",
          name: "webhook-signature",
          description: "The platform's own signature; the header's name is the adapter's",
        },
      },
    },
  }
}

const scopeText: Record<Scope, string> = {
  none: "Public.",
  signature: "The platform's own signature, which the endpoint's adapter verifies. A token changes nothing.",
  demo: "Scope: demo or full.",
  full: "Scope: full.",
}

const securityOf = (scope: Scope) => {
  if (scope === "none") return []
  if (scope === "signature") return [{signature: []}]
  return scope === "full" ? [{fullToken: []}] : [{demoToken: []}, {fullToken: []}]
}

const operation = (route: Route, path: string) => ({
  operationId: operationId(route.method, path),
  summary: route.summary,
  description: scopeText[route.scope],
  tags: [tagOf(path)],
  security: securityOf(route.scope),
  parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
  ...bodyOf(route),
  responses: {
    ...Object.fromEntries(
      Object.entries(route.response).map(([status, schema]) => [status, answer(Number(status), schema, route.scope)]),
    ),
    ...problemAnswers(route),
  },
})

const operationId = (method: Route["method"], path: string) =>
  method.toLowerCase() +
  path
    .split(/[/.]/)
    .filter(part => part !== "")
    .map(part => part.replace(/^:/, "by-"))
    .map(part => part.replace(/(^|[-_])(\w)/g, (_, __, letter: string) => letter.toUpperCase()))
    .join("")

const pathParameters = (path: string) =>
  [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({name, in: "path", required: true, schema: {type: "string"}}))

const queryParameters = (query: TSchema | undefined) => {
  const {properties = {}, required = []} = (query ?? {}) as {
    properties?: Record<string, TSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => {
    const {description, ...rest} = toOpenApi(schema) as {description?: string}
    return {
      name,
      in: "query",
      required: required.includes(name),
      ...(description === undefined ? {} : {description}),
      schema: rest,
    }
  })
}

/** A body that may be left out stands for an empty object. */
const bodyOf = ({method, scope, body}: Route) => {
  if (scope === "signature" && method === "POST")
    return {requestBody: {description: "As the platform sends it", content: {"*/*": {schema: {}}}}}
  if (body === undefined) return {}
  const {required = []} = body as {required?: readonly string[]}
  return {requestBody: {required: required.length > 0, content: {"application/json": {schema: toOpenApi(body)}}}}
}

const answer = (status: number, schema: TSchema | string, scope: Scope) => ({
  description: descriptions[status] ?? "Done",
  ...(status === 101 ? {} : {content: contentOf(schema, scope)}),
})

const contentOf = (schema: TSchema | string, scope: Scope) =>
  typeof schema === "string"
    ? {[schema]: {schema: {type: "string"}}}
    : {"application/json": {schema: scope === "demo" ? asObserved(toOpenApi(schema)) : toOpenApi(schema)}}

const problemAnswers = (route: Route) => {
  const isPublic = route.scope === "none" || route.scope === "signature"
  const general: ProblemCode[] = isPublic ? [] : ["unauthorized", "too_many_failures"]
  const codes = new Set<ProblemCode>([
    ...general,
    ...(route.scope === "full" ? ["forbidden" as const] : []),
    ...(route.problems ?? []),
  ])
  if (route.body !== undefined)
    for (const code of ["request_invalid", "body_too_large", "unsupported_media_type"] as const) codes.add(code)
  if (route.query !== undefined) codes.add("request_invalid")
  const byStatus = Map.groupBy(codes, code => problems[code].status)
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => !(status in route.response))
      .map(([status, each]) => [
        status,
        {
          description: each.map(code => `${code}: ${problems[code].title}`).join("; "),
          content: {"application/problem+json": {schema: {$ref: "#/components/schemas/Problem"}}},
        },
      ]),
  )
}

/** What is private is left out for a demo token: where that is taken, nobody can count on it. */
const asObserved = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(asObserved)
  if (typeof schema !== "object" || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, asObserved(value)]))
  const {required, properties} = inner as {required?: unknown; properties?: Record<string, unknown>}
  if (!Array.isArray(required) || properties === undefined) return inner
  return {...inner, required: required.filter(name => !isPrivate(properties[name]))}
}

const isPrivate = (schema: unknown) => typeof schema === "object" && schema !== null && "x-private" in schema

/** A JSON schema with our own keyword spelt as an extension. */
const toOpenApi = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(toOpenApi)
  if (typeof schema !== "object" || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => (key === "private" ? ["x-private", value] : [key, toOpenApi(value)])),
  )
}
