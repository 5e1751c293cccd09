import type {ReloadResult} from "../../shared/api/system.ts"
import {notReadyAfter, unreadyIn, withUnready} from "../../shared/api/unready.ts"
import {exit} from "../../shared/exit.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import {startLimit} from "../../shared/start-limit.ts"
import {standingsOf} from "../agents/bindings/standings.ts"
import type {Foresee, RestartOptions} from "../generation/routes/edit-config.ts"
import {hidingFolder} from "../http/answers.ts"
import type {Answers, App} from "../http/app.ts"
import type {Tokens} from "../http/auth.ts"
import {createDoor} from "../http/door.ts"
import {RequestMeter} from "../http/request-meter.ts"
import type {Services} from "../http/services.ts"
import {socketsByPath} from "../http/sockets/by-path.ts"
import {PlatformSockets} from "../http/sockets/platform-sockets.ts"
import type {Alerts} from "../metrics/alerts/alerts.ts"
import type {TooMany} from "../project/starts.ts"
import type {Facts} from "../readiness/facts.ts"
import {foreseeEndpoints, foreseeInstances, gatherFacts, type Observed} from "../readiness/gather.ts"
import {createReport, describeReport, isEveryRequiredReady} from "../readiness/report.ts"
import type {Fetch, SocketHooks} from "../runtime/runtime.ts"
import type {Guard} from "../satori/server.ts"
import {createAlerts} from "./assembly/alerts.ts"
import type {Exit} from "./host.ts"
import {createMetrics} from "./metrics/metrics.ts"
import {createStatus} from "./status.ts"
import type {Trials} from "./trial.ts"

export interface ApiOptions {
  /** `http.base` of the configuration. */
  readonly base: string
  readonly tokens: Tokens
  readonly project: string
  readonly services: Services
  readonly askExit: (exit: Exit) => void
  /** Why the supervisor would give up if the Host restarted now; undefined if it would not. */
  readonly tooManyStarts: () => TooMany | undefined
  readonly trials: Trials
  /** Lets the next start try the project as it is, even after starts that failed. */
  readonly tryAgain: () => Promise<void>
}

export interface Api extends Answers {
  /** Loads the HTTP application. Otherwise the first request loads it. */
  load(): Promise<void>
  /** Resolves when no request is in progress, except for streams. */
  settled(): Promise<void>
  readonly alerts: Alerts
  /** Decides who may connect by WebSocket. */
  readonly guard: Guard
  /** The Satori events and the platforms' own WebSockets. */
  readonly sockets: SocketHooks
  /** Is every required component ready, and the Host neither starting nor stopping? */
  isReady(): boolean
  /** Describes the readiness in one line. */
  describeReadiness(): string
  /**
   * Reloads the configuration. In production, a change that the running process cannot apply tries the next start and
   * then restarts the Host with exit code 75. Throws what a draft throws, `restart_limit`, `no_supervisor` unless
   * confirmed, and what `Trials.run` throws unless forced.
   */
  reload(reason: string, asked: RestartOptions): Promise<ReloadResult>
  /** Everything has started: the Host may be ready from now on. */
  started(): void
  /** The Host is no longer ready. */
  stopping(): void
}

