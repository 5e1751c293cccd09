import {Readable} from "node:stream"
import type {CheckpointTask} from "../../../shared/api/checkpoint.ts"
import type {Log} from "../../../shared/log.ts"
import {Problem, toProblem} from "../../../shared/problems.ts"
import type {Checkpoints} from "../checkpoint/checkpoints.ts"
import {hostScratch} from "../checkpoint/scratch.ts"
import {sizeOf} from "../checkpoint/store.ts"
import type {SecretValues} from "../verify/search.ts"
import {verifyApart} from "../verify/verify-apart.ts"
import {type Arrival, storeArrival, unpackArrival} from "./arrival.ts"

export interface UploadsOptions {
  readonly checkpoints: Pick<Checkpoints, "store" | "settled">
  /** Values that none may hold. */
  readonly secrets: () => SecretValues
  readonly temporary: string
  /** So many bytes stay free on the disk. */
  readonly least: () => number
  readonly log: Log
  /** Hears of one that is stored and verified. */
  readonly tell: (uploaded: {readonly id: string; readonly size: number}) => Promise<void>
}

/** Checkpoints that come from elsewhere to a running Host, one at a time. */
export class Uploads {
  readonly #options: UploadsOptions
  readonly #closing = new AbortController()
  #task: CheckpointTask | null = null
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: UploadsOptions) {
    this.#options = options
  }

  /** What is being done about the last upload, or how it ended. */
  get task(): CheckpointTask | null {
    return this.#task
  }

  /** Is aborted when the Host stops. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Throws `checkpoint_busy` while another upload is under way, and `stopping`. */
  requireFree(): void {
    if (this.#closing.signal.aborted) throw new Problem("stopping", "the Host is stopping")
    if (this.#task?.state === "running") throw new Problem("checkpoint_busy", "another upload is under way")
  }

  /**
   * Unpacks an archive as it comes; `size` is how many bytes it has, 0 where that is not known. Resolves once it is whole, while its
   * verification goes on; the task tells how that ends. Throws what `requireFree` and `unpackArrival` throw, with nothing left.
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
    this.#running = received.then(
      ({ended}) => ended,
      () => {},
    )
    return received.then(({task}) => task)
  }

  /** Gives up what is under way, leaving nothing of it. */
  async stop(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #receive(pieces: AsyncIterable<Uint8Array>, begun: CheckpointTask) {
    const {checkpoints, secrets, least} = this.#options
    const counted = Readable.from(this.#counting(pieces, begun), {objectMode: false})
    const arrival = await unpackArrival(checkpoints.store, counted, {spare: least(), secrets}).catch(error =>
      this.#fail(error, begun),
    )
    const {id, isKnown} = arrival
    const task: CheckpointTask = {...begun, id, step: "waiting for another checkpoint", total: 0}
    this.#task = task
    const ended = this.#end(arrival, task).catch(() => {})
    // It is said at once that nothing was to be done.
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
    const {checkpoints, tell, log} = this.#options
    const {id, isKnown, drop, manifest} = arrival
    try {
      if (isKnown) {
        this.#task = {...task, state: "done", step: "it was there already"}
        return
      }
      await checkpoints.settled()
      await storeArrival(checkpoints.store, arrival, await this.#verify(arrival, task))
      log.info(`checkpoint ${id} was uploaded and verified`)
      await tell({id, size: sizeOf(manifest)}).catch(error =>
        log.warn(`an event of checkpoint ${id} was not stored`, {error}),
      )
      this.#task = {...task, state: "done", step: "stored"}
    } catch (error) {
      this.#fail(error, task)
    } finally {
      await drop().catch(error => log.warn(`what is left of the upload of ${id} was not removed`, {error}))
    }
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

  #fail(error: unknown, task: CheckpointTask): never {
    const {code, message: detail, hint} = toProblem(error, "checkpoint_failed")
    this.#task = {...task, state: "failed", step: "refused", problem: {code, detail, hint}}
    this.#options.log.warn(`an uploaded checkpoint was not stored: ${detail}`, {code, checkpoint: task.id})
    throw error
  }
}
