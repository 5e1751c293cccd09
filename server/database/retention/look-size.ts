/** Rows of one look: writers wait for it. */
const most = 100
const least = 10

/** How long a look may take, in milliseconds. */
const longest = 10

/** How many looks pass before the next try with fewer rows. */
const patience = 8

interface Look {
  readonly rows: number
  readonly took: number
}

/**
 * How many rows the next look takes. If a look takes too long, the next one has half as many rows. If that takes about
 * as long, the disk is slow, and the number returns to the previous one: fewer rows would make writers wait more often,
 * not less.
 */
export class LookSize {
  #rows = most
  /** The larger look, while a look with fewer rows is tried. */
  #larger: Look | undefined
  #passed = patience

  get rows(): number {
    return this.#rows
  }

  /** Records how long a look took, in milliseconds. A look that wrote nothing delays nobody. */
  took(took: number, hasWritten: boolean): void {
    const rows = this.#rows
    const larger = this.#larger
    this.#larger = undefined
    this.#passed++
    if (!hasWritten || took <= longest) {
      this.#rows = Math.min(most, rows * 2)
    } else if (larger !== undefined && !isWorthwhile({rows, took}, larger)) {
      this.#rows = larger.rows
      this.#passed = 0
    } else if (this.#passed >= patience && rows > least) {
      this.#larger = {rows, took}
      this.#rows = Math.max(least, Math.ceil(rows / 2))
    }
  }
}

/** True if fewer rows saved at least half of the time that they would save if all time were spent on rows. */
const isWorthwhile = (look: Look, larger: Look): boolean =>
  look.took <= (larger.took * (1 + look.rows / larger.rows)) / 2