/** The Host as its HTTP API shows it, and the actions that the API asks of it. */
export const serveApi = (options: ApiOptions): Api => {
  const {base, project, tokens, services, askExit, tooManyStarts, trials, tryAgain} = options
  const {identity, current, generations, logs} = services
  let isStarted = false
  let isStopping = false
  const observe = () => observeAll(services)
  const report = () => createReport(observe())
  const isReady = () => isStarted && !isStopping && isEveryRequiredReady(observe())
  const requireRestartable = (confirm: boolean) => {
    if (identity.supervisor() === "none" && !confirm) {
      throw new Problem("no_supervisor", "svc knows no supervisor that would restart the Host")
    }
    const limit = tooManyStarts()
    if (limit !== undefined) {
      const problem = restartLimit(limit, identity.supervisor())
      logs.log.warn(`restart refused: ${problem.message}`)
      throw problem
    }
  }
  const foresee: Foresee = next => unreadyIn(createReport(foreseeAll(services, next, project)).components)
  const askRestart = async ({confirm, force}: RestartOptions, reason: string, end: Exit) => {
    requireRestartable(confirm)
    const unready = force ? [] : await trials.run(reason, isReady())
    requireRestartable(confirm)
    await tryAgain()
    services.events.raise("restart.asked", {code: end.code, reason: end.reason})
    // The response must leave before the Host exits.
    setTimeout(() => askExit(end), 50)
    return withUnready(unready)
  }
  const reload: Api["reload"] = async (reason, asked) => {
    try {
      const generation = await generations.reload(reason)
      const unready = foresee(current())
      if (generation !== undefined && unready.length > 0) logs.log.warn(notReadyAfter(unready))
      return {committed: generation !== undefined, generation: current().number, ...withUnready(unready)}
    } catch (error) {
      if (!isProblem(error, "restart_required") || identity.mode !== "production") throw error
      const unready = await askRestart(asked, reason, {code: exit.runtimeRestart, reason: error.message})
      return {committed: false, generation: current().number, restarting: true, ...unready}
    }
  }
  const status = createStatus(services)
  const system = {
    isReady,
    foresee,
    readiness: report,
    status: () => {
      const make = () => status(isReady())
      return services.uncommitted.isDue ? services.uncommitted.look().then(make) : make()
    },
    reload: (asked: RestartOptions) => reload("requested", asked),
    restart: (asked: RestartOptions) =>
      askRestart(asked, "restart", {code: exit.consoleRestart, reason: "restart requested"}),
  }
  const requests = new RequestMeter()
  const metrics = createMetrics({...services, requests, report, isReady})
  const alerts = createAlerts({services, project, status: () => status(isReady()), report, isReady})
  const door = createDoor({tokens, settings: () => current().config.config.http})
  const application = new Application(async () => {
    const {createApplication} = await import("./application.ts")
    const parts = {...services, system, metrics, alerts}
    const scrub = hidingFolder(project, logs.scrubJson)
    return createApplication({base, door, log: logs.log, requests, scrub, services: parts})
  })
  const platforms = new PlatformSockets({base, endpoints: services.endpoints, doorman: door.guard})
  return {
    fetch: application.fetch,
    recall: application.recall,
    settled: () => application.settled(),
    load: () => application.load(),
    alerts,
    guard: door.guard,
    sockets: socketsByPath(path => (platforms.isServedAt(path) ? platforms.socket : services.satori.socket)),
    isReady,
    describeReadiness: () => describeReport(report()),
    reload,
    started: () => {
      isStarted = true
    },
    stopping: () => {
      isStopping = true
    },
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

  async settled(): Promise<void> {
    await this.#app?.settled()
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

/** The supervisor would give up instead of making this start; `confirm` does not override that. */
const restartLimit = ({starts, wait}: TooMany, supervisor: string): Problem => {
  const limit = `${supervisor} allows at most ${startLimit.starts} starts in ${startLimit.within / 1000} s`
  const at = new Date(Date.now() + wait * 1000).toISOString()
  return new Problem(
    "restart_limit",
    `${limit}, and has counted ${starts}; the next restart is possible at ${at}, in ${wait} s`,
    {retryAfter: wait},
  )
}

const observeAll = (services: Services): Facts => gatherFacts(observedOf(services))

/** The same facts, as they would be with another generation. */
const foreseeAll = (services: Services, next: Parameters<Foresee>[0], project: string): Facts => {
  const {generations, endpoints} = services
  const now = observedOf(services)
  const {config, instances, snapshot} = next
  return gatherFacts({
    ...now,
    generation: now.generation && {...now.generation, config, instances: foreseeInstances(instances)},
    notStarted: undefined,
    isPinned: false,
    endpoints: () => foreseeEndpoints(snapshot.endpoints, name => endpoints.get(name), now.now),
    ...(next === generations.current ? {isPinned: now.isPinned} : {agents: () => standingsOf(snapshot, project)}),
  })
}

const observedOf = ({
  identity,
  generations,
  uncommitted,
  database,
  endpoints,
  ingress,
  bindings,
  checkpoints,
}: Services): Observed => ({
  now: Date.now(),
  startedAt: identity.startedAt,
  authority: identity.authority,
  generation: generations.current,
  notStarted: identity.lastGood?.why,
  isPinned: generations.pin !== undefined,
  failure: generations.lastFailure,
  uncommitted: () => uncommitted.seen,
  databaseInitialized: database.state.is === "initialized",
  databaseUnreachable: database.state.is === "initialized" ? database.state.unrenewed : undefined,
  databaseFailure: database.state.is === "initialized" ? database.state.failure : undefined,
  databaseDamage: database.state.is === "initialized" ? database.state.damage : undefined,
  endpoints: () => endpoints.list(),
  agents: () => bindings.standings(),
  ingress: () => ingress.view,
  checkpoint: () => checkpoints.newest(Date.now()),
  checkpointFailure: () => checkpoints.failure,
})
