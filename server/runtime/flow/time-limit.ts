/** The work took longer than it may. */
export class TimeLimitExceeded extends Error {
  constructor(milliseconds: number) {
    super(`no end within ${milliseconds / 1000} s`)
    this.name = "TimeLimitExceeded"
  }
}

/** Gives what the promise gives. Until then no time counts, and the limit begins anew after it. */
export type Hold = <T>(promise: Promise<T>) => Promise<T>

/**
 * Runs `work` for at most so long, what it holds the limit for aside. At the limit its signal is aborted and the promise
 * rejects with `TimeLimitExceeded`, whatever the work then does; so it does, with the signal's reason, when `outer` is
 * aborted. Work whose `outer` was aborted before is not begun.
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
