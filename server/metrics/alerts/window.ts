/** The growth of a figure, 0 at `begin`, that only grows, within a time window. Times are milliseconds of one clock. */
export class Window {
  readonly #length: number
  readonly #samples: {readonly at: number; readonly value: number}[]

  constructor(length: number, begin: number) {
    this.#length = length
    this.#samples = [{at: begin, value: 0}]
  }

  /** Records the current figure. Returns its growth since the start of the window, and when it grew last. */
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
