/** Rows of one look: writers wait for it. */
const most = 100
const least = 10

/** What a look may take, in milliseconds. */
const longest = 10

/** So many looks pass before it is tried again whether fewer rows take less. */
const patience = 8

interface Look {
  readonly rows: number
  readonly took: number
}

/**
 * How many rows the next look takes. Where a look takes too long, the next has half as many rows; where those take about as
 * long, the time is the disk's, and the rows are as many as before: fewer would make writers wait more often, not less.
 */
export class LookSize {
  #rows = most
  /** The larger look, while it is tried whether fewer rows take less. */
  #larger: Look | undefined
  #passed = patience

  get rows(): number {
    return this.#rows
  }

  /** What the look took, in milliseconds. One that has written nothing holds up nobody. */
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

/** At least half of the time that fewer rows would save, were all of it theirs. */
const isWorthwhile = (look: Look, larger: Look): boolean =>
  look.took <= (larger.took * (1 + look.rows / larger.rows)) / 2
