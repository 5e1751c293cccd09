import {type Spread, spreadOf} from "./statistics.ts"

export interface Pairs {
  readonly subject: Spread
  readonly yardstick: Spread
  /** Of each pair: subject through yardstick. */
  readonly ratio: Spread
}

/**
 * Measures subject and yardstick in turn, so that what else the machine does falls on both; every other pair begins with
 * the yardstick.
 */
export const measurePairs = async (
  count: number,
  subject: () => Promise<number>,
  yardstick: () => Promise<number>,
): Promise<Pairs> => {
  const pairs: (readonly [subject: number, yardstick: number])[] = []
  for (let index = 0; index < count; index++) {
    if (index % 2 === 0) {
      const first = await subject()
      pairs.push([first, await yardstick()])
    } else {
      const first = await yardstick()
      pairs.push([await subject(), first])
    }
  }
  return pairsOf(
    pairs.map(([measured]) => measured),
    pairs.map(([, measured]) => measured),
  )
}

/** The same of samples that were taken in pairs. */
export const pairsOf = (subject: readonly number[], yardstick: readonly number[]): Pairs => ({
  subject: spreadOf(subject),
  yardstick: spreadOf(yardstick),
  ratio: spreadOf(subject.map((measured, index) => measured / (yardstick[index] ?? Number.NaN))),
})
