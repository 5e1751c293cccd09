import type {Clock} from "../../runtime/flow/clock.ts"
import {ModelFailure} from "../providers/model.ts"

/** How long a model may send nothing while another one is ready, in milliseconds: users wait for an answer. */
export const longestSilence = 15_000

export interface Silence {
  readonly signal: AbortSignal
  /** Call it with each sign of life. */
  readonly broken: () => void
  readonly end: () => void
}

/** How often to look whether another model has become ready, in milliseconds. */
const every = 1000

/**
 * Watches a call. Its signal aborts with `outer`, and with a `ModelFailure` once the model has been silent for too long
 * and another one is ready.
 */
export const watchSilence = (clock: Pick<Clock, "wait">, outer: AbortSignal, isNextReady: () => boolean): Silence => {
  const abort = new AbortController()
  const failure = new ModelFailure("busy", `the model sent nothing for ${longestSilence / 1000} s`, {code: "silent"})
  let cancel = () => {}
  const watch = (pause: number) => {
    cancel = clock.wait(pause, () => (isNextReady() ? abort.abort(failure) : watch(every)))
  }
  const broken = () => {
    cancel()
    watch(longestSilence)
  }
  broken()
  return {signal: AbortSignal.any([outer, abort.signal]), broken, end: () => cancel()}
}
