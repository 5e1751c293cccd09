import {itemCommands} from "../../shared/api/item-rules.ts"
import type {Operation, Route, Scope} from "../../shared/sdk/route.ts"
import * as agentApi from "../console/api/agents/runs.ts"
import * as checkpointApi from "../console/api/checkpoints.ts"
import * as configApi from "../console/api/config/file.ts"
import {checkDatabase, compactDatabase, rescueDatabase, showCompaction, showDatabase} from "../console/api/database.ts"
import {askPlatform, listEndpoints, listGaps, reconnectEndpoint} from "../console/api/endpoints.ts"
import {listEvents, streamEvents} from "../console/api/events.ts"
import {listGenerations, rollBackGeneration, showGenerationConfig, unpinGeneration} from "../console/api/generations.ts"
import {actOnFoundEvents, actOnInboxEvent, listInbox, redactInboxEvent, showInboxEvent} from "../console/api/inbox.ts"
import * as monitoringApi from "../console/api/monitoring.ts"
import {
  actOnFoundMessages,
  actOnMessage,
  listOutbox,
  redactMessage,
  sendMessage,
  showMessage,
} from "../console/api/outbox.ts"
import * as pluginApi from "../console/api/plugins.ts"
import {showRates} from "../console/api/rates.ts"
import {abortRelease, beginRelease, completeRelease, listReleases, recordVerification} from "../console/api/releases.ts"
import {cancelRun, listRuns, showRun} from "../console/api/runs.ts"
import * as jobApi from "../console/api/scheduled/jobs.ts"
import {
  actOnTimer,
  addTimer,
  checkTimer,
  cutTimers,
  editTimer,
  listTimers,
  showTimer,
} from "../console/api/scheduled/timers.ts"
import {listLogRecords, listLogRuns, showConfig} from "../console/api/settings.ts"
import * as systemApi from "../console/api/system.ts"
import {showTrail} from "../console/api/trail.ts"
import {showMay, showPermissions} from "../console/api/users/permissions.ts"
import {exportUser, forgetUser} from "../console/api/users/users.ts"
import * as workroomApi from "../console/api/workroom.ts"
import {ConsoleFiles} from "../console/files.ts"
import {openConsole, readConsole} from "../console/pages.ts"
import {version} from "../runtime/version.ts"
import {methods} from "../satori/methods.ts"
import {askLogin, forwardMethod, listLogins, openInternal, requireUpgrade, uploadFiles} from "../satori/routes.ts"
import {createOpenApi, showOpenApi} from "./openapi/document.ts"
import {Pages} from "./public/pages.ts"
import {AddressRate} from "./public/rate.ts"
import {openStatusPage, showStatusPage} from "./public/status.ts"
import type {Services} from "./services.ts"
import {answerPlatform, takeWebhook} from "./webhooks.ts"

/** The parts of the Host that the routes need, and what the API adds. */
export interface RouteServices extends Services, Omit<pluginApi.PluginServices, "identity"> {
  readonly system: systemApi.SystemServices
  readonly metrics: monitoringApi.MetricsService
  readonly alerts: monitoringApi.AlertsService
}

const on = (method: Route["method"], path: string, scope: Scope, operation: Operation): Route => ({
  method,
  path,
  scope,
  ...operation,
})
const get = (path: string, scope: Scope, operation: Operation) => on("GET", path, scope, operation)
const post = (path: string, scope: Scope, operation: Operation) => on("POST", path, scope, operation)

/** All routes of the Host. All but the public probes are below `base`. */
export const createRoutes = (services: RouteServices, base: string): readonly Route[] => {
  const underBase = (routes: readonly Route[]) => routes.map(route => ({...route, path: `${base}${route.path}`}))
  const probes = [
    get("/pub/health", "none", systemApi.showHealth()),
    get("/pub/ready", "none", systemApi.showReady(services.system)),
  ]
  const published = () => pluginApi.publishedRoutes(services.current())
  const render = () => createOpenApi([...probes, ...underBase([...api, ...published()])], base, version)
  const document = oncePer(services.current, render)
  const api = routesBelowBase(services, document)
  return [...probes, ...underBase(api)]
}

