export interface Row {
  readonly adapter: string
  readonly [column: string]: string | number
}

/** Formats rows with columns of the necessary width. */
export const tableOf = (rows: readonly Row[]): string => {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map(row => columns.map(column => String(row[column])))]
  const widths = columns.map((_, n) => Math.max(...lines.map(line => line[n]?.length ?? 0)))
  return lines
    .map(line =>
      line
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}
