import {Problem} from "../../../shared/problems.ts"
import {TimeLimitExceeded, withTimeLimit} from "../flow/time-limit.ts"

export interface UploadLimits {
  /** For the whole body. */
  readonly bytes: number
  readonly tooLarge: (bytes: number) => Problem
  /** For the whole body, in milliseconds. */
  readonly time: number
  /** Until the next bytes arrive, in milliseconds. */
  readonly idle: number
  /** How much of a refused body to read and drop, and for how long, so that its sender reads the refusal. */
  readonly dropped: {readonly bytes: number; readonly time: number}
}

/** A streamed body within limits. Keeps none of it. */
export class UploadBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #limits: UploadLimits
  readonly #signal: AbortSignal
  readonly #begun = performance.now()
  #size = 0
  #isDone = false

  /** `signal` is aborted when the sender is gone. */
  constructor(body: ReadableStream<Uint8Array>, limits: UploadLimits, signal: AbortSignal) {
    this.#reader = body.getReader()
    this.#limits = limits
    this.#signal = signal
  }

  /** Returns the next bytes; undefined at the end. Throws `request_timeout`, `request_invalid`, as `tooLarge`. */
  async read(): Promise<Uint8Array | undefined> {
    const {bytes, idle, time, tooLarge} = this.#limits
    const left = time - (performance.now() - this.#begun)
    const value = await this.#next(Math.max(0, Math.min(idle, left))).catch(cause => {
      if (!(cause instanceof TimeLimitExceeded))
        throw new Problem("request_invalid", "the body arrived incomplete", {cause})
      const why =
        left <= idle ? `the body was incomplete after ${time / 1000} s` : `no data arrived for ${idle / 1000} s`
      throw new Problem("request_timeout", why, {cause})
    })
    if (this.#size > bytes) throw tooLarge(bytes)
    return value
  }

  /** Yields the whole body as it arrives. Throws the errors of `read`. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await this.read(); piece !== undefined; piece = await this.read()) yield piece
  }

  /** Reads and drops a refused body for a moment, then abandons the rest. */
  async drop(): Promise<void> {
    const {bytes, time} = this.#limits.dropped
    const until = this.#size + bytes
    const read = async () => {
      while (!this.#isDone && this.#size < until) await this.#next(time)
    }
    await withTimeLimit(time, read).catch(() => {})
    if (!this.#isDone) this.#reader.cancel().catch(() => {})
  }

  async #next(limit: number): Promise<Uint8Array | undefined> {
    const {done, value} = await withTimeLimit(limit, () => this.#reader.read(), this.#signal)
    this.#isDone = done
    this.#size += value?.length ?? 0
    return value
  }
}
