import {IngressView} from "../../../shared/api/readiness.ts"
import {IngressRequest} from "../../../shared/api/system.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import type {Static} from "../../../shared/type.ts"
import type {Ingress} from "../../endpoints/ingress.ts"

export const showIngress = (ingress: Ingress): Operation => ({
  summary: "Is ingress open or paused, why, and since when?",
  response: {200: IngressView},
  handle: (_, call) => call.json(IngressView, ingress.view),
})

export const pauseIngress = (ingress: Ingress): Operation => ({
  summary: "Pause ingress: admit no events and accept no new sends, across restarts, until resumed",
  body: IngressRequest,
  response: {200: IngressView},
  handle: async (_, call) => {
    await ingress.pause(reasonOf(await call.body()))
    return call.json(IngressView, ingress.view)
  },
})

export const resumeIngress = (ingress: Ingress): Operation => ({
  summary: "Remove one reason for the pause; ingress opens when none is left",
  body: IngressRequest,
  response: {200: IngressView},
  handle: async (_, call) => {
    await ingress.resume(reasonOf(await call.body()))
    return call.json(IngressView, ingress.view)
  },
})

const reasonOf = (body: unknown) => (body as Static<typeof IngressRequest>).reason ?? "operator"
