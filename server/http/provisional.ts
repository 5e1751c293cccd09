import {endpointOperations} from "../../shared/api/operations/messages.ts"
import {serve} from "../../shared/api/operations/operation.ts"
import type {Log} from "../../shared/log.ts"
import {Problem} from "../../shared/problems.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import {listEndpoints, type Required} from "../endpoints/part/endpoints.ts"
import {waitingEventRoutes} from "../events/routes.ts"
import type {SocketHooks} from "../runtime/runtime.ts"
import {version} from "../runtime/version.ts"
import {type Answers, createApp} from "./app.ts"
import {type ConsoleHosts, consoleRoutes} from "./console/pages.ts"
import {createDoor, type DoorOptions} from "./door.ts"
import {AddressRate} from "./public/rate.ts"
import {type ShownStatus, statusPageRoutes} from "./public/status.ts"
import {type SystemServices, statusRoutes} from "./readiness/routes.ts"
import {RequestMeter} from "./request-meter.ts"
import {problemAnswer, type ScrubJson} from "./requests/answers.ts"

export interface ProvisionalAppOptions extends DoorOptions {
  /** `http.base` of the configuration. */
  readonly base: string
  readonly log: Log
  readonly scrub: ScrubJson
  readonly system: Pick<SystemServices, "readiness" | "status">
  readonly endpoints: Endpoints
  readonly required: Required
  /** What must happen before the Host opens. */
  readonly waitsFor: keyof typeof refusals
  readonly project: string
  readonly consoleHosts: ConsoleHosts
  readonly status: ShownStatus
  /** Ends the event streams: from then on, the Host's own application answers. */
  readonly opened: AbortSignal
}

/** The `Retry-After` of all refusals, in seconds: platforms then deliver again. */
const retryAfter = 10

const refusals = {
  database: () =>
    new Problem(
      "database_unopenable",
      "the remote database does not answer yet: nothing is admitted, sent or changed",
      {retryAfter, hint: "The Host keeps retrying. svc doctor says why the database does not answer."},
    ),
  space: () =>
    new Problem("starting", "the Host is starting: it waits for free space on its disk", {
      retryAfter,
      hint: "Free space on its disk; the Host then continues to start. The readiness report says which disk is full.",
    }),
} as const

/**
 * The application of a Host without its database. It serves the console, the report, status and endpoints with the
 * token, and event streams that wait. Everything else gets 503 with `Retry-After`.
 */
export const createProvisionalApp = (options: ProvisionalAppOptions): Answers & {readonly sockets: SocketHooks} => {
  const {base, system, endpoints, required, waitsFor, project, consoleHosts, opened, log, scrub} = options
  const refuse = refusals[waitsFor]
  const routes = [
    ...statusRoutes(system, project, version),
    ...serve({list: endpointOperations.list}, {list: listEndpoints(endpoints, required)}),
    ...waitingEventRoutes(opened),
    ...statusPageRoutes(options.status, new AddressRate()),
    ...consoleRoutes(consoleHosts),
  ].map(route => ({...route, path: `${base}${route.path}`}))
  const paths = new Set(routes.map(({path}) => path))
  const isServed = (path: string) =>
    paths.has(path) || path === `${base}/status/` || path.startsWith(`${base}/console/`)
  const app = createApp({door: createDoor(options), log, scrub, requests: new RequestMeter(), routes: () => routes})
  return {
    recall: app.recall,
    fetch: (request, peerOf) =>
      isServed(new URL(request.url).pathname) ? app.fetch(request, peerOf) : problemAnswer(refuse(), "-"),
    sockets: {upgrade: () => problemAnswer(refuse(), "-")},
  }
}
