/** The time of the page, by the second: what is shown as an age grows with it. */
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
