import {Type} from "../../type.ts"
import {StatusPage} from "../metrics/status-page.ts"
import {Ready} from "../system.ts"
import {get, on, post} from "./operation.ts"

/** The operations of browsers, probes, platforms and plugins. Clients of the API do not call them. */

export const probeOperations = {
  health: get("/pub/health", "none", {
    summary: "Does the process respond?",
    answer: Type.Object({status: Type.Literal("pass")}),
  }),
  ready: get("/pub/ready", "none", {summary: "Is every required component ready?", answers: {200: Ready, 503: Ready}}),
}

const ofConsole = {answer: "text/html", problems: ["console_missing", "not_found"]} as const

export const consoleOperations = {
  page: get("/console", "none", {summary: "The console, at /console/", ...ofConsole}),
  file: get("/console/*", "none", {summary: "The files of the console", ...ofConsole}),
}

export const statusPageOperations = {
  page: get("/status", "none", {
    summary: "The public status page, at /status/: the configuration's labels, each up or down",
    answer: "text/html",
    problems: ["not_found", "too_many_requests"],
  }),
  json: get("/status/status.json", "none", {
    summary: "The public status page as JSON",
    answer: StatusPage,
    problems: ["not_found", "too_many_requests"],
  }),
}

const ofPage = {
  summary: "A page of a plugin that the configuration lists",
  answer: "*/*",
  problems: ["too_many_requests", "body_too_large", "request_timeout", "no_room"],
} as const

export const pageOperations = {
  get: get("/pages/:plugin/*", "none", ofPage),
  post: post("/pages/:plugin/*", "none", ofPage),
}

const ofHook = {
  answer: Type.Unknown({description: "What the endpoint's adapter, or the Host for a plugin's webhook, answers"}),
  problems: [
    "endpoint_unknown",
    "upgrade_required",
    "signature_invalid",
    "too_many_failures",
    "body_too_large",
    "request_timeout",
    "no_room",
    "admission_closed",
    "ingress_paused",
  ],
} as const

export const hookOperations = {
  deliver: post("/hooks/:plugin/:endpoint", "signature", {
    summary: "A platform's webhook; its events are durable once this answers 2xx",
    ...ofHook,
  }),
  ask: get("/hooks/:plugin/:endpoint", "signature", {summary: "A platform's GET request to its webhook", ...ofHook}),
}

/** Whatever route the plugin of the path publishes for a method. */
export const publishedOn = <M extends Parameters<typeof on>[0]>(method: M) =>
  on(method)("/api/plugins/:plugin/*", "demo", {summary: "A route of a plugin", answer: "*/*", stream: true})
