import {ConfirmRequest, Ready, ReloadResult, Status} from "../../../shared/api/api.ts"
import {ReadinessReport} from "../../../shared/api/readiness.ts"
import type {Route} from "../../../shared/sdk/route.ts"
import {type Static, Type} from "../../../shared/type.ts"

/** What the Host lets these routes see and ask; the actions are requests to the Host. */
export interface SystemServices {
  isReady(): boolean
  readiness(): ReadinessReport
  status(): Static<typeof Status>
  /** Throws what a draft throws, and `restart_required`. */
  reload(confirm: boolean): Promise<Static<typeof ReloadResult>>
  /** Begins an orderly end with exit code 51. Throws `no_supervisor` unless confirmed. */
  restart(confirm: boolean): void
}

const headers = {"cache-control": "no-store", "content-type": "application/json"} as const

/** What liveness answers, always: the process responds, and no more. */
export const health = {status: 200, headers, body: '{"status":"pass"}'} as const

/** What `/pub/ready` answers. */
export const readiness = {
  ready: {status: 200, headers, body: '{"ready":true}'},
  unready: {status: 503, headers, body: '{"ready":false}'},
} as const

/** The public probes, for their documentation and for CORS: else the gate answers them before the application. */
export const probeRoutes = (services: Pick<SystemServices, "isReady">): Route[] => [
  {
    method: "GET",
    path: "/pub/health",
    scope: "none",
    summary: "Does the process respond?",
    response: {200: Type.Object({status: Type.Literal("pass")})},
    handle: () => new Response(health.body, health),
  },
  {
    method: "GET",
    path: "/pub/ready",
    scope: "none",
    summary: "Is every required component ready?",
    response: {200: Ready, 503: Ready},
    handle: () => {
      const answer = services.isReady() ? readiness.ready : readiness.unready
      return new Response(answer.body, answer)
    },
  },
]

export const systemRoutes = (services: SystemServices): Route[] => [
  {
    method: "GET",
    path: "/api/system/readiness",
    scope: "full",
    summary: "The detailed readiness report",
    response: {200: ReadinessReport, 503: ReadinessReport},
    handle: (_, call) => {
      const report = services.readiness()
      return call.json(ReadinessReport, report, {status: report.ready ? 200 : 503})
    },
  },
  {
    method: "GET",
    path: "/api/system/status",
    scope: "demo",
    summary: "Which Host this is, and what it runs",
    response: {200: Status},
    handle: (_, call) => call.json(Status, services.status()),
  },
  {
    method: "POST",
    path: "/api/system/reload",
    scope: "full",
    summary: "Take the configuration file as it is now",
    body: ConfirmRequest,
    response: {200: ReloadResult, 202: ReloadResult},
    problems: [
      "config_invalid",
      "plugin_invalid",
      "plugin_missing",
      "plugin_timeout",
      "plugin_newer",
      "migration_refused",
      "restart_required",
      "no_supervisor",
    ],
    handle: async (_, call) => {
      const result = await services.reload(await isConfirmed(call.body()))
      return call.json(ReloadResult, result, {status: result.restarting === true ? 202 : 200})
    },
  },
  {
    method: "POST",
    path: "/api/system/restart",
    scope: "full",
    summary: "End the Host in order with exit code 51, so that its supervisor starts it again",
    body: ConfirmRequest,
    response: {202: Type.Object({restarting: Type.Boolean()})},
    problems: ["no_supervisor"],
    handle: async (_, call) => {
      services.restart(await isConfirmed(call.body()))
      return call.json(Type.Object({restarting: Type.Boolean()}), {restarting: true}, {status: 202})
    },
  },
]

const isConfirmed = async (body: Promise<unknown>) => ((await body) as Static<typeof ConfirmRequest>).confirm === true
