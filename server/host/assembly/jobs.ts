import type {FiringTarget} from "../../../shared/api/scheduled/jobs.ts"
import {hostActor} from "../../../shared/api/workroom.ts"
import {pluginPath} from "../../../shared/ids.ts"
import {misfitOf} from "../../config/explain.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import type {Generations} from "../../generation/generations.ts"
import {jobDefaultsOf} from "../../generation/job-defaults.ts"
import type {Inbox} from "../../inbox/inbox.ts"
import type {TimerRunner} from "../../messages/handler.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {Jobs, type JobsOptions} from "../../scheduler/jobs.ts"
import {messageTarget, pluginTarget} from "../../scheduler/targets.ts"
import {Timers, type TimersOptions} from "../../scheduler/timers/timers.ts"
import type {Workroom} from "../../workroom/workroom.ts"

export interface HostJobsOptions
  extends Pick<JobsOptions, "database" | "log" | "scrub" | "runtimeId" | "authority" | "content"> {
  readonly paths: ProjectPaths
  readonly outbox: Outbox
  readonly endpoints: Endpoints
  readonly generations: Generations
  readonly ingress: Ingress
  readonly workroom: Pick<Workroom, "run">
  readonly clock: Clock
  readonly files: DraftFiles
  /** Starts a run of an agent. */
  readonly agent: FiringTarget
}

export const createJobs = (options: HostJobsOptions): Jobs => {
  const {outbox, endpoints, generations, ingress, paths, clock} = options
  return new Jobs({
    ...options,
    path: paths.jobs,
    isPaused: () => ingress.isPaused,
    requireOpen: () => ingress.requireOpen("no job is run"),
    declared: () => (generations.current?.instances ?? []).flatMap(jobDefaultsOf),
    targets: {
      message: messageTarget(outbox, endpoints, clock),
      plugin: pluginTarget(outbox, {
        current: () => generations.current?.snapshot.jobs ?? new Map(),
        settled: () => generations.settled(),
        requireTarget: address => endpoints.requireTarget(address),
        clock,
        files: options.files,
      }),
      item: itemTarget(options.workroom),
      agent: options.agent,
    },
  })
}

/**
 * Adds a work item under the run's id, before the run has ended. If the process is killed at any moment, there is at
 * most one item; a failed run may have left one.
 */
const itemTarget = (workroom: Pick<Workroom, "run">): FiringTarget => ({
  problem: () => undefined,
  fire: async ({runId, target}) => {
    const {
      title = "",
      description = "",
      priority = "normal",
      labels = [],
      assignee = null,
      conversation = null,
    } = target.item ?? {}
    const command = {is: "add", title, description, priority, labels, assignee, conversation, request: runId} as const
    await workroom.run({actor: hostActor, item: 0, command})
    return {statements: []}
  },
})

interface HostTimersOptions extends Pick<TimersOptions, "database" | "log"> {
  readonly generations: Generations
  readonly ingress: Ingress
  readonly inbox: Inbox
  readonly clock: Clock
}

/** The timers of a Host. They fire handlers of the running generation. */
export const createTimers = ({generations, ingress, inbox, ...options}: HostTimersOptions): Timers => {
  const kinds = (): ReadonlyMap<string, TimerRunner> => generations.current?.snapshot.messages.timers ?? new Map()
  return new Timers({
    ...options,
    find: (plugin, name) => {
      const timer = kinds().get(`${pluginPath(plugin)}/timer/${name}`)?.timer
      if (timer === undefined) return undefined
      const {id, definition} = timer
      return {id, missed: definition.missed ?? "once", problemOf: data => misfitOf("data", definition.data, data)}
    },
    declared: () =>
      (generations.current?.instances ?? []).flatMap(({name, registrations}) =>
        [...registrations.timers.keys()].map(timer => [name, timer] as const),
      ),
    settled: () => generations.settled(),
    isPaused: () => ingress.isPaused,
    fire: (firings, around) => inbox.fire(firings, around),
  })
}
