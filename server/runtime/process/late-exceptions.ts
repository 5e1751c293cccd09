/**
 * Reports every uncaught exception instead of letting the runtime end the process. Each report runs in a separate turn,
 * since an exception during a report would end the process.
 */
export const onLateException = (hear: (error: unknown) => void): void => {
  const hearNext = (error: unknown) => void setImmediate(hear, error)
  process.on("uncaughtException", hearNext)
  process.on("unhandledRejection", hearNext)
}
