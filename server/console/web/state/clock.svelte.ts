/** The page's time, updated every second, so that ages grow. */
export class Clock {
  /** In milliseconds since 1970. */
  now = $state(Date.now())

  start(): () => void {
    const timer = setInterval(() => {
      this.now = Date.now()
    }, 1000)
    return () => clearInterval(timer)
  }
}
