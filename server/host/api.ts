import type {Answers, App} from "../http/app.ts"
import type {ShownStatus} from "../http/public/status.ts"
import type {RequestMeter} from "../http/request-meter.ts"
import {hidingFolder} from "../http/requests/answers.ts"
import {socketsByPath} from "../http/sockets/by-path.ts"
import {PlatformSockets} from "../http/sockets/platform-sockets.ts"
import {once} from "../runtime/flow/remember.ts"
import type {OpenProject} from "./open/open.ts"
import type {Parts} from "./open/parts.ts"
import type {Sources} from "./parts/sources.ts"
import type {System} from "./system.ts"

export interface ApiOptions {
  readonly opened: OpenProject
  readonly sources: Sources
  readonly system: System
  readonly statusBoard: ShownStatus
  /** Their routes are loaded with the application. */
  readonly parts: Parts
  readonly requests: RequestMeter
}

export type Api = ReturnType<typeof createApi>

/** The HTTP application of the Host, and its WebSockets. */
export const createApi = ({opened, sources, system, statusBoard, parts, requests}: ApiOptions) => {
  const {identity, logs, running, door, endpoints, satori} = sources
  const {base} = opened.boot.config.http
  let app: App | undefined
  const load = once(async () => {
    const [{createApplication}, ofParts] = await Promise.all([import("./application.ts"), parts.routes()])
    app = createApplication({
      base,
      door,
      log: logs.log,
      requests,
      scrub: hidingFolder(opened.paths.project, logs.scrubJson),
      ofParts,
      running,
      mode: identity.mode,
      isReady: system.isReady,
      statusBoard,
    })
    return app
  })
  const platforms = new PlatformSockets({base, endpoints, guard: door.guard})
  const answers: Answers = {
    fetch: (request, peerOf) => app?.fetch(request, peerOf) ?? load().then(loaded => loaded.fetch(request, peerOf)),
    recall: (path, authorization) => app?.recall(path, authorization),
  }
  return {
    ...answers,
    /** Resolves when no request is in progress, except for streams. */
    idle: async () => app?.idle(),
    /** Loads the HTTP application. Otherwise the first request does; after a failed load, the next one loads it again. */
    load,
    /** The Satori events and the platforms' own WebSockets. */
    sockets: socketsByPath(path => (platforms.isServedAt(path) ? platforms.socket : satori.server.socket)),
  }
}
