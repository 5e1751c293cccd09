import {Reply, serve} from "../../../shared/api/operations/operation.ts"
import {ingressOperations, statusOperations, systemOperations} from "../../../shared/api/operations/system.ts"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import type {RestartResult, Status} from "../../../shared/api/system.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import type {RestartOptions, Restarts} from "../../generation/routes/edit-config.ts"

/** The part of the Host that these routes see and control. */
export interface SystemServices extends Restarts {
  isReady(): boolean
  readiness(): ReadinessReport
  /** Resolves later only if it must ask git. */
  status(): Status | Promise<Status>
  /**
   * Tries the next start, then stops the Host with exit code 51. Throws `restart_limit`, `no_supervisor` unless
   * confirmed, and unless forced `trial_failed`, `not_tried`, and `conflict` while another trial runs.
   */
  restart(options: RestartOptions): Promise<Pick<RestartResult, "unready">>
}

/** The session is the console's first request: it returns the scope of the token. */
export const statusRoutes = (system: Pick<SystemServices, "readiness" | "status">, project: string, version: string) =>
  serve(statusOperations, {
    session: ({scope}) => ({project, version, scope: scope === "full" ? scope : ("demo" as const)}),
    readiness: () => {
      const report = system.readiness()
      return new Reply(report.ready ? 200 : 503, report)
    },
    status: () => system.status(),
  })

export const systemRoutes = (system: SystemServices) =>
  serve(systemOperations, {
    reload: async ({body: {confirm = false, force = false}}) => {
      const result = await system.reload({confirm, force})
      return new Reply(result.restarting === true ? 202 : 200, result)
    },
    restart: async ({body: {confirm = false, force = false}}) => ({
      restarting: true,
      ...(await system.restart({confirm, force})),
    }),
  })

export const ingressRoutes = (ingress: Ingress) =>
  serve(ingressOperations, {
    show: () => ingress.view,
    pause: async ({body: {reason = "operator"}}) => {
      await ingress.pause(reason)
      return ingress.view
    },
    resume: async ({body: {reason = "operator"}}) => {
      await ingress.resume(reason)
      return ingress.view
    },
  })
