/**
 * Reports every uncaught exception instead of letting the runtime end the process. Each report runs in a separate turn,
 * since an exception during a report would end the process. Returns a function that ends this.
 */
export const onLateException = (hear: (error: unknown) => void): (() => void) => {
  const hearNext = (error: unknown) => void setImmediate(hear, error)
  const kinds = ["uncaughtException", "unhandledRejection"] as const
  for (const kind of kinds) process.on(kind, hearNext)
  return () => {
    for (const kind of kinds) process.off(kind, hearNext)
  }
}
