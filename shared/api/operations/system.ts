import type {ProblemCode} from "../../problems.ts"
import {IngressView, ReadinessReport} from "../readiness.ts"
import {IngressRequest, ReloadResult, RestartRequest, RestartResult, SessionView, Status} from "../system.ts"
import {get, post} from "./operation.ts"

/** The operations on the running process. A starting Host loads them, so they need few schemas. */

export const statusOperations = {
  session: get("/api/session", "demo", {summary: "Which Host this is, and what the token may do", answer: SessionView}),
  readiness: get("/api/system/readiness", "viewer", {
    summary: "The detailed readiness report",
    perTurn: true,
    answers: {200: ReadinessReport, 503: ReadinessReport},
  }),
  status: get("/api/system/status", "demo", {summary: "The Host, and what it runs", perTurn: true, answer: Status}),
}

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

export const systemOperations = {
  reload: post("/api/system/reload", "owner", {
    summary: "Reload the configuration file",
    body: RestartRequest,
    answers: {200: ReloadResult, 202: ReloadResult},
    problems: reloadProblems,
  }),
  restart: post("/api/system/restart", "owner", {
    summary: "Try the next start, then stop the Host with exit code 51, so that its supervisor restarts it",
    body: RestartRequest,
    answer: RestartResult,
    status: 202,
    problems: ["no_supervisor", "restart_limit", "trial_failed", "not_tried", "conflict"],
  }),
}

export const ingressOperations = {
  show: get("/api/ingress", "demo", {summary: "Is ingress open or paused, why, and since when?", answer: IngressView}),
  pause: post("/api/ingress/pause", "operator", {
    summary: "Pause ingress: admit no events and accept no new sends, across restarts, until resumed",
    body: IngressRequest,
    answer: IngressView,
  }),
  resume: post("/api/ingress/resume", "operator", {
    summary: "Remove one reason for the pause; ingress opens when none is left",
    body: IngressRequest,
    answer: IngressView,
  }),
}
