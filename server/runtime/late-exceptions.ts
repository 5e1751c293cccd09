/** Hears every exception that nobody caught, in place of the runtime's own end of the process. */
export const onLateException = (hear: (error: unknown) => void): void => {
  process.on("uncaughtException", hear)
  process.on("unhandledRejection", hear)
}
