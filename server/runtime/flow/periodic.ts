/** Repeats work at an interval, one run at a time, and reports its failures. */
export class Periodic {
  readonly #every: number
  readonly #work: () => Promise<unknown>
  readonly #tell: (error: unknown) => void
  #timer: ReturnType<typeof setInterval> | undefined
  #running: Promise<unknown> | undefined

  /** `every` is in milliseconds. */
  constructor(every: number, work: () => Promise<unknown>, tell: (error: unknown) => void) {
    this.#every = every
    this.#work = work
    this.#tell = tell
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), this.#every)
    this.#timer.unref()
  }

  /** Runs the work now. A caller during a run waits for the end of that run. */
  async run(): Promise<void> {
    this.#running ??= this.#work()
      .catch(this.#tell)
      .finally(() => {
        this.#running = undefined
      })
    await this.#running
  }

  /** Resolves when the run in progress has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }
}
