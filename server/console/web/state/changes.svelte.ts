import {untrack} from "svelte"

/** Calls `then` whenever `read` returns another value than before, not for the first one; `then` is not tracked. */
export const onChange = (read: () => unknown, then: () => void): void => {
  let last = untrack(read)
  $effect(() => {
    const now = read()
    if (now === last) return
    last = now
    untrack(then)
  })
}
