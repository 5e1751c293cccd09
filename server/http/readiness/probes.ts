import {Ready} from "../../../shared/api/system.ts"
import type {Route} from "../../../shared/route.ts"
import {Type} from "../../../shared/type.ts"

const headers = {"cache-control": "no-store", "content-type": "application/json"} as const

/** The answer of liveness: it only says that the process responds. */
export const health = {status: 200, headers, body: '{"status":"pass"}'} as const

/** The answers of `/pub/ready`. */
export const readiness = {
  ready: {status: 200, headers, body: '{"ready":true}'},
  unready: {status: 503, headers, body: '{"ready":false}'},
} as const

const probe = (path: string, about: Pick<Route, "summary" | "response" | "handle">): Route => ({
  method: "GET",
  path,
  permission: "none",
  ...about,
})

/** The gate answers both probes before the application. The routes exist for the document of the API and for CORS. */
export const probeRoutes = (isReady: () => boolean): readonly Route[] => [
  probe("/pub/health", {
    summary: "Does the process respond?",
    response: {200: Type.Object({status: Type.Literal("pass")})},
    handle: () => new Response(health.body, health),
  }),
  probe("/pub/ready", {
    summary: "Is every required component ready?",
    response: {200: Ready, 503: Ready},
    handle: () => {
      const answer = isReady() ? readiness.ready : readiness.unready
      return new Response(answer.body, answer)
    },
  }),
]
