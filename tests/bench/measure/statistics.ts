export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

/** The sample below which a `share` of all samples lies (nearest rank). */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = [...samples].sort((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export const median = (samples: readonly number[]): number => {
  const sorted = [...samples].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export const spreadOf = (samples: readonly number[]): Spread => ({
  median: median(samples),
  lowest: Math.min(...samples),
  highest: Math.max(...samples),
})

/** The growth of `y` per unit of `x`: the slope of the least-squares line. */
export const slopeOf = (points: readonly (readonly [x: number, y: number])[]): number => {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return over / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}
