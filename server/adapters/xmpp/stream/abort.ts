/**
 * Settles like the promise, unless a signal aborts first: then it rejects with the signal's reason, if that is an
 * error.
 */
export const unlessAborted = <T>(promise: Promise<T>, ...signals: readonly (AbortSignal | undefined)[]): Promise<T> =>
  new Promise((resolve, reject) => {
    const watched = signals.filter(signal => signal !== undefined)
    const end = () => {
      for (const signal of watched) signal.removeEventListener("abort", onAbort)
    }
    const onAbort = () => {
      end()
      const reason: unknown = watched.find(({aborted}) => aborted)?.reason
      reject(reason instanceof Error && reason.name !== "AbortError" ? reason : new Error("the connection is closed"))
    }
    promise.finally(end).then(resolve, reject)
    for (const signal of watched) signal.addEventListener("abort", onAbort, {once: true})
    if (watched.some(({aborted}) => aborted)) onAbort()
  })
