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

/** Watches a call: its signal aborts with a `ModelFailure` once the model was silent for too long, or with `outer`. */
export const watchSilence = (clock: Pick<Clock, "wait">, outer: AbortSignal): Silence => {
  const abort = new AbortController()
  let cancel = () => {}
  const broken = () => {
    cancel()
    cancel = clock.wait(longestSilence, () =>
      abort.abort(new ModelFailure("busy", `the model sent nothing for ${longestSilence / 1000} s`, {code: "silent"})),
    )
  }
  broken()
  return {signal: AbortSignal.any([outer, abort.signal]), broken, end: () => cancel()}
}
