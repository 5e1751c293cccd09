/** Returns the text of a cell of a row; undefined for NULL. */
export const textIn = (cell: unknown): string | undefined =>
  cell === null || cell === undefined ? undefined : String(cell)

/** Returns the number of a cell of a row; undefined for NULL. */
export const numberIn = (cell: unknown): number | undefined =>
  cell === null || cell === undefined ? undefined : Number(cell)
