import {endProcess} from "./unasked-exit.ts"

export interface SignalHandlers {
  /** The first SIGTERM or SIGINT. */
  readonly stop: (signal: NodeJS.Signals) => void
  /** SIGHUP. */
  readonly reload: () => void
}

/** Through a script runner, one Ctrl-C arrives twice. Signals within these milliseconds are the same request. */
const sameRequest = 1000

/** Handles the process's signals. A second SIGTERM or SIGINT exits at once with 128 plus the signal's number. */
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
