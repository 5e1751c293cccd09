import {type ProblemCode, problems} from "../../../shared/problems.ts"
import {type Route, scopeOf} from "../../../shared/route.ts"
import {Named, Optional, schemaName, Type} from "../../../shared/type.ts"
import type {Place} from "./named-schemas.ts"

const ProblemBody = Named("Problem", {
  type: Type.String({description: "urn:svc:problem:<code>"}),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String({description: "Stable; docs/reference/problems.md lists all"}),
  hint: Type.String({description: "What to do"}),
  requestId: Optional.String(),
  issues: Optional.Array(Type.Unknown()),
  current: Type.Optional(Type.Unknown({description: "The current value, if the request was for an older one"})),
})

export type ProblemAnswers = ReturnType<typeof createProblemAnswers>

export const createProblemAnswers = (place: Place) => {
  const shared = new Map<string, unknown>()
  const answer = (codes: readonly ProblemCode[]) => ({
    description: codes.map(code => `${code}: ${problems[code].title}`).join("; "),
    content: {"application/problem+json": {schema: place(ProblemBody, "full")}},
  })
  const refer = (code: ProblemCode) => {
    const name = schemaName(code)
    if (!shared.has(name)) shared.set(name, answer([code]))
    return {$ref: `#/components/responses/${name}`}
  }
  return {
    /** The problems of a route, by status. A status with one code refers to `components.responses`. */
    of: (route: Route) =>
      Object.fromEntries(
        [...Map.groupBy(codesOf(route), code => problems[code].status)]
          .filter(([status]) => !(status in route.response))
          .map(([status, codes]) => {
            const [only] = codes
            return [status, codes.length === 1 && only !== undefined ? refer(only) : answer(codes)]
          }),
      ),
    /** For `components.responses`, by name. */
    all: () => Object.fromEntries([...shared].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

/** The codes that the route names, and those of its scope, method, body and query. */
const codesOf = ({method, permission, problems: own = [], body, query}: Route): ReadonlySet<ProblemCode> => {
  const scope = scopeOf(permission)
  const isPublic = scope === "none" || scope === "signature"
  return new Set<ProblemCode>([
    ...(isPublic ? [] : (["unauthorized", "too_many_failures"] as const)),
    ...(scope === "full" ? (["forbidden"] as const) : []),
    ...own,
    ...(body === undefined ? [] : (["request_invalid", "body_too_large"] as const)),
    ...(method === "GET" ? [] : (["unsupported_media_type"] as const)),
    ...(query === undefined ? [] : (["request_invalid"] as const)),
  ])
}
