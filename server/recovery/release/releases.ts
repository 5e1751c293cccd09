import {randomBytes} from "node:crypto"
import type {BuildIdentity} from "../../../shared/api/build.ts"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {BodyOf} from "../../../shared/api/operations/operation.ts"
import type {releaseOperations} from "../../../shared/api/operations/recovery.ts"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import type {ReleaseEntry, ReleaseVerification, ReleaseView, RestorePoint} from "../../../shared/api/release.ts"
import {durationOf} from "../../../shared/duration.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem, toProblem} from "../../../shared/problems.ts"
import type {ListedCheckpoint} from "../checkpoint/store.ts"
import type {Checkpoints} from "../checkpoints.ts"
import type {News, Tell} from "../news.ts"
import {neededCheckpoints, type ReleaseRecord, releasesOf, stillPausing, underWay} from "./record.ts"
import {type Running, requireCurrent, requireUnderWay, requireVerified, warningsOf} from "./rules.ts"

export interface ReleasesOptions extends Pick<Running, "copy" | "changes"> {
  readonly record: ReleaseRecord
  readonly checkpoints: Checkpoints
  readonly ingress: {pause(reason: "release"): Promise<void>; resume(reason: "release"): Promise<void>}
  readonly code: () => Promise<Pick<Manifest["code"], "commit" | "clean">>
  readonly build: () => Promise<BuildIdentity>
  /** Deletes what `svc release prepare` kept. */
  readonly discard: () => Promise<void>
  readonly runtimeId: string
  readonly window: () => string
  readonly log: Log
  readonly tell: Tell
}

/** The releases of a running Host: one at a time. */
export class Releases {
  readonly #options: ReleasesOptions
  #last: Promise<unknown> = Promise.resolve()
  #making: Promise<void> | undefined
  #entries: readonly ReleaseEntry[] = []

  constructor(options: ReleasesOptions) {
    this.#options = options
    options.checkpoints.spared = id => neededCheckpoints(this.#entries, Date.now()).has(id)
  }

  /** Resumes ingress if an ended release left it paused. */
  start(): Promise<void> {
    return this.#alone(async () => {
      const ended = stillPausing(this.#entries)
      if (ended !== undefined) await this.#resume(ended)
    })
  }

  /** Waits for the running steps. Stop the checkpoints first. */
  async stop(): Promise<void> {
    await this.#making
    await this.#last
  }

