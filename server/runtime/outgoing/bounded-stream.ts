import {Problem} from "../../../shared/problems.ts"
import {TimeLimitExceeded, withTimeLimit} from "../flow/time-limit.ts"

/** Bytes from another server, and their number if it is known. */
export interface Source {
  readonly body: ReadableStream<Uint8Array>
  readonly size?: number
  /** The media type that the server sent, unchecked. */
  readonly type?: string
}

export interface Bounds {
  /** In bytes. */
  readonly limit: number
  /** Cancels the source, and ends the stream with the signal's reason. */
  readonly signal: AbortSignal
  /** How long the next bytes may take once they are requested, in milliseconds. */
  readonly idle?: number
}

const patience = 30_000

/**
 * Passes the bytes of a source on without keeping them, at the pace of the reader. Fails with `file_too_large` beyond
 * the limit, and with `file_unavailable` if the source fails or stalls. Cancels the source then, and when the reader
 * cancels. Throws `file_too_large` if the known size is over the limit.
 */
export const boundedStream = ({body, size}: Source, bounds: Bounds): ReadableStream<Uint8Array> => {
  const {limit, signal, idle = patience} = bounds
  const reader = body.getReader()
  const tooLarge = () =>
    new Problem("file_too_large", `the file has ${size ?? `more than ${limit}`} bytes; at most ${limit} are allowed`)
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
    if (!(value instanceof Uint8Array)) throw new Problem("file_unavailable", "the file's stream does not carry bytes")
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
  const why = cause instanceof TimeLimitExceeded ? `stalled for ${idle / 1000} s` : "was cut off"
  return new Problem("file_unavailable", `the file ${why}`, {cause})
}
