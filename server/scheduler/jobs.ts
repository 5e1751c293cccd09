import type {DraftCheck, DraftFinding, JobDraft} from "../../shared/api/scheduled/drafts.ts"
import type {
  FiringTarget,
  Job,
  JobChange,
  JobFileView,
  JobRemoval,
  JobTarget,
  JobView,
} from "../../shared/api/scheduled/jobs.ts"
import {formatIssue, messageOf, Problem} from "../../shared/problems.ts"
import type {JobDefault} from "../generation/kinds/job.ts"
import {checkDraft} from "./draft-check.ts"
import {addJob, editJob, findJob, removeJob} from "./job-changes.ts"
import {calls, newDefaults, recordDefaults, withDefaults} from "./job-defaults.ts"
import type {JobFileContent} from "./job-file/job-file.ts"
import {draftFindings} from "./job-file/job-findings.ts"
import {JobStore, jobFileName} from "./job-file/job-store.ts"
import {recordJobFile} from "./job-file/reconcile-job-file.ts"
import {scheduleKey} from "./job-states.ts"
import {iso, viewJob} from "./job-view.ts"
import {Scheduler, type SchedulerOptions} from "./scheduler.ts"
import {Calculator} from "./times/calculator.ts"

export interface JobsOptions extends Omit<SchedulerOptions, "targetOf"> {
  readonly authority: string
  /** The job file, and the content that `reconcileJobFile` found. */
  readonly path: string
  readonly content: JobFileContent | undefined
  /** Throws `ingress_paused`. */
  readonly requireOpen: () => void
  /** The default schedules that the running generation declares. */
  readonly declared: () => readonly JobDefault[]
  readonly targets: {readonly [K in "message" | "plugin" | "item" | "agent"]: FiringTarget}
}

/** Scheduled jobs: their file, their schedule, and the commands for them. */
export class Jobs {
  readonly #options: JobsOptions
  readonly #store: JobStore
  readonly scheduler: Scheduler
  #isStarted = false
  /** Generations are processed one after the other, so that each knows what the previous one recorded. */
  #declaring: Promise<void> = Promise.resolve()

