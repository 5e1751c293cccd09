import {randomInt} from "node:crypto"

export interface Random {
  /** What begins this sequence; `SVC_TEST_SEED` sets it. */
  readonly seed: number
  /** A whole number, both bounds included. */
  integer(least: number, most: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  /** True so often, of a hundred. */
  chance(percent: number): boolean
}

/** Numbers by chance that the same seed gives again (mulberry32). Whoever uses it prints the seed where a test fails. */
export const makeRandom = (seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31))): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    seed,
    integer,
    pick: items => items[integer(0, items.length - 1)] ?? items[0],
    chance: percent => next() * 100 < percent,
  }
}
