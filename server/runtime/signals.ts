export interface SignalHandlers {
  /** SIGTERM or SIGINT, the first one. */
  readonly stop: (signal: NodeJS.Signals) => void
  /** SIGHUP. */
  readonly reload: () => void
}

/** Takes the process's signals: a second SIGTERM or SIGINT exits at once with 128 plus the signal's number. */
export const onSignals = (handlers: SignalHandlers): void => {
  let stopping = false
  const stop = (number: number) => (signal: NodeJS.Signals) => {
    if (stopping) process.exit(128 + number)
    stopping = true
    handlers.stop(signal)
  }
  process.on("SIGINT", stop(2))
  process.on("SIGTERM", stop(15))
  process.on("SIGHUP", handlers.reload)
}
