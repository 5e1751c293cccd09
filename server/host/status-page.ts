import type {Bindings} from "../agents/bindings/bindings.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {Ingress} from "../endpoints/ingress.ts"
import type {RunningGeneration} from "../generation/running-generation.ts"
import {StatusBoard, subjectsOf} from "../http/public/status-board.ts"
import {Uptimes} from "../metrics/history/uptimes.ts"

export interface StatusPageOptions {
  readonly running: Pick<RunningGeneration, "current">
  readonly endpoints: Pick<Endpoints, "get">
  readonly ingress: Pick<Ingress, "isPaused">
  readonly bindings: Pick<Bindings, "find" | "standingOf">
  readonly isReady: () => boolean
}

export type StatusPage = ReturnType<typeof createStatusPage>

const none = {title: "", labels: []} as const

export const createStatusPage = ({running, endpoints, ingress, bindings, isReady}: StatusPageOptions) => {
  const settings = () => running.current?.config.config.status ?? none
  const uptimes = new Uptimes(() => subjectsOf(settings()))
  const board = new StatusBoard({
    settings,
    uptime: subject => uptimes.of(subject),
    facts: {
      isReady,
      isPaused: () => ingress.isPaused,
      isOnline: name => endpoints.get(name)?.state.is === "online",
      isActive: name =>
        running.current?.instances.some(each => each.name === name && each.state.is === "active") === true,
      isConfigured: name => {
        const binding = bindings.find(name)
        return binding !== undefined && bindings.standingOf(binding).configured
      },
    },
  })
  return {board, uptimes}
}
