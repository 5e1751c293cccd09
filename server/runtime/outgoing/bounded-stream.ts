import {Problem} from "../../../shared/problems.ts"
import {TimeLimitExceeded, withTimeLimit} from "../flow/time-limit.ts"

/** Bytes from elsewhere, and how many there are where that is known. */
export interface Source {
  readonly body: ReadableStream<Uint8Array>
  readonly size?: number
  /** The media type as the server said it, unchecked. */
  readonly type?: string
}

export interface Bounds {
  /** In bytes. */
  readonly limit: number
  /** Cancels the source, and ends the stream with the signal's reason. */
  readonly signal: AbortSignal
  /** The next bytes may take so long once they are asked for, in milliseconds. */
  readonly idle?: number
}

const patience = 30_000

/**
 * The same bytes, nothing of them kept: the source is read as the stream is. It fails with `file_too_large` behind the limit, with
 * `file_unavailable` where the source fails or stops; then, and on a cancellation, the source is cancelled. Throws `file_too_large`
 * where the size is known to be more.
 */
export const boundedStream = ({body, size}: Source, bounds: Bounds): ReadableStream<Uint8Array> => {
  const {limit, signal, idle = patience} = bounds
  const reader = body.getReader()
  const tooLarge = () =>
    new Problem("file_too_large", `the file has ${size ?? `more than ${limit}`} bytes; ${limit} are allowed`)
  const close = (reason: unknown) => void reader.cancel(reason).catch(() => {})
  if (size !== undefined && size > limit) {
    const problem = tooLarge()
    close(problem)
    throw problem
  }
  let read = 0
  let onAbort = () => {}
  const end = () => signal.removeEventListener("abort", onAbort)
  const next = async (): Promise<Uint8Array | undefined> => {
    const {done, value} = await withTimeLimit(idle, () => reader.read(), signal)
    if (done) return undefined
    if (!(value instanceof Uint8Array)) throw new Problem("file_unavailable", "the file does not come in bytes")
    read += value.byteLength
    if (read > limit) throw tooLarge()
    return value
  }
  return new ReadableStream<Uint8Array>(
    {
      start: controller => {
        onAbort = () => {
          end()
          controller.error(signal.reason)
          close(signal.reason)
        }
        signal.addEventListener("abort", onAbort, {once: true})
        if (signal.aborted) onAbort()
      },
      pull: async controller => {
        try {
          const bytes = await next()
          if (signal.aborted) return
          if (bytes !== undefined) return controller.enqueue(bytes)
          end()
          controller.close()
        } catch (error) {
          if (signal.aborted) return
          end()
          close(error)
          controller.error(problemOf(error, idle))
        }
      },
      cancel: reason => {
        end()
        close(reason)
      },
    },
    {highWaterMark: 0},
  )
}

const problemOf = (cause: unknown, idle: number): Problem => {
  if (cause instanceof Problem) return cause
  const why = cause instanceof TimeLimitExceeded ? `stopped for ${idle / 1000} s` : "was cut off"
  return new Problem("file_unavailable", `the file ${why}`, {cause})
}
