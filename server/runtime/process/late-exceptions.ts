/**
 * Hears every exception that nobody caught, in place of the runtime's own end of the process. Each is heard in a turn of
 * its own, since one that is thrown while another is being heard ends the process.
 */
export const onLateException = (hear: (error: unknown) => void): void => {
  const hearNext = (error: unknown) => void setImmediate(hear, error)
  process.on("uncaughtException", hearNext)
  process.on("unhandledRejection", hearNext)
}
