import type {Log} from "../../shared/log.ts"
import {Problem} from "../../shared/problems.ts"
import type {Operation, Route} from "../../shared/sdk/route.ts"
import {listEndpoints, type Required} from "../console/api/endpoints.ts"
import {awaitEvents} from "../console/api/events.ts"
import {type SystemServices, showReadiness, showSession, showStatus} from "../console/api/system.ts"
import {ConsoleFiles} from "../console/files.ts"
import {type ConsoleHosts, openConsole, readConsole} from "../console/pages.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {SocketHooks} from "../runtime/runtime.ts"
import {version} from "../runtime/version.ts"
import {problemAnswer, type ScrubJson} from "./answers.ts"
import {type Answers, createApp} from "./app.ts"
import {createDoor, type DoorOptions} from "./door.ts"
import {AddressRate} from "./public/rate.ts"
import {openStatusPage, type ShownStatus, showStatusPage} from "./public/status.ts"
import {RequestMeter} from "./request-meter.ts"

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
  const files = new ConsoleFiles()
  const rate = new AddressRate()
  const get = (path: string, scope: Route["scope"], operation: Operation): Route => ({
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
    get("/api/session", "demo", showSession(project, version)),
    get("/status", "none", openStatusPage(options.status, rate)),
    get("/status/status.json", "none", showStatusPage(options.status, rate)),
    get("/console", "none", openConsole(files, consoleHosts)),
    get("/console/*", "none", readConsole(files, consoleHosts)),
  ]
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
