import type {Firing, FiringTarget, JobTarget} from "../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {Problem} from "../../shared/problems.ts"
import type {JobRun} from "../../shared/sdk/plugin/job.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {PublishedJob} from "../generation/kinds/job.ts"
import {type PluginWork, runPluginWork} from "../messages/session/plugin-work.ts"
import type {Address, OutboxDraft} from "../outbox/draft.ts"
import type {DraftFiles} from "../outbox/files/draft-files.ts"
import type {Outbox} from "../outbox/outbox.ts"
import {inserting} from "../outbox/rows.ts"
import type {Clock} from "../runtime/flow/clock.ts"
import {explainValue} from "../runtime/text/explain.ts"
import {formatPath} from "../runtime/text/path.ts"
import {uuid} from "../runtime/uuid.ts"

/** How long a run of a plugin's job may take by default, in seconds. */
const usualTimeout = 600

const effectOf = (outbox: Outbox, sends: readonly OutboxDraft[], at: number) => ({
  statements: sends.length === 0 ? [] : [inserting(sends.map(draft => departureOf(draft, at)))],
  stored: () => outbox.stored(sends),
})

/** Returns a departure that waits its turn in the channel. */
const departureOf = (draft: OutboxDraft, at: number) => ({draft, content: toJson(draft.content), at, turn: undefined})

export const messageTarget = (outbox: Outbox, endpoints: Pick<Endpoints, "get">, clock: Clock): FiringTarget => {
  const problem = ({endpoint = ""}: JobTarget) =>
    endpoints.get(endpoint) === undefined ? `there is no endpoint ${endpoint}` : undefined
  return {
    problem,
    fire: async ({target}) => {
      const {endpoint = "", channel = "", text = ""} = target
      const missing = problem(target)
      if (missing !== undefined) throw new Problem("endpoint_unknown", missing)
      return effectOf(outbox, [{id: uuid(), kind: "message", endpoint, channel, content: [text]}], clock.now())
    },
  }
}

export interface PluginJobs {
  /** The jobs of the running generation, by `<plugin>/<job>`. */
  readonly current: () => ReadonlyMap<string, PublishedJob>
  /** Resolves when no change of generation is in progress. */
  readonly idle: () => Promise<unknown>
  readonly requireTarget: (address: Address) => void
  readonly clock: Clock
  /** Stores the files that runs send; without it there are none. */
  readonly files?: DraftFiles | undefined
}

/** A target that calls a function declared with `plugin.job`. */
export const pluginTarget = (outbox: Outbox, {current, idle, ...deps}: PluginJobs): FiringTarget => {
  const find = ({plugin, job}: JobTarget) => current().get(`${plugin}/${job}`)
  const problem = (target: JobTarget) =>
    find(target) === undefined ? `no plugin ${target.plugin} declares a job ${target.job}` : undefined
  return {
    problem,
    misfit: target => {
      const job = find(target)
      return job === undefined ? undefined : misfitOf(job, target.data)
    },
    positionOf: (target, error) => find(target)?.plugin?.positionOf?.(error),
    fire: async firing => {
      // Its instance may have failed, and a new one may be about to replace it.
      if (find(firing.target)?.signal.aborted !== false) await idle()
      const job = find(firing.target)
      if (job?.plugin === undefined) throw new Problem("job_unknown", problem(firing.target) ?? "")
      const misfit = misfitOf(job, firing.target.data)
      if (misfit !== undefined) throw new Problem("request_invalid", misfit)
      return effectOfRun(outbox, job, firing, deps)
    },
  }
}

const effectOfRun = async (
  outbox: Outbox,
  job: PublishedJob,
  firing: Parameters<FiringTarget["fire"]>[0],
  {clock, ...asked}: Pick<PluginJobs, "requireTarget" | "files" | "clock">,
) => {
  const {definition, handle, log} = job
  const about = {job: firing.job, runId: firing.runId}
  const timeout = (definition.timeout ?? usualTimeout) * 1000
  const {sends, writes, release} = await runPluginWork(
    {...asked, handler: job, about, timeout, signal: firing.signal},
    open => handle(jobRun(firing, log, open) as Parameters<typeof handle>[0]),
  )
  const effect = effectOf(outbox, sends, clock.now())
  return {...effect, statements: [...effect.statements, ...writes], release}
}

/** Returns one run of a job, as the plugin receives it. */
const jobRun = ({runId, job, scheduledFor, trigger, target}: Firing, log: Log, open: PluginWork): JobRun => ({
  runId,
  job,
  scheduledFor: new Date(scheduledFor),
  trigger,
  data: target.data,
  log,
  ...open,
})

const misfitOf = ({id, definition}: PublishedJob, data: unknown): string | undefined => {
  const [found] = definition.data === undefined ? [] : explainValue(definition.data, data)
  if (found === undefined) return undefined
  return `data of ${id} does not fit: ${formatPath(["data", ...found.path])}: ${found.message}`
}