  constructor(options: JobsOptions) {
    this.#options = options
    this.scheduler = new Scheduler({...options, targetOf: target => this.#targetOf(target)})
    const isExport = options.database.location.dialect === "libsql"
    this.#store = new JobStore({...options, isExport, apply: taken => this.#apply(taken)}, options.content)
  }

  /** Fires missed jobs, as each job says, and due ones. Call it once the first generation is committed. */
  async start(): Promise<void> {
    await this.scheduler.start(this.#options.content?.jobs ?? [])
    this.#store.watch()
    this.#isStarted = true
    await this.generationChanged()
  }

  /**
   * Call it when another generation runs: it writes the defaults that the generation declares to the file, each once.
   * It writes the file first. If the Host is killed after that, the next start finds a job that calls it. Never
   * rejects: the next start or commit retries what failed.
   */
  generationChanged(): Promise<void> {
    if (this.#isStarted) this.#declaring = this.#declaring.then(() => this.#writeDefaults())
    return this.#declaring
  }

  async #writeDefaults(): Promise<void> {
    const {database, log, declared} = this.#options
    try {
      const defaults = await newDefaults(database, declared())
      if (defaults.length === 0) return
      await this.#store.change(jobs => withDefaults(jobs, defaults))
      await recordDefaults(database, defaults)
      log.info(
        `wrote the defaults of ${defaults.map(({plugin, name}) => `${plugin}/${name}`).join(", ")} to ${jobFileName}`,
      )
    } catch (error) {
      log.error(`could not write the defaults that plugins declare to ${jobFileName}: ${messageOf(error)}`, {error})
    }
  }

  /** Stops firing. Resolves when running jobs have ended. */
  async drain(): Promise<void> {
    await this.#store.close()
    await this.#declaring
    await this.scheduler.drain()
  }

  /** Returns the jobs, sorted by id. */
  list(): readonly Job[] {
    return [...this.scheduler.jobs].sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  /** Throws `job_unknown`. */
  get(id: string): JobView {
    return this.view(findJob(this.scheduler.jobs, id))
  }

  view(job: Job): JobView {
    return viewJob(job, {
      nextAt: this.scheduler.nextOf(job.id),
      openRuns: this.scheduler.runner.openRuns(job.id),
      problem: this.#targetOf(job.target).problem(job.target),
      declared: this.#options.declared().find(declared => calls(job, declared)),
    })
  }

  /** Checks a job that somebody is typing: what prevents storing it, and when it would fire. */
  check({job: draft, replaces, ...asked}: JobDraft): DraftCheck {
    const found = draftFindings(draft)
    const {findings, next, changes} = checkDraft(draft, found, this.#options.clock.now(), asked)
    // A draft without findings is a complete job.
    return {findings: found.length > 0 ? findings : this.#findings(draft as Job, replaces), next, changes}
  }

  get file(): JobFileView {
    const {content, refused} = this.#store
    return {
      authority: content?.authority ?? null,
      sha256: content?.sha256 ?? null,
      refused:
        refused === undefined
          ? null
          : {at: iso(refused.at), detail: refused.problem.message, issues: refused.problem.issues.map(formatIssue)},
    }
  }

  /** Throws `conflict`, `request_invalid`, `jobs_invalid`. */
  async add(job: Job): Promise<void> {
    await this.#store.change(jobs => {
      const added = addJob(jobs, job)
      this.#requireTarget(job)
      this.#requireFuture(job)
      return added
    })
  }

  /** Throws `job_unknown`, `conflict`, `request_invalid`, `jobs_invalid`. */
  async edit(id: string, change: JobChange): Promise<void> {
    await this.#store.change(jobs => {
      const edited = editJob(jobs, id, change)
      const job = findJob(edited, id)
      if (change.target !== undefined) this.#requireTarget(job)
      if (change.schedule !== undefined || change.timezone !== undefined) this.#requireFuture(job)
      return edited
    })
  }

  /** Removes a job and cancels queued runs; one at work continues. Throws `job_unknown`, `conflict`, `jobs_invalid`. */
  async remove(id: string, asked: JobRemoval = {}): Promise<void> {
    await this.#store.change(jobs => removeJob(jobs, id, asked))
  }

  /** Runs a job now. Resolves to the durable run's `runId`. Throws `job_unknown`, `conflict`, `ingress_paused`. */
  async run(id: string): Promise<string> {
    this.#options.requireOpen()
    return this.scheduler.runNow(id)
  }

  async #apply(content: JobFileContent): Promise<void> {
    await recordJobFile(this.#options.database, content)
    await this.scheduler.apply(content.jobs)
  }

  #targetOf(target: JobTarget): FiringTarget {
    const {message, plugin, item, agent} = this.#options.targets
    if (target.agent !== undefined) return agent
    if (target.plugin !== undefined) return plugin
    return target.item === undefined ? message : item
  }

  /** Returns what prevents storing a complete job. */
  #findings(job: Job, replaces: string | undefined): DraftFinding[] {
    const taken = job.id !== replaces && this.scheduler.job(job.id) !== undefined
    const target = this.#targetProblem(job)
    const before = replaces === undefined ? undefined : this.scheduler.job(replaces)
    const isPast = (before === undefined || scheduleKey(before) !== scheduleKey(job)) && this.#isPast(job)
    return [
      ...(taken ? [{path: "id", message: `there is already a job ${job.id}`}] : []),
      ...(target === undefined ? [] : [target]),
      ...(isPast ? [{path: "schedule.at", message: `${job.schedule.at} is in the past`}] : []),
    ]
  }

  #targetProblem({target}: Job): DraftFinding | undefined {
    const of = this.#targetOf(target)
    const problem = of.problem(target)
    if (problem !== undefined) return {path: "target", message: problem}
    const misfit = of.misfit?.(target)
    return misfit === undefined ? undefined : {path: "target.data", message: misfit}
  }

  #isPast(job: Job): boolean {
    const now = this.#options.clock.now()
    return job.schedule.at !== undefined && new Calculator().coming(job, 1, now).length === 0
  }

  #requireTarget(job: Job): void {
    const problem = this.#targetProblem(job)
    if (problem !== undefined) throw new Problem("request_invalid", `${problem.path}: ${problem.message}`)
  }

  #requireFuture(job: Job): void {
    if (this.#isPast(job)) throw new Problem("request_invalid", `schedule.at: ${job.schedule.at} is in the past`)
  }
}
