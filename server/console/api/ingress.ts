import {IngressRequest} from "../../../shared/api/api.ts"
import {IngressView} from "../../../shared/api/readiness.ts"
import type {Route} from "../../../shared/sdk/route.ts"
import type {Static} from "../../../shared/type.ts"
import type {Ingress} from "../../endpoints/ingress.ts"

export const ingressRoutes = (ingress: Ingress): Route[] => [
  {
    method: "GET",
    path: "/api/ingress",
    scope: "demo",
    summary: "Is ingress open or paused, why, and since when?",
    response: {200: IngressView},
    handle: (_, call) => call.json(IngressView, ingress.view),
  },
  {
    method: "POST",
    path: "/api/ingress/pause",
    scope: "full",
    summary: "Admit no events and take no new sends, across restarts, until resumed",
    body: IngressRequest,
    response: {200: IngressView},
    handle: async (_, call) => {
      await ingress.pause(reasonOf(await call.body()))
      return call.json(IngressView, ingress.view)
    },
  },
  {
    method: "POST",
    path: "/api/ingress/resume",
    scope: "full",
    summary: "Take back one reason for the pause; ingress opens when none is left",
    body: IngressRequest,
    response: {200: IngressView},
    handle: async (_, call) => {
      await ingress.resume(reasonOf(await call.body()))
      return call.json(IngressView, ingress.view)
    },
  },
]

const reasonOf = (body: unknown) => (body as Static<typeof IngressRequest>).reason ?? "operator"
