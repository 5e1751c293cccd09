import type {Answers, App} from "../http/app.ts"
import type {ShownStatus} from "../http/public/status.ts"
import type {RequestMeter} from "../http/request-meter.ts"
import {hidingFolder} from "../http/requests/answers.ts"
import {socketsByPath} from "../http/sockets/by-path.ts"
import {PlatformSockets} from "../http/sockets/platform-sockets.ts"
import type {Fetch, SocketHooks} from "../runtime/runtime.ts"
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

export interface Api extends Answers {
  /** Loads the HTTP application. Otherwise the first request loads it. */
  load(): Promise<void>
  /** Resolves when no request is in progress, except for streams. */
  idle(): Promise<void>
  /** The Satori events and the platforms' own WebSockets. */
  readonly sockets: SocketHooks
}

/** The HTTP application of the Host, and its WebSockets. */
export const createApi = ({opened, sources, system, statusBoard, parts, requests}: ApiOptions): Api => {
  const {identity, logs, running, door, endpoints, satori} = sources
  const {base} = opened.boot.config.http
  const application = new Application(async () => {
    const [{createApplication}, ofParts] = await Promise.all([import("./application.ts"), parts.routes()])
    return createApplication({
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
  })
  const platforms = new PlatformSockets({base, endpoints, doorman: door.guard})
  return {
    fetch: application.fetch,
    recall: application.recall,
    idle: () => application.idle(),
    load: () => application.load(),
    sockets: socketsByPath(path => (platforms.isServedAt(path) ? platforms.socket : satori.server.socket)),
  }
}

/** The HTTP application, loaded once. After a failed load, the next request loads it again. */
class Application {
  readonly #make: () => Promise<App>
  #app: App | undefined
  #loading: Promise<App> | undefined

  constructor(make: () => Promise<App>) {
    this.#make = make
  }

  readonly fetch: Fetch = (request, peerOf) =>
    this.#app?.fetch(request, peerOf) ?? this.#load().then(app => app.fetch(request, peerOf))

  readonly recall: App["recall"] = (path, authorization) => this.#app?.recall(path, authorization)

  async load(): Promise<void> {
    await this.#load()
  }

  async idle(): Promise<void> {
    await this.#app?.idle()
  }

  async #load(): Promise<App> {
    this.#loading ??= this.#make()
    try {
      this.#app = await this.#loading
      return this.#app
    } catch (error) {
      this.#loading = undefined
      throw error
    }
  }
}
