import {IngressView, ReadinessReport} from "../../../shared/api/readiness.ts"
import {
  IngressRequest,
  Ready,
  ReloadResult,
  RestartRequest,
  RestartResult,
  SessionView,
  Status,
} from "../../../shared/api/system.ts"
import type {ProblemCode} from "../../../shared/problems.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import {type Static, Type} from "../../../shared/type.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import type {Foresee} from "../edit-config.ts"
import {answering} from "../operations.ts"

/** The options of a restart. */
export interface Asked {
  /** Restart even if no supervisor would restart the Host. */
  readonly confirm: boolean
  /** Skip the trial of the next start. */
  readonly force: boolean
}

/** The part of the Host that these routes see and control. */
export interface SystemServices {
  isReady(): boolean
  readiness(): ReadinessReport
  /** Resolves later only if it must ask git. */
  status(): Status | Promise<Status>
  readonly foresee: Foresee
  /** Throws what a draft throws, `restart_required`, and, if it needs a restart, what `restart` throws. */
  reload(asked: Asked): Promise<ReloadResult>
  /**
   * Tries the next start, then stops the Host with exit code 51. Throws `restart_limit`, `no_supervisor` unless
   * confirmed, and unless forced `trial_failed`, `not_tried`, and `conflict` while another trial runs.
   */
  restart(asked: Asked): Promise<Pick<RestartResult, "unready">>
}

/** The paths below `base` of the operations `perTurn`. */
export const polled = ["/api/system/readiness", "/api/system/status"] as const

const headers = {"cache-control": "no-store", "content-type": "application/json"} as const

/** The answer of liveness: it only says that the process responds. */
export const health = {status: 200, headers, body: '{"status":"pass"}'} as const

/** The answers of `/pub/ready`. */
export const readiness = {
  ready: {status: 200, headers, body: '{"ready":true}'},
  unready: {status: 503, headers, body: '{"ready":false}'},
} as const

/** The gate answers both probes before the application. The routes exist for the document of the API and for CORS. */
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
  perTurn: true,
  response: {200: ReadinessReport, 503: ReadinessReport},
  handle: (_, call) => {
    const report = services.readiness()
    return call.json(ReadinessReport, report, {status: report.ready ? 200 : 503})
  },
})

export const showStatus = (services: Pick<SystemServices, "status">): Operation => ({
  summary: "Which Host this is, and what it runs",
  perTurn: true,
  response: {200: Status},
  handle: (_, call) => {
    const status = services.status()
    return status instanceof Promise ? status.then(each => call.json(Status, each)) : call.json(Status, status)
  },
})

/** The console's first request: returns the scope of the token. */
export const showSession = (project: string, version: string): Operation => ({
  summary: "Which Host this is, and what the caller's token may do",
  response: {200: SessionView},
  handle: (_, call) => call.json(SessionView, {project, version, scope: call.scope}),
})

/** The problems of a new configuration, or of the restart that it needs. */
export const reloadProblems = [
  "config_invalid",
  "plugin_invalid",
  "plugin_missing",
  "plugin_timeout",
  "service_missing",
  "service_circular",
  "plugin_newer",
  "migration_refused",
  "restart_required",
  "no_supervisor",
  "restart_limit",
  "trial_failed",
  "not_tried",
  "conflict",
] as const satisfies readonly ProblemCode[]

export const reloadConfig = (services: SystemServices): Operation => ({
  summary: "Reload the configuration file",
  body: RestartRequest,
  response: {200: ReloadResult, 202: ReloadResult},
  problems: reloadProblems,
  handle: async (_, call) => {
    const {confirm = false, force = false} = (await call.body()) as Static<typeof RestartRequest>
    const result = await services.reload({confirm, force})
    return call.json(ReloadResult, result, {status: result.restarting === true ? 202 : 200})
  },
})

export const restartHost = answering({
  summary: "Try the next start, then stop the Host with exit code 51, so that its supervisor restarts it",
  body: RestartRequest,
  answer: RestartResult,
  status: 202,
  problems: ["no_supervisor", "restart_limit", "trial_failed", "not_tried", "conflict"],
  run: async ({body: {confirm = false, force = false}}, services: SystemServices) => ({
    restarting: true,
    ...(await services.restart({confirm, force})),
  }),
})

export const showIngress = (ingress: Ingress): Operation => ({
  summary: "Is ingress open or paused, why, and since when?",
  response: {200: IngressView},
  handle: (_, call) => call.json(IngressView, ingress.view),
})

export const pauseIngress = answering({
  summary: "Pause ingress: admit no events and accept no new sends, across restarts, until resumed",
  body: IngressRequest,
  answer: IngressView,
  run: async ({body: {reason = "operator"}}, ingress: Ingress) => {
    await ingress.pause(reason)
    return ingress.view
  },
})

export const resumeIngress = answering({
  summary: "Remove one reason for the pause; ingress opens when none is left",
  body: IngressRequest,
  answer: IngressView,
  run: async ({body: {reason = "operator"}}, ingress: Ingress) => {
    await ingress.resume(reason)
    return ingress.view
  },
})
