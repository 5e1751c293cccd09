/** The interval of the pulse, in milliseconds. */
const pulse = 1000

const beats = new Set<() => void>()
let beating: NodeJS.Timeout | undefined

/**
 * Repeats work at an interval in milliseconds. All work at whole seconds shares one timer of the process: an idle Host
 * wakes once a second, whatever it repeats. The work must not throw. Returns a function that ends it.
 */
export const repeat = (every: number, work: () => void): (() => void) => {
  if (every % pulse !== 0) {
    const timer = setInterval(work, every).unref()
    return () => clearInterval(timer)
  }
  let due = performance.now() + every
  const beat = () => {
    const now = performance.now()
    // A timer may be a little early. After a pause of the whole machine, the work is due at once.
    if (now < due - pulse / 2) return
    due = now + every
    work()
  }
  beats.add(beat)
  beating ??= setInterval(() => {
    for (const each of [...beats]) each()
  }, pulse).unref()
  return () => {
    beats.delete(beat)
    if (beats.size > 0) return
    clearInterval(beating)
    beating = undefined
  }
}

/** Repeats work at an interval, one run at a time, and reports its failures. */
export class Periodic {
  readonly #every: number
  readonly #work: () => Promise<unknown>
  readonly #tell: (error: unknown) => void
  #end = () => {}
  #running: Promise<unknown> | undefined

  /** `every` is in milliseconds. */
  constructor(every: number, work: () => Promise<unknown>, tell: (error: unknown) => void) {
    this.#every = every
    this.#work = work
    this.#tell = tell
  }

  start(): void {
    this.#end = repeat(this.#every, () => void this.run())
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
    this.#end()
    await this.#running
  }
}
