import type {Route} from "../../shared/sdk/route.ts"
import {agentRoutes} from "../agents/routes/agents.ts"
import {approvalRoutes} from "../agents/routes/approvals.ts"
import {permissionRoutes} from "../agents/routes/permissions.ts"
import {runRoutes} from "../agents/routes/runs.ts"
import {databaseRoutes} from "../capacity/routes.ts"
import {userRoutes} from "../capacity/user/routes.ts"
import {consoleRoutes} from "../console/pages.ts"
import {endpointRoutes} from "../endpoints/routes.ts"
import {eventRoutes} from "../events/routes.ts"
import {configRoutes} from "../generation/routes/config.ts"
import {generationRoutes} from "../generation/routes/generations.ts"
import {pluginRoutes} from "../generation/routes/plugins.ts"
import {describePublished, type PublishedServices, publishedRoutes} from "../generation/routes/published.ts"
import {redactOutbox} from "../inbox/redact.ts"
import {inboxRoutes} from "../inbox/routes/events.ts"
import {logRoutes} from "../logs/routes.ts"
import {type AlertsService, alertRoutes, type MetricsService, metricRoutes} from "../metrics/routes.ts"
import {outboxRoutes} from "../outbox/routes/messages.ts"
import {rateRoutes} from "../outbox/routes/rates.ts"
import {probeRoutes} from "../readiness/probes.ts"
import {ingressRoutes, type SystemServices, statusRoutes, systemRoutes} from "../readiness/routes.ts"
import {checkpointRoutes} from "../recovery/routes/checkpoints.ts"
import {releaseRoutes} from "../recovery/routes/releases.ts"
import {version} from "../runtime/version.ts"
import {satoriRoutes} from "../satori/routes.ts"
import {jobRoutes} from "../scheduler/routes/jobs.ts"
import {timerRoutes} from "../scheduler/routes/timers.ts"
import {workroomRoutes} from "../workroom/routes.ts"
import {createOpenApi, documentRoutes} from "./openapi/document.ts"
import {Pages} from "./public/pages.ts"
import {AddressRate} from "./public/rate.ts"
import {statusPageRoutes} from "./public/status.ts"
import type {Services} from "./services.ts"
import {webhookRoutes} from "./webhooks.ts"

/** The parts of the Host that the routes need, and what the API adds. */
export interface RouteServices extends Services, Pick<PublishedServices, "answer"> {
  readonly system: SystemServices
  readonly metrics: MetricsService
  readonly alerts: AlertsService
}

/** All routes of the Host. All but the public probes are below `base`. */
export const createRoutes = (services: RouteServices, base: string): readonly Route[] => {
  const underBase = (routes: readonly Route[]) => routes.map(route => ({...route, path: `${base}${route.path}`}))
  const probes = probeRoutes(services.system.isReady)
  const published = () => describePublished(services.current())
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

/** The routes of all parts, in the order of the tags of the document. */
const routesBelowBase = (services: RouteServices, document: () => object): readonly Route[] => {
  const {identity, system, current, generations, endpoints, database, outbox, ingress, jobs, timers} = services
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
  const rate = new AddressRate()
  const required = () => current().config.config.http.readiness.endpoints
  const redactMessage = async (id: string, reason: string | null) => {
    const redaction = await redactOutbox(database, id, reason)
    await services.files.sweep()
    return redaction
  }
  return [
    ...statusRoutes(system, identity.project),
    ...systemRoutes(system),

    ...eventRoutes(events),

    ...endpointRoutes(endpoints, required, database),
    ...inboxRoutes(services),
    ...outboxRoutes({database, outbox, endpoints, redact: redactMessage}),
    ...timerRoutes(timers, endpoints, database),
    ...rateRoutes(database),
    ...userRoutes(users, identity.project),
    ...permissionRoutes(services),

    ...ingressRoutes(ingress),

    ...pluginRoutes(current, services.handlers, generations, system),
    ...publishedRoutes(services),

    ...generationRoutes(generations, system),
    ...configRoutes(current, services.configuration, services.pluginNames, system),

    ...workroomRoutes(workroom),
    ...jobRoutes(jobs, database),
    ...runRoutes(services),
    ...agentRoutes(agents, bindings, database),
    ...approvalRoutes(agents, database),

    ...checkpointRoutes(checkpoints, uploads),
    ...releaseRoutes(releases, system),

    ...alertRoutes(services.alerts),
    ...databaseRoutes(capacity, services.damageWatch, placeWatch),

    ...logRoutes(logs, identity, services.logFolder),
    ...metricRoutes(metrics, database),

    ...webhookRoutes(endpoints),
    ...new Pages(current, rate).routes(),
    ...statusPageRoutes(services.statusBoard, rate),
    ...satoriRoutes(satori),
    ...consoleRoutes(() => current().config.config.http.consoleHosts),

    ...documentRoutes(document),
  ]
}
