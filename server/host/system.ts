import {notReadyAfter, unreadyIn, withUnready} from "../../shared/api/configuration/unready.ts"
import type {ReloadResult, Status} from "../../shared/api/system.ts"
import {exit} from "../../shared/exit.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import {startLimit} from "../../shared/start-limit.ts"
import {standingsOf} from "../agents/bindings/standings.ts"
import {describeFailure} from "../generation/draft.ts"
import type {Foresee, RestartOptions} from "../generation/routes/edit-config.ts"
import {endpointFacts, type Facts, foreseeEndpoints, pluginStates} from "../http/readiness/facts.ts"
import {createReport, describeReport, isEveryRequiredReady} from "../http/readiness/report.ts"
import type {SystemServices} from "../http/readiness/routes.ts"
import type {TooMany} from "../project/starts.ts"
import {clearFailedStarts} from "../recovery/last-good/store.ts"
import type {Exit} from "../runtime/part.ts"
import type {OpenProject} from "./open/open.ts"
import type {Sources} from "./parts/sources.ts"
import {createStatus} from "./status.ts"
import type {Trials} from "./trial/trials.ts"

export interface SystemOptions {
  readonly sources: Sources
  readonly opened: OpenProject
  /** Why the supervisor would give up if the Host restarted now; undefined if it would not. */
  readonly tooManyStarts: () => TooMany | undefined
  readonly trials: Trials
}

/** The Host as a whole: its readiness and its status, reload and restart. */
export interface System extends SystemServices {
  /** The status as far as it is known, without asking git. */
  statusNow(): Status
  describeReadiness(): string
  /**
   * Reloads the configuration. In production, a change that the running process cannot apply tries the next start and
   * then restarts the Host with exit code 75. Throws what a draft throws, `restart_limit`, `no_supervisor` unless
   * confirmed, and what `Trials.run` throws unless forced.
   */
  reloadFor(reason: string, asked: RestartOptions): Promise<ReloadResult>
  /** Everything has started: the Host may be ready from now on. */
  started(): void
  /** The Host is no longer ready. */
  stopping(): void
}

export const createSystem = ({sources, opened, tooManyStarts, trials}: SystemOptions): System => {
  const {identity, running, generations, logs} = sources
  const current = () => running.require()
  let isStarted = false
  let isStopping = false
  const report = () => createReport(observe(sources))
  const isReady = () => isStarted && !isStopping && isEveryRequiredReady(observe(sources))
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
  const foresee: Foresee = next => unreadyIn(createReport(foreseeAll(sources, next, opened.paths.project)).components)
  const askRestart = async ({confirm, force}: RestartOptions, reason: string, end: Exit) => {
    requireRestartable(confirm)
    const unready = force ? [] : await trials.run(reason, isReady())
    requireRestartable(confirm)
    // The next start tries the project as it is, even after starts that failed.
    await clearFailedStarts(opened.paths)
    sources.events.raise("restart.asked", {code: end.code, reason: end.reason})
    // The response must leave before the Host exits.
    setTimeout(() => opened.askExit(end), 50)
    return withUnready(unready)
  }
  const reload: System["reloadFor"] = async (reason, asked) => {
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
  const status = createStatus(sources)
  return {
    isReady,
    foresee,
    readiness: report,
    describeReadiness: () => describeReport(report()),
    status: () => {
      const make = () => status(isReady())
      return sources.uncommitted.isDue ? sources.uncommitted.look().then(make) : make()
    },
    statusNow: () => status(isReady()),
    reload: asked => reload("requested", asked),
    reloadFor: reload,
    restart: asked => askRestart(asked, "restart", {code: exit.consoleRestart, reason: "restart requested"}),
    started: () => {
      isStarted = true
    },
    stopping: () => {
      isStopping = true
    },
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

/** The facts of now. A probe needs few of them, so the others are read only when they are asked for. */
const observe = ({
  identity,
  generations,
  running: {current, pin},
  uncommitted,
  database: {state},
  endpoints,
  ingress,
  agents: {bindings},
  recovery: {checkpoints},
}: Sources): Facts => ({
  now: Date.now(),
  startedAt: identity.startedAt,
  authority: identity.authority,
  generation: current,
  notStarted: identity.lastGood?.why,
  isPinned: pin !== undefined,
  uncommitted: uncommitted.seen,
  databaseInitialized: state.is === "initialized",
  ...(state.is === "initialized"
    ? {databaseUnreachable: state.unrenewed, databaseFailure: state.failure, databaseDamage: state.damage}
    : {}),
  checkpointFailure: checkpoints.failure,
  required: current?.config.config.http.readiness ?? nothingRequired,
  get failure() {
    return generations.lastFailure && describeFailure(generations.lastFailure.problem)
  },
  get endpoints() {
    return endpoints.list().map(endpointFacts)
  },
  get ingress() {
    return ingress.view
  },
  get checkpoint() {
    return checkpoints.newest(Date.now())
  },
  get plugins() {
    return current === undefined ? {} : pluginStates(current)
  },
  get agents() {
    return bindings.standings()
  },
})

const nothingRequired: Facts["required"] = {database: true, endpoints: [], agents: []}

/** The same facts, as they would be with another generation. */
const foreseeAll = (sources: Sources, next: Parameters<Foresee>[0], project: string): Facts => {
  const {running, endpoints} = sources
  const now = observe(sources)
  const {config, snapshot} = next
  return {
    ...now,
    required: config.config.http.readiness,
    plugins: pluginStates(next),
    notStarted: undefined,
    isPinned: false,
    endpoints: foreseeEndpoints(snapshot.endpoints, name => endpoints.get(name), now.now),
    ...(next === running.current ? {isPinned: now.isPinned} : {agents: standingsOf(snapshot, project)}),
  }
}
