import {StatusBoard, subjectsOf} from "../http/public/status-board.ts"
import {Uptimes} from "../metrics/history/uptimes.ts"
import type {Sources} from "./parts/sources.ts"

export type StatusPage = ReturnType<typeof createStatusPage>

const none = {title: "", labels: []} as const

export const createStatusPage = (
  {running, endpoints, ingress, agents: {bindings}}: Sources,
  isReady: () => boolean,
) => {
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
