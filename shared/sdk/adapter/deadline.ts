/**
 * Runs `work` with a signal that aborts after `milliseconds`, and when `outer` does. Resolves and rejects as `work` does,
 * so `work` also reads the body of an answer. The timer keeps the signal until then and no process alive: Node 22.12
 * forgets the deadline of `AbortSignal.any([outer, AbortSignal.timeout(milliseconds)])` when it collects garbage.
 */
export const withDeadline = async <T>(
  milliseconds: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  outer?: AbortSignal,
): Promise<T> => {
  const abort = new AbortController()
  const late = () => abort.abort(new DOMException(`timed out after ${milliseconds / 1000} s`, "TimeoutError"))
  const timer = setTimeout(late, milliseconds)
  timer.unref()
  const onOuter = () => {
    clearTimeout(timer)
    abort.abort(outer?.reason)
  }
  if (outer?.aborted) onOuter()
  outer?.addEventListener("abort", onOuter, {once: true})
  try {
    return await work(abort.signal)
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener("abort", onOuter)
  }
}
