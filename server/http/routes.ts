import type {Route} from "../../shared/sdk/route.ts"
import {Type} from "../../shared/type.ts"
import {checkpointRoutes} from "../console/api/checkpoints.ts"
import {type CapacityService, databaseRoutes} from "../console/api/database.ts"
import {endpointRoutes} from "../console/api/endpoints.ts"
import {type EventServices, eventRoutes} from "../console/api/events.ts"
import {gapRoutes} from "../console/api/gaps.ts"
import {generationRoutes} from "../console/api/generations.ts"
import {inboxRoutes} from "../console/api/inbox.ts"
import {ingressRoutes} from "../console/api/ingress.ts"
import {jobRoutes} from "../console/api/jobs.ts"
import {type MetricsService, metricsRoutes} from "../console/api/metrics.ts"
import {outboxRoutes} from "../console/api/outbox.ts"
import {describePluginRoutes, type PluginServices, pluginRoutes} from "../console/api/plugins.ts"
import {ratesRoutes} from "../console/api/rates.ts"
import {releaseRoutes} from "../console/api/releases.ts"
import {sessionRoutes} from "../console/api/session.ts"
import {settingsRoutes} from "../console/api/settings.ts"
import {probeRoutes, type SystemServices, systemRoutes} from "../console/api/system.ts"
import {workroomRoutes} from "../console/api/workroom.ts"
import {consoleRoutes} from "../console/pages.ts"
import type {Database} from "../database/database.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {Ingress} from "../endpoints/ingress.ts"
import type {Generation} from "../generation/generation.ts"
import type {Generations} from "../generation/generations.ts"
import type {Inbox} from "../inbox/inbox.ts"
import type {Logs} from "../logs/log.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {Checkpoints} from "../recovery/checkpoint/checkpoints.ts"
import type {Releases} from "../recovery/release/releases.ts"
import {type SatoriServices, satoriRoutes} from "../satori/routes.ts"
import type {Jobs} from "../scheduler/jobs.ts"
import type {Workroom} from "../workroom/workroom.ts"
import {createOpenApi} from "./openapi.ts"
import {webhookRoutes} from "./webhooks.ts"

export interface RouteServices {
  readonly system: SystemServices
  readonly events: EventServices
  readonly plugins: PluginServices
  readonly metrics: MetricsService
  readonly current: () => Generation
  readonly generations: Generations
  readonly endpoints: Endpoints
  readonly database: Database
  readonly inbox: Inbox
  readonly outbox: Outbox
  readonly ingress: Ingress
  readonly checkpoints: Checkpoints
  readonly releases: Releases
  readonly jobs: Jobs
  readonly capacity: CapacityService
  readonly logs: Logs
  readonly runtimeId: string
  readonly satori: SatoriServices
  readonly workroom: Workroom
  readonly project: string
  readonly version: string
}

/** Every route of the Host, in one readable table. Paths below `base`, but for the public probes. */
export const createRoutes = (services: RouteServices, base: string): readonly Route[] => {
  const {system, plugins, current, generations, endpoints, database, inbox, outbox, ingress, jobs, logs} = services
  const api: Route[] = [
    ...sessionRoutes(services.project, services.version),
    ...systemRoutes(system),
    ...metricsRoutes(services.metrics),
    ...endpointRoutes(endpoints),
    ...pluginRoutes(plugins, generations),
    ...generationRoutes(generations),
    ...eventRoutes(services.events),
    ...gapRoutes(database),
    ...inboxRoutes(database, inbox),
    ...outboxRoutes(database, outbox, endpoints),
    ...ratesRoutes(database),
    ...ingressRoutes(ingress),
    ...checkpointRoutes(services.checkpoints),
    ...releaseRoutes(services.releases, () => system.readiness()),
    ...databaseRoutes(services.capacity),
    ...settingsRoutes(current, logs, services.runtimeId),
    ...workroomRoutes(services.workroom),
    ...jobRoutes(jobs, database),
    ...webhookRoutes(endpoints),
    ...satoriRoutes(services.satori),
    ...consoleRoutes(() => current().config.config.http.consoleHosts),
  ]
  const documented = () => [
    ...probeRoutes(system),
    ...underBase([...api, openApi, ...describePluginRoutes(current())], base),
  ]
  const openApi: Route = {
    method: "GET",
    path: "/api/openapi.json",
    scope: "demo",
    summary: "This API as an OpenAPI document",
    response: {200: Type.Object({})},
    handle: (_, call) => call.json(Type.Object({}), createOpenApi(documented(), base, services.version)),
  }
  return [...probeRoutes(system), ...underBase([...api, openApi], base)]
}

const underBase = (routes: readonly Route[], base: string): Route[] =>
  routes.map(route => ({...route, path: `${base}${route.path}`}))