  /** Resolves to the releases, newest first. Throws `release_record_damaged`. */
  async list(): Promise<readonly ReleaseView[]> {
    this.#entries = await this.#options.record.read()
    return releasesOf(this.#entries, Date.now())
  }

  /**
   * Pauses ingress and starts the checkpoint. Resolves once that is under way. Repeats an interrupted begin. Throws
   * `release_refused`, `checkpoint_busy`, `restore_point_missing`.
   */
  begin(restorePoint?: string): Promise<ReleaseView> {
    return this.#alone(async () => {
      const {checkpoints, code, ingress} = this.#options
      const current = underWay(this.#entries)
      if (current?.state === "begun")
        throw new Problem("release_refused", `the release ${current.id} is under way`, {
          hint: "Run svc release complete or svc release abort.",
        })
      if (this.#making !== undefined || checkpoints.task?.state === "running")
        throw new Problem("checkpoint_busy", "the Host is creating or verifying a checkpoint")
      if ((await code()).clean === false)
        throw new Problem("release_refused", "the git work tree has uncommitted changes", {
          hint: "Commit or remove them (git status): a rollback goes back to a commit.",
        })
      const changes = await this.#options.changes()
      if (changes.length > 0)
        throw new Problem(
          "release_refused",
          ["the Host runs something else than the project's files", ...changes].join("\n  "),
          {hint: "Run svc build if the project has a build, then svc runtime restart; then repeat the command."},
        )
      const release = current?.id ?? newId(new Date())
      await this.#append({is: "beginning", release})
      await ingress.pause("release")
      const begun = Promise.withResolvers<void>()
      const made = checkpoints.create(
        {reason: "release", ...(restorePoint === undefined ? {} : {restorePoint})},
        begun.resolve,
      )
      this.#making = this.#await(release, made).finally(() => {
        this.#making = undefined
      })
      await Promise.race([begun.promise, made.catch(() => {})])
      return this.#viewOf(release)
    })
  }

  /** Records a verification. Throws `release_refused`. */
  verified(verification: ReleaseVerification): Promise<ReleaseView> {
    return this.#alone(async () => {
      const {id: release} = requireUnderWay(this.#entries)
      await this.#append({is: "verified", release, verification})
      const {commit, ok, steps} = verification
      await this.#tell({
        type: "release.verified",
        data: {release, commit, ok, failed: steps.find(step => !step.ok)?.name ?? null},
      })
      return this.#viewOf(release)
    })
  }

  /**
   * Completes the release: ingress opens and the observation window begins. Throws `release_refused`,
   * `release_not_verified`, `release_not_ready`.
   */
  complete(
    {acceptedBy, window, unverified}: BodyOf<typeof releaseOperations.complete>,
    report: ReadinessReport,
  ): Promise<ReleaseView> {
    return this.#alone(async () => {
      const current = requireUnderWay(this.#entries)
      const {id: release} = current
      const {log, copy, changes} = this.#options
      const build = await this.#options.build()
      requireCurrent(build)
      if (unverified === undefined) {
        await requireVerified(current, {build, code: await this.#options.code(), copy, changes})
        for (const warning of warningsOf(build)) log.warn(`release ${release}: ${warning}`)
      }
      requireReady(report)
      const windowEnds = new Date(Date.now() + durationOf(window ?? this.#options.window())).toISOString()
      await this.#append({
        is: "completed",
        release,
        acceptedBy,
        unverified: unverified ?? null,
        commit: build.commit,
        build,
        generation: report.generation,
        runtimeId: this.#options.runtimeId,
        windowEnds,
      })
      await this.#resume(release)
      await this.#tell({type: "release.completed", data: {release, windowEnds}})
      return this.#viewOf(release)
    })
  }

  /** Aborts the release and opens ingress. Throws `release_refused`. */
  abort(reason: string): Promise<ReleaseView> {
    return this.#alone(async () => {
      const {id: release} = requireUnderWay(this.#entries, ["beginning", "begun"])
      await this.#append({is: "aborted", release, reason})
      await this.#resume(release)
      await this.#tell({type: "release.aborted", data: {release, reason}})
      return this.#viewOf(release)
    })
  }

  async #await(release: string, made: Promise<ListedCheckpoint>): Promise<void> {
    const outcome = await made.then(
      checkpoint => ({checkpoint}),
      (error: unknown) => ({error}),
    )
    await this.#alone(() => this.#conclude(release, outcome)).catch(error =>
      this.#options.log.error(`release ${release}: ${messageOf(error)}`),
    )
  }

  async #conclude(release: string, outcome: {checkpoint: ListedCheckpoint} | {error: unknown}): Promise<void> {
    // An operator may have aborted the release meanwhile.
    if (underWay(this.#entries)?.id !== release) return
    if ("checkpoint" in outcome && outcome.checkpoint.verification?.ok === true) {
      const restorePoint = restorePointOf(outcome.checkpoint)
      await this.#append({is: "begun", release, restorePoint})
      await this.#tell({type: "release.begun", data: {release, checkpoint: restorePoint.checkpoint}})
      return
    }
    const {code, message: detail} =
      "error" in outcome
        ? toProblem(outcome.error, "checkpoint_failed")
        : new Problem("checkpoint_failed", `${outcome.checkpoint.id} cannot be restored`)
    await this.#append({is: "begin_failed", release, code, detail})
    await this.#tell({type: "release.begin_failed", data: {release, code, detail}})
  }

  async #resume(release: string): Promise<void> {
    const {ingress, discard, log} = this.#options
    await ingress.resume("release")
    await discard().catch(error => log.warn(`could not remove what release ${release} prepared`, {error}))
    await this.#append({is: "ingress_resumed", release})
  }

  async #append(entry: Parameters<ReleaseRecord["append"]>[0]): Promise<void> {
    this.#entries = [...this.#entries, await this.#options.record.append(entry)]
  }

  #viewOf(release: string): ReleaseView {
    const view = releasesOf(this.#entries, Date.now()).find(({id}) => id === release)
    if (view === undefined) throw new Error(`the release ${release} is missing right after it was recorded`)
    return view
  }

  /** Does work one at a time, each time with the present record. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      this.#entries = await this.#options.record.read()
      return work()
    })
    this.#last = done.catch(() => {})
    return done
  }

  async #tell(news: Extract<News, {readonly type: `release.${string}`}>): Promise<void> {
    const {log, tell} = this.#options
    log.info(`${news.type}: ${news.data.release}`)
    await tell(news)
  }
}

const newId = (at: Date): string =>
  `r${at.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15)}-${randomBytes(3).toString("hex")}`

const requireReady = ({ready, components}: ReadinessReport): void => {
  if (ready) return
  const missing = components.filter(each => each.required && !each.ready)
  throw new Problem(
    "release_not_ready",
    `not ready: ${missing.map(({kind, name, reason}) => `${kind} ${name}: ${reason}`).join("; ") || "the Host"}`,
  )
}

const restorePointOf = ({id, manifest}: ListedCheckpoint): RestorePoint => ({
  checkpoint: id,
  authority: manifest.authority,
  commit: manifest.code.commit,
  image: manifest.code.image,
  lockfile: manifest.lockfile,
  configuration: {sha256: manifest.configuration.sha256, generation: manifest.generation},
  schema: manifest.database.schema,
  version: manifest.version,
})
