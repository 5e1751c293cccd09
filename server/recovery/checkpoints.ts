import type {CheckpointFailure, CheckpointTask, NewestCheckpoint, Verification} from "../../shared/api/checkpoint.ts"
import type {Log} from "../../shared/log.ts"
import {Problem, toProblem} from "../../shared/problems.ts"
import {type CheckpointSource, type CreateOptions, createCheckpoint} from "./checkpoint/create.ts"
import {pruneCheckpoints} from "./checkpoint/prune.ts"
import {cleanScratch, hostScratch} from "./checkpoint/scratch.ts"
import type {CheckpointStore, ListedCheckpoint} from "./checkpoint/store.ts"
import type {Progress} from "./files/files.ts"
import type {News, Tell} from "./news.ts"
import {verifyApart} from "./verify/verify-apart.ts"

export interface CheckpointsOptions {
  readonly store: CheckpointStore
  /** Returns the present state to save. */
  readonly source: () => CheckpointSource
  readonly temporary: string
  readonly log: Log
  readonly tell: Tell
}

export interface CreateRequest extends Pick<CreateOptions, "reason" | "restorePoint" | "signal"> {
  readonly verify?: boolean
}

/** The checkpoints of a running Host. It creates or verifies one at a time. */
export class Checkpoints {
  readonly store: CheckpointStore
  readonly #options: CheckpointsOptions
  readonly #closing = new AbortController()
  #task: CheckpointTask | null = null
  #running: Promise<unknown> = Promise.resolve()
  #newest: ListedCheckpoint | undefined
  #failure: CheckpointFailure = null
  /** The results of the checkpoints that this Host has created or verified. */
  readonly outcomes = {verified: 0, refused: 0, failed: 0}
  /** Returns whether a checkpoint must be kept, because its observation window is open. */
  spared: (id: string) => boolean = () => false

  constructor(options: CheckpointsOptions) {
    this.#options = options
    this.store = options.store
  }

  /** The running or last task. */
  get task(): CheckpointTask | null {
    return this.#task
  }

