import {ReadinessReport} from "../../../shared/api/readiness.ts"
import {ConfirmRequest, Ready, ReloadResult, Status} from "../../../shared/api/system.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import {type Static, Type} from "../../../shared/type.ts"

/** What the Host lets these routes see and ask; the actions are requests to the Host. */
export interface SystemServices {
  isReady(): boolean
  readiness(): ReadinessReport
  status(): Static<typeof Status>
  /** Throws what a draft throws, and `restart_required`. */
  reload(confirm: boolean): Promise<Static<typeof ReloadResult>>
  /** Begins an orderly end with exit code 51. Throws `restart_limit`, and `no_supervisor` unless confirmed. */
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

/** The gate answers both probes before the application; here they are for the API's document and for CORS. */
export const showHealth = (): Operation => ({
  summary: "Does the process respond?",
  response: {200: Type.Object({status: Type.Literal("pass")})},
  handle: () => new Response(health.body, health),
})

export const showReady = (services: Pick<SystemServices, "isReady">): Operation => ({
  summary: "Is every required component ready?",
  response: {200: Ready, 503: Ready},
  handle: () => {
    const answer = services.isReady() ? readiness.ready : readiness.unready
    return new Response(answer.body, answer)
  },
})

export const showReadiness = (services: Pick<SystemServices, "readiness">): Operation => ({
  summary: "The detailed readiness report",
  response: {200: ReadinessReport, 503: ReadinessReport},
  handle: (_, call) => {
    const report = services.readiness()
    return call.json(ReadinessReport, report, {status: report.ready ? 200 : 503})
  },
})

export const showStatus = (services: SystemServices): Operation => ({
  summary: "Which Host this is, and what it runs",
  response: {200: Status},
  handle: (_, call) => call.json(Status, services.status()),
})

export const reloadConfig = (services: SystemServices): Operation => ({
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
    "restart_limit",
  ],
  handle: async (_, call) => {
    const result = await services.reload(await isConfirmed(call.body()))
    return call.json(ReloadResult, result, {status: result.restarting === true ? 202 : 200})
  },
})

export const restartHost = (services: SystemServices): Operation => ({
  summary: "End the Host in order with exit code 51, so that its supervisor starts it again",
  body: ConfirmRequest,
  response: {202: Type.Object({restarting: Type.Boolean()})},
  problems: ["no_supervisor", "restart_limit"],
  handle: async (_, call) => {
    services.restart(await isConfirmed(call.body()))
    return call.json(Type.Object({restarting: Type.Boolean()}), {restarting: true}, {status: 202})
  },
})

const isConfirmed = async (body: Promise<unknown>) => ((await body) as Static<typeof ConfirmRequest>).confirm === true
