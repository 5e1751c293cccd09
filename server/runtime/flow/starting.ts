import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../../shared/problems.ts"

/** The error of a start that a signal has interrupted. */
export const startEnded = (): Problem => new Problem("stopping", "a signal interrupted the startup")

/** Pauses a start, in milliseconds. Throws `stopping` if the signal interrupts the start. */
export const pauseStart = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, {signal}).catch(() => {
    throw startEnded()
  })
