export class TimeLimitExceeded extends Error {
  constructor(milliseconds: number) {
    super(`timed out after ${milliseconds / 1000} s`)
    this.name = "TimeLimitExceeded"
  }
}

/** Returns the result of the promise. The time until then does not count, and the limit starts from zero afterwards. */
export type Hold = <T>(promise: Promise<T>) => Promise<T>

/**
 * Runs `work` with a time limit, which a `hold` suspends. At the limit, aborts the signal of the work and rejects with
 * `TimeLimitExceeded`, even if the work continues. Rejects with the reason of `outer` when that is aborted. Does not
 * start work if `outer` is already aborted.
 */
export const withTimeLimit = async <T>(
  milliseconds: number,
  work: (signal: AbortSignal, hold: Hold) => T | Promise<T>,
  outer?: AbortSignal,
): Promise<T> => {
  if (outer?.aborted) throw outer.reason
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let begin = () => {}
  let holds = 0
  let ended = false
  const hold: Hold = async promise => {
    holds++
    clearTimeout(timer)
    try {
      return await promise
    } finally {
      if (--holds === 0 && !ended) begin()
    }
  }
  let onOuter: (() => void) | undefined
  const limit = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      abort.abort(reason)
      reject(reason)
    }
    begin = () => {
      timer = setTimeout(() => end(new TimeLimitExceeded(milliseconds)), milliseconds)
    }
    begin()
    onOuter = () => end(outer?.reason)
    outer?.addEventListener("abort", onOuter, {once: true})
  })
  try {
    return await Promise.race([work(abort.signal, hold), limit])
  } finally {
    ended = true
    clearTimeout(timer)
    if (onOuter !== undefined) outer?.removeEventListener("abort", onOuter)
  }
}
