import {runRoutes} from "../agents/part/runs.ts"
import {configRoutes} from "../generation/routes/config.ts"
import {generationRoutes} from "../generation/routes/generations.ts"
import {pluginRoutes} from "../generation/routes/plugins.ts"
import {ingressRoutes, statusRoutes, systemRoutes} from "../http/readiness/routes.ts"
import type {Alerts} from "../metrics/alerts/alerts.ts"
import type {MetricsPage} from "../metrics/page.ts"
import {alertRoutes, metricRoutes} from "../metrics/routes.ts"
import {releaseRoutes} from "../recovery/part/releases.ts"
import {logRoutes} from "../runtime/logs/routes.ts"
import {version} from "../runtime/version.ts"
import type {Sources} from "./parts/sources.ts"
import type {System} from "./system.ts"

export interface ControlServices {
  readonly sources: Sources
  readonly system: System
  readonly metrics: MetricsPage
  readonly alerts: Alerts
  /** The folder with the logs of earlier runs. */
  readonly logFolder: string
}

/** The routes that see or change the Host as a whole, and those that two parts answer together. */
export const controlRoutes = ({sources, system, metrics, alerts, logFolder}: ControlServices) => {
  const {identity, running, generations, configuration, pluginNames, handlers, ingress, database, logs} = sources
  const {agents, jobs, recovery} = sources
  const current = () => running.require()
  return [
    ...statusRoutes(system, identity.project, version),
    ...systemRoutes(system),
    ...ingressRoutes(ingress),
    ...pluginRoutes(current, handlers, generations, system),
    ...generationRoutes(generations, system),
    ...configRoutes(current, configuration, pluginNames, system),
    ...runRoutes({jobs: jobs.jobs, agents, bindings: agents.bindings, database}),
    ...releaseRoutes(recovery.releases, system),
    ...alertRoutes(alerts),
    ...logRoutes(logs, identity, logFolder),
    ...metricRoutes(metrics, database),
  ]
}
