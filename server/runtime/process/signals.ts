import {endProcess} from "./unasked-exit.ts"

export interface SignalHandlers {
  /** SIGTERM or SIGINT, the first one. */
  readonly stop: (signal: NodeJS.Signals) => void
  /** SIGHUP. */
  readonly reload: () => void
}

/**
 * One Ctrl-C arrives several times where a script runner stands between: from the terminal, and passed on by the runner.
 * What comes within so many milliseconds of the first is the same request.
 */
const sameRequest = 1000

/** Takes the process's signals: a second SIGTERM or SIGINT exits at once with 128 plus the signal's number. */
export const onSignals = (handlers: SignalHandlers): void => {
  let stoppingSince: number | undefined
  const stop = (number: number) => (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (stoppingSince !== undefined && now - stoppingSince < sameRequest) return
    if (stoppingSince !== undefined) endProcess(128 + number)
    stoppingSince = now
    handlers.stop(signal)
  }
  process.on("SIGINT", stop(2))
  process.on("SIGTERM", stop(15))
  process.on("SIGHUP", handlers.reload)
}
