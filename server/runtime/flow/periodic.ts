/** Work that is done every so often, one at a time; what it fails with is told. */
export class Periodic {
  readonly #every: number
  readonly #work: () => Promise<unknown>
  readonly #tell: (error: unknown) => void
  #timer: ReturnType<typeof setInterval> | undefined
  #running: Promise<unknown> | undefined

  /** `every` in milliseconds. */
  constructor(every: number, work: () => Promise<unknown>, tell: (error: unknown) => void) {
    this.#every = every
    this.#work = work
    this.#tell = tell
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), this.#every)
    this.#timer.unref()
  }

  /** Does it now; whoever asks while it is being done waits for its end. */
  async run(): Promise<void> {
    this.#running ??= this.#work()
      .catch(this.#tell)
      .finally(() => {
        this.#running = undefined
      })
    await this.#running
  }

  /** Resolves when what is being done has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }
}
