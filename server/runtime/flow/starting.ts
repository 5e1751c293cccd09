import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../../shared/problems.ts"

/** What a start fails with that a signal has ended. */
export const startEnded = (): Problem => new Problem("stopping", "the start was ended by a signal")

/** A pause of a start, in milliseconds. Throws `stopping` once the signal ends the start. */
export const pauseStart = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, {signal}).catch(() => {
    throw startEnded()
  })
