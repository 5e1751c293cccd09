import type {AlertCode} from "../../../shared/alerts/items.ts"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import type {Status} from "../../../shared/api/system.ts"
import {findingsOf} from "../../../shared/attention/find.ts"
import type {Facts} from "../../../shared/attention/finding.ts"
import {readAgentAttention} from "../../agents/part/attention.ts"
import {readAgentEnds} from "../../agents/runs/figures.ts"
import {readStoredSizes} from "../../capacity/metrics.ts"
import type {Database} from "../../database/database.ts"
import {countStarts, readFirstStart} from "../../database/state/runs.ts"
import {readGaps} from "../../endpoints/gaps/view.ts"
import {viewEndpoints} from "../../endpoints/part/endpoints.ts"
import {viewPlugins} from "../../generation/routes/plugin-views.ts"
import {readInboxDepth} from "../../inbox/look-ups.ts"
import type {Condition, Seen} from "../../metrics/alerts/condition.ts"
import {type Figures, FigureWatch, type SeenGap} from "../../metrics/alerts/figures.ts"
import {MemoryWatch, memoryCondition} from "../../metrics/alerts/memory.ts"
import {conditionsOf} from "../../metrics/alerts/words.ts"
import {type Depth, readOutboxDepth} from "../../outbox/depths.ts"
import {freeSpace} from "../../runtime/files.ts"
import {Allocations} from "../../runtime/flow/allocations.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {withLastRuns} from "../../scheduler/part/job-runs.ts"
import type {Sources} from "../parts/sources.ts"
import {every, once} from "./remember.ts"

export interface AlertSources {
  readonly sources: Sources
  readonly status: () => Status
  readonly report: () => ReadinessReport
  /** The wall clock, in milliseconds since 1970. */
  readonly now?: () => number
}

/** The longest wait for a slow reading, in milliseconds. After it, the alerts of that reading stay as they are. */
const readLimit = 5000

/** The interval of readings that count row by row, in milliseconds. */
const depthsEvery = 60_000

/** The interval of looks at what holds growing memory, in milliseconds. Each collects garbage. */
const heldEvery = 3_600_000

/** Creates a function that looks at the Host as its console does, and at the figures that only alerts need. */
export const createLook = ({sources, status, report, now = Date.now}: AlertSources): (() => Promise<Seen>) => {
  const {identity, database, endpoints, handlers, events, logs, running} = sources
  const {jobs} = sources.jobs
  const {bindings} = sources.agents
  const {workroom} = sources.workroom
  const {capacity, disk} = sources.capacity
  const current = () => running.require()
  const viewJobs = () => {
    const views = jobs.list().map(job => jobs.view(job))
    return withLastRuns(database, views)
  }
  const watch = new FigureWatch()
  const memory = new MemoryWatch()
  const allocations = new Allocations()
  const ownerOf = (script: string) =>
    current().instances.find(({files}) => files.some(file => script.includes(file)))?.name
  const held = every(heldEvery, () => allocations.held(ownerOf), now)
  const depths = every(depthsEvery, () => Promise.all([readInboxDepth(database), readOutboxDepth(database)]), now)
  const room = every(depthsEvery, () => capacity.info(false), now)
  const names = () => bindings.list().map(({name}) => name)
  const ended = every(depthsEvery, () => readAgentEnds(database, names(), now()), now)
  const starts = once(() => countStarts(database, identity.startedAt))
  const firstStart = once(() => readFirstStart(database))
  return async () => {
    const unknown = new Set<AlertCode>()
    const read = <T>(work: () => Promise<T>, ...codes: readonly AlertCode[]): Promise<T | undefined> =>
      withTimeLimit(readLimit, work).catch(() => {
        for (const code of codes) unknown.add(code)
        return undefined
      })
    const [boxes, info, list, agents, gaps, size, free, ends, started, first] = await Promise.all([
      read(depths, "inbox_aside", "outbox_aside", "inbox_stuck", "outbox_stuck"),
      read(room, "disk_filling"),
      read(viewJobs, "jobs_failed", "jobs_unreachable"),
      read(
        () => readAgentAttention(bindings, database),
        "approvals_waiting",
        "agents_wrong",
        "agents_failed",
        "agents_held",
      ),
      read(() => readSeenGaps(database), "endpoint_gap"),
      read(() => readStoredSizes(database.location), "database_capacity"),
      read(async () => Math.min(...(await Promise.all(disk.folders.map(freeSpace)))), "disk_full"),
      read(ended, "agent_failures"),
      read(starts, "restarts"),
      read(firstStart, "checkpoint_missing"),
    ])
    const required = current().config.config.http.readiness.endpoints
    const facts: Facts = {
      status: status(),
      report: report(),
      endpoints: viewEndpoints(endpoints, required),
      plugins: viewPlugins(current(), handlers),
      database: info ?? {daysLeft: null, disk: {free: 0, pauseBelow: 0, resumeAt: 0}},
      workroom: {overdue: workroom.items.filter(({blocker}) => blocker?.overdue === true).length},
      aside: {
        inbox: boxes === undefined ? 0 : asideIn(boxes[0], "failed", "dead", "held"),
        outbox: boxes === undefined ? 0 : asideIn(boxes[1], "failed", "dead", "unknown", "held") + boxes[1].missed,
      },
      jobs: list === undefined ? undefined : {items: list, file: jobs.file},
      agents,
    }
    const {state} = database
    const figures: Figures = {
      starts: started,
      startedAt: identity.startedAt,
      errors: logs.written.error + logs.written.fatal,
      streamGaps: [...events.stream.gaps.values()].reduce((sum, count) => sum + count, 0),
      eventsDropped: events.events.dropped,
      gaps,
      capacity: size?.svc_database_capacity_ratio?.[0]?.value,
      disk: free === undefined ? undefined : {free, least: disk.least()},
      databaseFailure: state.is === "initialized" ? state.failure : undefined,
      databaseDamage: state.is === "initialized" ? state.damage : undefined,
      oldest: boxes === undefined ? undefined : {inbox: boxes[0].oldestAge, outbox: boxes[1].oldestAge},
      blocked: workroom.items.filter(({state: is}) => is === "blocked").length,
      agents: ends,
    }
    const found = findingsOf(facts)
      .flatMap(conditionsOf)
      .map(condition => sinceStart(condition, identity.startedAt, first))
    const grown = memory.take(process.memoryUsage.rss(), performance.now())
    const growing = grown === undefined ? [] : [memoryCondition(grown, await held().catch(() => undefined))]
    return {conditions: [...found, ...watch.conditions(figures, now()), ...growing], unknown}
  }
}

const asideIn = ({byState}: Depth, ...states: readonly string[]): number =>
  states.reduce((sum, state) => sum + (byState[state] ?? 0), 0)

/** Adds times that no view has: since when a checkpoint could exist, and when the Host found the killed run. */
const sinceStart = (condition: Condition, startedAt: number, firstStart: number | undefined): Condition => {
  if (condition.code === "unclean_end") return {...condition, since: startedAt}
  return condition.code === "checkpoint_missing" && firstStart !== undefined
    ? {...condition, since: firstStart}
    : condition
}

/** The newest 100 gaps. */
const readSeenGaps = async (database: Database): Promise<readonly SeenGap[]> =>
  (await readGaps(database, Number.MAX_SAFE_INTEGER, 100)).map(({from, to, ...gap}) => ({
    ...gap,
    from: Date.parse(from),
    to: to === null ? null : Date.parse(to),
  }))
