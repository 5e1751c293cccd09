import {Readable} from "node:stream"
import type {CheckpointTask} from "../../../shared/api/checkpoint.ts"
import type {Log} from "../../../shared/log.ts"
import {Problem, toProblem} from "../../../shared/problems.ts"
import {sizeOf} from "../checkpoint/manifest.ts"
import {hostScratch} from "../checkpoint/scratch.ts"
import type {Checkpoints} from "../checkpoints.ts"
import type {Tell} from "../news.ts"
import type {SecretValues} from "../secrets/search.ts"
import {verifyApart} from "../verify/verify-apart.ts"
import type {Arrival} from "./arrival.ts"

/** Loaded by the first upload: few Hosts receive one. */
const loadArrivals = () => import("./arrival.ts")

export interface UploadsOptions {
  readonly checkpoints: Pick<Checkpoints, "store" | "idle">
  /** Returns the values that no checkpoint may contain. */
  readonly secrets: () => SecretValues
  readonly temporary: string
  /** Returns how many bytes must stay free on the disk. */
  readonly least: () => number
  readonly log: Log
  readonly tell: Tell
}

/** Receives uploaded checkpoints in a running Host, one at a time. */
export class Uploads {
  readonly #options: UploadsOptions
  readonly #closing = new AbortController()
  #task: CheckpointTask | null = null
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: UploadsOptions) {
    this.#options = options
  }

  /** The progress or result of the last upload. */
  get task(): CheckpointTask | null {
    return this.#task
  }

  /** Aborted when the Host stops. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Throws `checkpoint_busy` while another upload is under way, and `stopping`. */
  requireFree(): void {
    if (this.#closing.signal.aborted) throw new Problem("stopping", "the Host is stopping")
    if (this.#task?.state === "running") throw new Problem("checkpoint_busy", "another upload is under way")
  }

  /**
   * Unpacks an archive while it arrives; `size` is its length in bytes, or 0 if unknown. Resolves once it is complete; the
   * verification continues, and the task has its result. Throws the problems of `requireFree` and `unpackArrival`, and then
   * leaves nothing behind.
   */
  receive(pieces: AsyncIterable<Uint8Array>, size: number): Promise<CheckpointTask> {
    this.requireFree()
    const begun: CheckpointTask = {
      task: "upload",
      id: "",
      state: "running",
      step: "receiving",
      done: 0,
      total: size,
      problem: null,
    }
    this.#task = begun
    const received = this.#receive(pieces, begun)
    this.#running = received.then(({ended}) => ended).catch(() => {})
    return received.then(({task}) => task)
  }

  /** Aborts the running upload and deletes its leftovers. */
  async stop(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #receive(pieces: AsyncIterable<Uint8Array>, begun: CheckpointTask) {
    const {checkpoints, secrets, least} = this.#options
    const counted = Readable.from(this.#counting(pieces, begun), {objectMode: false})
    const arrival = await loadArrivals()
      .then(({unpackArrival}) => unpackArrival(checkpoints.store, counted, {spare: least(), secrets}))
      .catch(error => {
        this.#task = this.#failed(error, begun)
        throw error
      })
    const {id, isKnown} = arrival
    const task: CheckpointTask = {...begun, id, step: "waiting for another checkpoint", total: 0}
    this.#task = task
    const ended = this.#end(arrival, task)
    // For a known checkpoint the task ends at once.
    if (isKnown) await ended
    return {task: this.#task, ended}
  }

  async *#counting(pieces: AsyncIterable<Uint8Array>, begun: CheckpointTask): AsyncGenerator<Uint8Array> {
    let done = 0
    for await (const piece of pieces) {
      done += piece.length
      this.#task = {...begun, done}
      yield piece
    }
  }

  async #end(arrival: Arrival, task: CheckpointTask): Promise<void> {
    const {id, isKnown, drop} = arrival
    const ended: CheckpointTask = isKnown
      ? {...task, state: "done", step: "already stored"}
      : await this.#store(arrival, task).catch(error => this.#failed(error, task))
    await drop().catch(error =>
      this.#options.log.warn(`could not delete the leftovers of the upload of ${id}`, {error}),
    )
    // Nothing of it is left: the next one may begin.
    this.#task = ended
  }

  async #store(arrival: Arrival, task: CheckpointTask): Promise<CheckpointTask> {
    const {checkpoints, tell, log} = this.#options
    const {id, manifest} = arrival
    await checkpoints.idle()
    const {storeArrival} = await loadArrivals()
    await storeArrival(checkpoints.store, arrival, await this.#verify(arrival, task))
    log.info(`uploaded and verified checkpoint ${id}`)
    await tell({type: "checkpoint.uploaded", data: {checkpoint: id, size: sizeOf(manifest)}})
    return {...task, state: "done", step: "stored"}
  }

  #verify({root, id}: Arrival, task: CheckpointTask) {
    const {temporary, secrets} = this.#options
    return verifyApart(
      {root, id, temporary: hostScratch(temporary), secrets: secrets()},
      (step, done, total) => {
        this.#task = {...task, step, done, total}
      },
      this.#closing.signal,
    )
  }

  /** Logs the failure and returns the task that ended with it. */
  #failed(error: unknown, task: CheckpointTask): CheckpointTask {
    const {code, message: detail, hint} = toProblem(error, "checkpoint_failed")
    this.#options.log.warn(`could not store an uploaded checkpoint: ${detail}`, {code, checkpoint: task.id})
    return {...task, state: "failed", step: "refused", problem: {code, detail, hint}}
  }
}