  /** The newest verified checkpoint; null before there is one. */
  newest(now: number): NewestCheckpoint {
    if (this.#newest === undefined) return null
    const {id, manifest} = this.#newest
    return {
      id,
      createdAt: manifest.createdAt,
      age: Math.max(0, Math.round((now - Date.parse(manifest.createdAt)) / 1000)),
    }
  }

  /** Why the last attempt produced no verified checkpoint; null if it did, and before the first attempt. */
  get failure(): CheckpointFailure {
    return this.#failure
  }

  /** Deletes the unfinished checkpoints of earlier runs. */
  async start(): Promise<void> {
    await this.store.cleanUp()
    await cleanScratch(this.#options.temporary)
    await this.#refresh()
  }

  /** Starts a checkpoint. Resolves once it has an id. Throws `checkpoint_busy`, and the problem that prevents the start. */
  async begin(request: CreateRequest): Promise<CheckpointTask> {
    const begun = Promise.withResolvers<void>()
    const done = this.create(request, begun.resolve)
    done.catch(begun.reject)
    await begun.promise
    return this.#current()
  }

  /** Creates a checkpoint, and verifies it unless `verify` is false. Throws `checkpoint_busy` and the problems of `createCheckpoint`. */
  create(
    {reason, restorePoint, verify = true, signal = this.#closing.signal}: CreateRequest,
    begun: () => void = () => {},
  ): Promise<ListedCheckpoint> {
    const ending = AbortSignal.any([this.#closing.signal, signal])
    return this.#alone("create", "", async progress => {
      const created = await createCheckpoint(this.store, this.#options.source(), {
        reason,
        ...(restorePoint === undefined ? {} : {restorePoint}),
        begun: id => {
          this.#task = {...this.#current(), id}
          begun()
        },
        progress,
        signal: ending,
      })
      await this.#tell({type: "checkpoint.created", data: {checkpoint: created.id, reason, size: created.size}})
      if (!verify) return created
      const verification = await this.#verify(created, progress, ending)
      return {...created, verification}
    })
  }

  /** Starts a verification. Throws `checkpoint_busy`, `checkpoint_unknown`, `checkpoint_invalid`, `checkpoint_newer`. */
  async beginVerify(name: string): Promise<CheckpointTask> {
    const stored = await this.store.find(name)
    this.#alone("verify", stored.id, progress => this.#verify(stored, progress, this.#closing.signal)).catch(() => {})
    return this.#current()
  }

  /** Prunes checkpoints. Resolves to the deleted ids. Throws `checkpoint_busy`. */
  async prune(keep: number, among: (checkpoint: ListedCheckpoint) => boolean = () => true): Promise<readonly string[]> {
    if (this.#task?.state === "running") throw busy(this.#task)
    const gone = await pruneCheckpoints(this.store, {keep, among, spared: this.spared})
    for (const checkpoint of gone) await this.#tell({type: "checkpoint.pruned", data: {checkpoint}})
    return gone
  }

  async remove(id: string): Promise<void> {
    await this.store.remove(id)
    await this.#refresh()
    await this.#tell({type: "checkpoint.pruned", data: {checkpoint: id}})
  }

  /** Resolves once no task is running. */
  async idle(): Promise<void> {
    await this.#running.catch(() => {})
  }

  /** Aborts the running task and deletes its leftovers. */
  async stop(): Promise<void> {
    this.#closing.abort()
    await this.#running.catch(() => {})
  }

  async #verify(stored: ListedCheckpoint, progress: Progress, signal: AbortSignal): Promise<Verification> {
    const {temporary, source} = this.#options
    const scratch = hostScratch(temporary)
    const request = {root: this.store.root, id: stored.id, temporary: scratch, secrets: source().secrets}
    const verification = await verifyApart(request, progress, signal)
    await this.store.keepVerification(stored.id, verification)
    const {ok, findings, warnings} = verification
    const checkpoint = stored.id
    if (ok) {
      this.#end("verified")
      await this.#tell({type: "checkpoint.verified", data: {checkpoint, warnings}})
    } else {
      this.#end("refused", {code: "checkpoint_invalid", detail: findings.join("; ")})
      await this.#tell({type: "checkpoint.refused", data: {checkpoint, findings, warnings}})
    }
    await this.#refresh()
    return verification
  }

  #alone<T>(task: CheckpointTask["task"], id: string, work: (progress: Progress) => Promise<T>): Promise<T> {
    if (this.#task?.state === "running") return Promise.reject(busy(this.#task))
    if (this.#closing.signal.aborted) return Promise.reject(new Problem("stopping", "the Host is stopping"))
    this.#task = {task, id, state: "running", step: "beginning", done: 0, total: 0, problem: null}
    const done = work((step, bytes, total) => {
      this.#task = {...this.#current(), step, done: bytes, total}
    }).then(
      result => {
        this.#task = {...this.#current(), state: "done"}
        return result
      },
      async error => {
        const {code, message: detail, hint} = toProblem(error, "checkpoint_failed")
        this.#task = {...this.#current(), state: "failed", problem: {code, detail, hint}}
        this.#end("failed", {code, detail})
        const data = {checkpoint: this.#current().id, code, detail}
        if (!this.#closing.signal.aborted) await this.#tell({type: "checkpoint.failed", data})
        throw error
      },
    )
    this.#running = done
    return done
  }

  #end(outcome: keyof Checkpoints["outcomes"], why?: {readonly code: string; readonly detail: string}): void {
    this.outcomes[outcome]++
    this.#failure =
      why === undefined ? null : {at: new Date().toISOString(), checkpoint: this.#current().id || null, ...why}
  }

  #current(): CheckpointTask {
    if (this.#task === null) throw new Error("nothing was begun")
    return this.#task
  }

  async #refresh(): Promise<void> {
    this.#newest = await this.store.newestVerified()
  }

  async #tell(news: Extract<News, {readonly type: `checkpoint.${string}`}>): Promise<void> {
    const {log, tell} = this.#options
    const {type, data} = news
    const {checkpoint} = data
    if (type === "checkpoint.failed")
      log.error(`could not create a checkpoint: ${data.detail}`, {checkpoint, code: data.code})
    else if (type === "checkpoint.refused")
      log.error(`checkpoint ${checkpoint} cannot be restored: ${data.findings.join("; ")}`)
    else log.info(`checkpoint ${checkpoint} is ${type.replace("checkpoint.", "")}`)
    if (type === "checkpoint.verified")
      for (const warning of data.warnings) log.error(`checkpoint ${checkpoint}: ${warning}`)
    await tell(news)
  }
}

const busy = ({task, id}: CheckpointTask) =>
  new Problem("checkpoint_busy", `the Host is ${task === "create" ? "creating" : "verifying"} ${id || "a checkpoint"}`)
