import {Problem} from "../../../shared/problems.ts"
import {TimeLimitExceeded, withTimeLimit} from "../flow/time-limit.ts"

export interface UploadLimits {
  /** Of the whole body. */
  readonly bytes: number
  /** What a body over the limit is refused with. */
  readonly tooLarge: (bytes: number) => Problem
  /** For the whole body, in milliseconds. */
  readonly time: number
  /** Until the next bytes come, in milliseconds. */
  readonly idle: number
  /** Of a body that is refused, so many bytes are read and dropped, so that its sender hears why; for so long. */
  readonly dropped: {readonly bytes: number; readonly time: number}
}

/** A body as it comes, within limits; nothing of it is kept. */
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

  /** The next bytes; undefined at the end. Throws what `tooLarge` makes, `request_timeout`, `request_invalid`. */
  async read(): Promise<Uint8Array | undefined> {
    const {bytes, idle, time, tooLarge} = this.#limits
    const left = time - (performance.now() - this.#begun)
    const value = await this.#next(Math.max(0, Math.min(idle, left))).catch(cause => {
      if (!(cause instanceof TimeLimitExceeded))
        throw new Problem("request_invalid", "the body did not arrive whole", {cause})
      const why = left <= idle ? `no whole body within ${time / 1000} s` : `nothing came for ${idle / 1000} s`
      throw new Problem("request_timeout", why, {cause})
    })
    if (this.#size > bytes) throw tooLarge(bytes)
    return value
  }

  /** The whole body as it comes. Throws what `read` throws. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await this.read(); piece !== undefined; piece = await this.read()) yield piece
  }

  /** What was refused is read and dropped for a moment; the rest is left. */
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
