export interface Limit {
  readonly limit: number
  /** The figure that a later release should reach. */
  readonly goal?: number
}

/**
 * The budget: the most that the program may have of each of these. `figures.ts` says what is counted.
 * A change that grows one lowers another, or says in its own commit why not. A limit only falls otherwise.
 */
export const limits = {
  rooms: {limit: 25},
  arrows: {limit: 150},
  pairs: {limit: 0},
  circles: {limit: 0},
  files: {limit: 20},
  tables: {limit: 0},
  operations: {limit: 0},
  core: {limit: 102_000, goal: 78_000},
  tests: {limit: 107_700, goal: 92_000},
  words: {limit: 60_180},
  commands: {limit: 126, goal: 105},
  problems: {limit: 158},
  keys: {limit: 439},
  packages: {limit: 17},
  size: {limit: 15.2},
} as const satisfies Readonly<Record<string, Limit>>

export type FigureName = keyof typeof limits

/** Returns by how much a figure is above its limit, and the lower limit that it would allow. */
export const judge = (
  name: FigureName,
  figure: number,
): {readonly over: number; readonly lower: number | undefined} => {
  const {limit} = limits[name]
  // Long counts change with every commit, so a little slack in them is not worth a new limit.
  const slack = limit > 1000 ? limit * 0.02 : 0
  return {over: Math.max(0, figure - limit), lower: limit - figure > slack ? figure : undefined}
}