/** Makes the value again only when the subject changes. */
const oncePer = <T>(subject: () => object, make: () => T): (() => T) => {
  let made: {readonly of: object; readonly value: T} | undefined
  return () => {
    const now = subject()
    if (made?.of !== now) made = {of: now, value: make()}
    return made.value
  }
}

/** The route table: method, path, scope of the token, and operation; grouped by the tags of the document. */
const routesBelowBase = (services: RouteServices, document: () => object): readonly Route[] => {
  const {identity, system, current, generations, endpoints, database, inbox, outbox, ingress, jobs, timers} = services
  const {agents, bindings, events, workroom, checkpoints, uploads, releases, capacity, placeWatch, users} = services
  const {logs, metrics} = services
  const satori = {
    logins: services.satori.logins,
    database,
    outbox,
    endpoints,
    files: services.files,
    privateHosts: () => current().config.config.files.allowPrivate,
  }
  const files = new ConsoleFiles()
  const rate = new AddressRate()
  const pages = new Pages(services.current, rate)
  const consoleHosts = () => current().config.config.http.consoleHosts
  const required = () => current().config.config.http.readiness.endpoints
  return [
    get("/api/session", "demo", systemApi.showSession(identity.project, version)),

    get("/api/system/readiness", "full", systemApi.showReadiness(system)),
    get("/api/system/status", "demo", systemApi.showStatus(system)),
    post("/api/system/reload", "full", systemApi.reloadConfig(system)),
    post("/api/system/restart", "full", systemApi.restartHost(system)),

    get("/api/events", "demo", streamEvents(events)),
    get("/api/events/history", "demo", listEvents(events)),

    get("/api/endpoints", "demo", listEndpoints(endpoints, required, database)),
    post("/api/endpoints/:name/check", "full", askPlatform(endpoints)),
    post("/api/endpoints/:name/reconnect", "full", reconnectEndpoint(endpoints)),

    get("/api/inbox", "demo", listInbox(database)),
    get("/api/inbox/gaps", "demo", listGaps(database)),
    get("/api/inbox/:seq", "demo", showInboxEvent(database)),
    get("/api/inbox/:seq/trail", "full", showTrail(services)),
    post("/api/inbox/:seq/retry", "full", actOnInboxEvent(inbox, "retry")),
    post("/api/inbox/:seq/release", "full", actOnInboxEvent(inbox, "release")),
    post("/api/inbox/:seq/discard", "full", actOnInboxEvent(inbox, "discard")),
    post("/api/inbox/:seq/hold", "full", actOnInboxEvent(inbox, "hold")),
    post("/api/inbox/:seq/redact", "full", redactInboxEvent(database)),
    post("/api/inbox/bulk", "full", actOnFoundEvents(database, inbox)),

    get("/api/outbox", "demo", listOutbox(database)),
    get("/api/outbox/:id", "demo", showMessage(database)),
    post("/api/outbox", "full", sendMessage(outbox, endpoints)),
    post("/api/outbox/:id/retry", "full", actOnMessage(outbox, "retry")),
    post("/api/outbox/:id/release", "full", actOnMessage(outbox, "release")),
    post("/api/outbox/:id/discard", "full", actOnMessage(outbox, "discard")),
    post("/api/outbox/:id/hold", "full", actOnMessage(outbox, "hold")),
    post("/api/outbox/:id/redact", "full", redactMessage(database, services.files)),
    post("/api/outbox/bulk", "full", actOnFoundMessages(database, outbox)),

    get("/api/timers", "demo", listTimers(database)),
    get("/api/timers/:id", "demo", showTimer(database)),
    post("/api/timers", "full", addTimer(timers, endpoints)),
    post("/api/timers/check", "full", checkTimer(timers)),
    post("/api/timers/:id/edit", "full", editTimer(timers)),
    post("/api/timers/:id/release", "full", actOnTimer(timers, "release")),
    post("/api/timers/:id/cancel", "full", actOnTimer(timers, "cancel")),
    post("/api/timers/:id/hold", "full", actOnTimer(timers, "hold")),
    post("/api/timers/bulk", "full", cutTimers(database, timers)),

    get("/api/messages/rates", "demo", showRates(database)),

    get("/api/users/export", "full", exportUser(users, identity.project)),
    post("/api/users/forget", "full", forgetUser(users)),

    // The rules name users.
    get("/api/permissions", "full", showPermissions(services)),
    get("/api/permissions/user", "full", showMay(services)),

    get("/api/ingress", "demo", systemApi.showIngress(ingress)),
    post("/api/ingress/pause", "full", systemApi.pauseIngress(ingress)),
    post("/api/ingress/resume", "full", systemApi.resumeIngress(ingress)),

    get("/api/plugins", "demo", pluginApi.listPlugins(services)),
    get("/api/plugins/:plugin", "demo", pluginApi.showPlugin(services)),
    post("/api/plugins/:plugin", "full", pluginApi.switchPlugin(generations, system)),
    // Each has the scope that the plugin declares, at least demo.
    get("/api/plugins/:plugin/*", "demo", pluginApi.answerPluginRoute("GET", services)),
    post("/api/plugins/:plugin/*", "demo", pluginApi.answerPluginRoute("POST", services)),
    on("PUT", "/api/plugins/:plugin/*", "demo", pluginApi.answerPluginRoute("PUT", services)),
    on("DELETE", "/api/plugins/:plugin/*", "demo", pluginApi.answerPluginRoute("DELETE", services)),

    get("/api/generations", "demo", listGenerations(generations)),
    get("/api/generations/:number/config", "full", showGenerationConfig(generations)),
    post("/api/generations/:number/rollback", "full", rollBackGeneration(generations, system)),
    post("/api/generations/unpin", "full", unpinGeneration(generations, system)),

    // The configuration and the log may contain data about users.
    get("/api/config", "full", showConfig(current)),
    get("/api/config/schema", "full", configApi.showConfigSchema(current)),
    get("/api/config/file", "full", configApi.showConfigFile(services.configuration)),
    get("/api/config/form", "full", configApi.showConfigForm(services.configuration, services.pluginNames)),
    post("/api/config/preview", "full", configApi.previewConfig(services.configuration, system)),
    post("/api/config", "full", configApi.applyConfig(services.configuration, system)),

    get("/api/workroom", "demo", workroomApi.showWorkroom(workroom)),
    get("/api/workroom/items", "demo", workroomApi.listItems(workroom)),
    get("/api/workroom/board", "demo", workroomApi.showBoard(workroom)),
    get("/api/workroom/items/:id/journal", "full", workroomApi.listItemRecords(workroom)),
    get("/api/workroom/items/:id", "demo", workroomApi.showItem(workroom)),
    post("/api/workroom/items", "full", workroomApi.addItem(workroom)),
    ...itemCommands.map(name =>
      post(`/api/workroom/items/:id/${name}`, "full", workroomApi.commandItem(workroom, name)),
    ),
    get("/api/workroom/journal", "full", workroomApi.listRecords(workroom)),
    post("/api/workroom/verify", "full", workroomApi.verifyWorkroom(workroom)),

    get("/api/calendar", "demo", jobApi.showCalendar(jobs)),

    get("/api/jobs", "demo", jobApi.listJobs(jobs, database)),
    get("/api/jobs/:id", "demo", jobApi.showJob(jobs, database)),
    get("/api/jobs/:id/next", "demo", jobApi.showNextTimes(jobs)),
    post("/api/jobs", "full", jobApi.addJob(jobs, database)),
    post("/api/jobs/check", "full", jobApi.checkJob(jobs)),
    post("/api/jobs/:id/edit", "full", jobApi.editJob(jobs, database)),
    post("/api/jobs/:id/pause", "full", jobApi.pauseJob(jobs, database)),
    post("/api/jobs/:id/resume", "full", jobApi.resumeJob(jobs, database)),
    post("/api/jobs/:id/run", "full", jobApi.runJob(jobs)),
    post("/api/jobs/:id/remove", "full", jobApi.removeJob(jobs)),

    get("/api/runs", "demo", listRuns(database)),
    get("/api/runs/:id", "demo", showRun(database, bindings)),
    post("/api/runs/:id/cancel", "full", cancelRun(services)),
    post("/api/runs/:id/release", "full", agentApi.actOnAgentRun(agents, "release")),
    post("/api/runs/:id/discard", "full", agentApi.actOnAgentRun(agents, "discard")),
    post("/api/runs/:id/hold", "full", agentApi.actOnAgentRun(agents, "hold")),
    post("/api/runs/bulk", "full", agentApi.cutAgentRuns(agents, database)),

    get("/api/agents", "demo", agentApi.listAgents(bindings, database)),
    get("/api/agents/:name", "demo", agentApi.showAgent(bindings, database)),
    post("/api/agents/:name/run", "full", agentApi.runAgent(agents)),
    post("/api/agents/:name/check", "full", agentApi.checkAgent(agents, bindings)),

    get("/api/approvals", "demo", agentApi.listApprovals(database)),
    post("/api/approvals/:id/approve", "full", agentApi.decideApproval(agents, database, "approve")),
    post("/api/approvals/:id/deny", "full", agentApi.decideApproval(agents, database, "deny")),

    get("/api/checkpoints", "demo", checkpointApi.listCheckpoints(checkpoints)),
    get("/api/checkpoints/task", "demo", checkpointApi.showCheckpointTask(checkpoints)),
    get("/api/checkpoints/archive", "demo", checkpointApi.showUpload(uploads)),
    on("PUT", "/api/checkpoints/archive", "full", checkpointApi.uploadCheckpoint(uploads)),
    get("/api/checkpoints/:id", "full", checkpointApi.showCheckpoint(checkpoints)),
    get("/api/checkpoints/:id/archive", "full", checkpointApi.downloadCheckpoint(checkpoints)),
    post("/api/checkpoints", "full", checkpointApi.createCheckpoint(checkpoints)),
    post("/api/checkpoints/:id/verify", "full", checkpointApi.verifyCheckpoint(checkpoints)),
    post("/api/checkpoints/prune", "full", checkpointApi.pruneCheckpoints(checkpoints)),

    get("/api/releases", "demo", listReleases(releases)),
    post("/api/releases", "full", beginRelease(releases)),
    post("/api/releases/verification", "full", recordVerification(releases)),
    post("/api/releases/complete", "full", completeRelease(releases, system)),
    post("/api/releases/abort", "full", abortRelease(releases)),

    get("/api/alerts", "demo", monitoringApi.listAlerts(services.alerts)),
    post("/api/alerts/test", "full", monitoringApi.testAlerts(services.alerts)),

    get("/api/database", "demo", showDatabase(capacity)),
    get("/api/database/compaction", "demo", showCompaction(capacity)),
    post("/api/database/compact", "full", compactDatabase(capacity)),
    post("/api/database/check", "full", checkDatabase(services.damageWatch)),
    post("/api/database/rescue", "full", rescueDatabase(placeWatch)),

    get("/api/logs", "full", listLogRecords(logs, identity.runtimeId, services.logFolder)),
    get("/api/logs/runs", "full", listLogRuns(services.logFolder, identity)),

    get("/api/metrics", "demo", monitoringApi.showMetrics(metrics)),
    get("/api/metrics/history", "demo", monitoringApi.showMetricHistory(database)),

    post("/hooks/:plugin/:endpoint", "signature", takeWebhook(endpoints)),
    get("/hooks/:plugin/:endpoint", "signature", answerPlatform(endpoints)),

    ...(["GET", "POST"] as const).map(method => on(method, "/pages/:plugin/*", "none", pages.operation())),

    get("/status", "none", openStatusPage(services.statusBoard, rate)),
    get("/status/status.json", "none", showStatusPage(services.statusBoard, rate)),

    post("/satori/v1/meta", "full", listLogins(satori)),
    ...methods.map(method => post(`/satori/v1/${method.name}`, "full", askLogin(method, satori))),
    post("/satori/v1/upload.create", "full", uploadFiles(satori)),
    get("/satori/v1/proxy/*", "full", openInternal("proxy", satori)),
    get("/satori/v1/internal/*", "full", openInternal("internal", satori)),
    post("/satori/v1/*", "full", forwardMethod(satori)),
    get("/satori/v1/events", "full", requireUpgrade()),

    get("/console", "none", openConsole(files, consoleHosts)),
    get("/console/*", "none", readConsole(files, consoleHosts)),

    get("/api/openapi.json", "demo", showOpenApi(document)),
  ]
}
