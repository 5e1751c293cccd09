import {jsonResponse, serve} from "../../../shared/api/operations/operation.ts"
import {probeOperations} from "../../../shared/api/operations/public.ts"

const headers = {"cache-control": "no-store", "content-type": "application/json"} as const

/** The answer of liveness: it only says that the process responds. */
export const health = {status: 200, headers, body: '{"status":"pass"}'} as const

/** The answers of `/pub/ready`. */
export const readiness = {
  ready: {status: 200, headers, body: '{"ready":true}'},
  unready: {status: 503, headers, body: '{"ready":false}'},
} as const

/** The gate answers both probes before the application. The routes exist for the document of the API and for CORS. */
export const probeRoutes = (isReady: () => boolean) =>
  serve(probeOperations, {
    health: () => jsonResponse({status: "pass"}, health),
    ready: () => {
      const ready = isReady()
      return jsonResponse({ready}, ready ? readiness.ready : readiness.unready)
    },
  })
