import type {Log} from "../../shared/log.ts"
import {Problem} from "../../shared/problems.ts"
import type {Route} from "../../shared/sdk/route.ts"
import {listEndpoints, type Required} from "../console/api/endpoints.ts"
import {awaitEvents} from "../console/api/events.ts"
import {type SystemServices, showReadiness, showStatus} from "../console/api/system.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {Fetch, SocketHooks} from "../runtime/runtime.ts"
import {problemAnswer, type ScrubJson} from "./answers.ts"
import {type AppOptions, createApp} from "./app.ts"
import {RequestMeter} from "./request-meter.ts"

export interface ProvisionalAppOptions extends Pick<AppOptions, "tokens" | "settings"> {
  /** `http.base` of the configuration. */
  readonly base: string
  readonly log: Log
  readonly scrub: ScrubJson
  readonly system: Pick<SystemServices, "readiness" | "status">
  readonly endpoints: Endpoints
  readonly required: Required
  /** Ends the event streams: from then on the Host's own application answers. */
  readonly opened: AbortSignal
}

/** The `Retry-After` of all other answers, in seconds: a platform delivers again by itself. */
const retryAfter = 10

const absent = () =>
  new Problem("database_unopenable", "the remote database does not answer yet: nothing is admitted, sent or changed", {
    retryAfter,
    hint: "The Host retries by itself. svc doctor --live tells why it does not answer.",
  })

/**
 * What a Host answers while it has no database: report, status and endpoints with the token, event streams that wait, and 503 with
 * `Retry-After` to everything else.
 */
export const createProvisionalApp = (options: ProvisionalAppOptions): {fetch: Fetch; sockets: SocketHooks} => {
  const {base, system, endpoints, required, opened, ...others} = options
  const get = (path: string, scope: Route["scope"], operation: ReturnType<typeof showReadiness>): Route => ({
    method: "GET",
    path: `${base}${path}`,
    scope,
    ...operation,
  })
  const routes = [
    get("/api/system/readiness", "full", showReadiness(system)),
    get("/api/system/status", "demo", showStatus(system)),
    get("/api/endpoints", "demo", listEndpoints(endpoints, required)),
    get("/api/events", "demo", awaitEvents(opened)),
  ]
  const paths = new Set(routes.map(({path}) => path))
  const app = createApp({...others, requests: new RequestMeter(), routes: () => routes})
  return {
    fetch: (request, peerOf) =>
      paths.has(new URL(request.url).pathname) ? app.fetch(request, peerOf) : problemAnswer(absent(), "-"),
    sockets: {upgrade: () => problemAnswer(absent(), "-")},
  }
}
