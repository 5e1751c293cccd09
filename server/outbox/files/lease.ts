/** Files that are about to be referenced: they must not be removed meanwhile. */
export class Pins {
  readonly #count = new Map<string, number>()

  has(sha256: string): boolean {
    return this.#count.has(sha256)
  }

  add(sha256: string): void {
    this.#count.set(sha256, (this.#count.get(sha256) ?? 0) + 1)
  }

  remove(sha256: string): void {
    const left = (this.#count.get(sha256) ?? 0) - 1
    if (left > 0) this.#count.set(sha256, left)
    else this.#count.delete(sha256)
  }
}

/** Keeps files until the rows that need them are stored. */
export class Lease {
  readonly #pins: Pins
  #files: string[] = []
  #isReleased = false

  constructor(pins: Pins) {
    this.#pins = pins
  }

  /** Does nothing after the release: the work that was to reference the file has ended. */
  pin(sha256: string): void {
    if (this.#isReleased) return
    this.#pins.add(sha256)
    this.#files.push(sha256)
  }

  /** Calling it more than once is harmless. */
  release(): void {
    for (const sha256 of this.#files) this.#pins.remove(sha256)
    this.#files = []
    this.#isReleased = true
  }
}
