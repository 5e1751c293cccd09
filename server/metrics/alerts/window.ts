/** By how much a figure that only grows has grown within a time. Times in milliseconds of one clock. */
export class Window {
  readonly #length: number
  readonly #samples: {readonly at: number; readonly value: number}[] = []

  constructor(length: number) {
    this.#length = length
  }

  /** Takes the figure as it is now; returns how much more it is than at the begin of the window, and when it grew last. */
  take(value: number, at: number): {readonly grown: number; readonly grewAt: number | undefined} {
    this.#samples.push({at, value})
    while ((this.#samples[1]?.at ?? at) <= at - this.#length && this.#samples.length > 1) this.#samples.shift()
    const first = this.#samples[0]?.value ?? value
    const last = this.#samples.findLastIndex(
      (sample, index) => sample.value > (this.#samples[index - 1]?.value ?? value),
    )
    return {grown: Math.max(0, value - first), grewAt: last > 0 ? this.#samples[last]?.at : undefined}
  }
}
