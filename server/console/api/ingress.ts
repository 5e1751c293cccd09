import {IngressView} from "../../../shared/api/readiness.ts"
import {IngressRequest} from "../../../shared/api/system.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import {answering} from "../answering.ts"

export const showIngress = (ingress: Ingress): Operation => ({
  summary: "Is ingress open or paused, why, and since when?",
  response: {200: IngressView},
  handle: (_, call) => call.json(IngressView, ingress.view),
})

export const pauseIngress = answering({
  summary: "Pause ingress: admit no events and accept no new sends, across restarts, until resumed",
  body: IngressRequest,
  answer: IngressView,
  run: async ({body: {reason = "operator"}}, ingress: Ingress) => {
    await ingress.pause(reason)
    return ingress.view
  },
})

export const resumeIngress = answering({
  summary: "Remove one reason for the pause; ingress opens when none is left",
  body: IngressRequest,
  answer: IngressView,
  run: async ({body: {reason = "operator"}}, ingress: Ingress) => {
    await ingress.resume(reason)
    return ingress.view
  },
})
