import {documentOperations} from "../../../shared/api/operations/host.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import {type Call, type Permission, type Route, type Scope, scopeOf} from "../../../shared/route.ts"
import {schemaName, type TSchema, Type} from "../../../shared/type.ts"
import {jsonTextAnswer} from "../requests/answers.ts"
import {createNamedSchemas, type Place} from "./named-schemas.ts"
import {createProblemAnswers, type ProblemAnswers} from "./problems.ts"
import {byTag, describeTags, tagOf} from "./tags.ts"

/** Serves the document. `document` makes a new one for each generation, and its text is made once. */
export const documentRoutes = (document: () => object) => {
  const texts = new WeakMap<object, Promise<string>>()
  const textOf = (made: object, call: Call): Promise<string> => {
    const text = texts.get(made) ?? call.json(Type.Object({}), made).text()
    texts.set(made, text)
    return text
  }
  return serve(documentOperations, {
    show: async ({call}) => jsonTextAnswer(await textOf(document(), call), call.requestId),
  })
}

const descriptions: Record<number, string> = {
  101: "A WebSocket",
  200: "Done",
  202: "Accepted",
  204: "Done",
  503: "Not ready",
}

const about = [
  "The API of one Host. A demo token does not get the fields that a schema marks x-private.",
  "A schema whose name ends with Full has them, for the full token.",
].join(" ")

/** Creates the OpenAPI 3.1 document of a route table with full paths. Operations' ids and tags contain no `base`. */
export const createOpenApi = (routes: readonly Route[], base: string, version: string) => {
  const paths: Record<string, Record<string, unknown>> = {}
  const used = new Set<string>()
  const schemas = createNamedSchemas()
  const parts = {place: schemas.place, refusals: createProblemAnswers(schemas.place)}
  const ownPath = ({path}: Route) => (path.startsWith(`${base}/`) ? path.slice(base.length) : path)
  const shown = routes.filter(each => !each.path.endsWith("*"))
  for (const route of byTag(shown, ownPath)) {
    const path = route.path.replace(/:([A-Za-z]\w*)/g, "{$1}")
    const own = ownPath(route)
    paths[path] = {...paths[path], [route.method.toLowerCase()]: operation(route, own, parts)}
    used.add(tagOf(own))
  }
  return {
    openapi: "3.1.0",
    info: {title: "svc Host", version, description: about, license: {name: "MIT", identifier: "MIT"}},
    servers: [{url: "/"}],
    security: [{fullToken: []}],
    tags: describeTags(used),
    paths,
    components: {
      schemas: schemas.all(),
      responses: parts.refusals.all(),
      securitySchemes: {
        fullToken: {
          type: "http",
          scheme: "bearer",
          description: "`http.token`, and `http.previousToken` until it expires: full access",
        },
        demoToken: {type: "http", scheme: "bearer", description: "`http.demoToken`: read access, no private fields"},
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
  signature: "The endpoint's adapter verifies the platform's own signature. A token has no effect.",
  demo: "Scope: demo or full.",
  full: "Scope: full.",
}

const describe = (permission: Permission): string => {
  const scope = scopeOf(permission)
  return scope === "full" ? `${scopeText.full} Permission: ${permission}.` : scopeText[scope]
}

const securityOf = (scope: Scope) => {
  if (scope === "none") return []
  if (scope === "signature") return [{signature: []}]
  return scope === "full" ? [{fullToken: []}] : [{demoToken: []}, {fullToken: []}]
}

interface Parts {
  readonly place: Place
  readonly refusals: ProblemAnswers
}

const operation = (route: Route, path: string, {place, refusals}: Parts) => ({
  operationId: operationId(route.method, path),
  summary: route.summary,
  description: describe(route.permission),
  "x-permission": route.permission,
  tags: [tagOf(path)],
  security: securityOf(scopeOf(route.permission)),
  parameters: [...pathParameters(route.path), ...queryParameters(route.query, place)],
  ...bodyOf(route, place),
  responses: {
    ...Object.fromEntries(
      Object.entries(route.response).map(([status, schema]) => [
        status,
        {
          description: descriptions[Number(status)] ?? "Done",
          ...contentOf(Number(status), schema, route.permission, place),
        },
      ]),
    ),
    ...refusals.of(route),
  },
})

const operationId = (method: Route["method"], path: string) =>
  method.toLowerCase() +
  path
    .split(/[/.]/)
    .filter(part => part !== "")
    .map(part => part.replace(/^:/, "by-"))
    .map(schemaName)
    .join("")

const pathParameters = (path: string) =>
  [...path.matchAll(/:([A-Za-z]\w*)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: {type: "string"},
  }))

const queryParameters = (query: TSchema | undefined, place: Place) => {
  const {properties = {}, required = []} = (query ?? {}) as {
    properties?: Record<string, TSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => {
    const {description, ...rest} = place(schema, "full") as {description?: string; default?: unknown}
    return {
      name,
      in: "query",
      required: required.includes(name) && rest.default === undefined,
      ...(description === undefined ? {} : {description}),
      schema: rest,
    }
  })
}

/** A body that may be left out counts as an empty object. */
const bodyOf = ({method, permission, body}: Route, place: Place) => {
  if (permission === "signature" && method === "POST")
    return {requestBody: {description: "As the platform sends it", content: {"*/*": {schema: {}}}}}
  if (body === undefined) return {}
  const {required = []} = body as {required?: readonly string[]}
  return {requestBody: {required: required.length > 0, content: {"application/json": {schema: place(body, "full")}}}}
}

const contentOf = (status: number, schema: TSchema | string, permission: Permission, place: Place) => {
  if (status === 101) return {}
  if (typeof schema === "string") return {content: {[schema]: schema === "*/*" ? {} : {schema: {type: "string"}}}}
  return {content: {"application/json": {schema: place(schema, permission === "demo" ? "demo" : "full")}}}
}
