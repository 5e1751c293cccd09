import type {Route} from "../../shared/sdk/route.ts"
import {Type} from "../../shared/type.ts"
import {checkpointRoutes} from "../console/api/checkpoints.ts"
import {databaseRoutes} from "../console/api/database.ts"
import {endpointRoutes} from "../console/api/endpoints.ts"
import {eventRoutes} from "../console/api/events.ts"
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
import {version} from "../runtime/version.ts"
import {satoriRoutes} from "../satori/routes.ts"
import {createOpenApi} from "./openapi.ts"
import type {Services} from "./services.ts"
import {webhookRoutes} from "./webhooks.ts"

/** What the routes are made of: the parts of the Host, and what the API makes of them. */
export interface RouteServices extends Services, PluginServices {
  readonly system: SystemServices
  readonly metrics: MetricsService
}

/** Every route of the Host, in one readable table. Paths below `base`, but for the public probes. */
export const createRoutes = (services: RouteServices, base: string): readonly Route[] => {
  const {identity, system, current, generations, endpoints, database, inbox, outbox, ingress, jobs, logs} = services
  const api: Route[] = [
    ...sessionRoutes(identity.project, version),
    ...systemRoutes(system),
    ...metricsRoutes(services.metrics),
    ...endpointRoutes(endpoints),
    ...pluginRoutes(services, generations),
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
    ...settingsRoutes(current, logs, identity.runtimeId),
    ...workroomRoutes(services.workroom),
    ...jobRoutes(jobs, database),
    ...webhookRoutes(endpoints),
    ...satoriRoutes({logins: services.satori.logins, database, outbox, endpoints}),
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
    handle: (_, call) => call.json(Type.Object({}), createOpenApi(documented(), base, version)),
  }
  return [...probeRoutes(system), ...underBase([...api, openApi], base)]
}

const underBase = (routes: readonly Route[], base: string): Route[] =>
  routes.map(route => ({...route, path: `${base}${route.path}`}))
