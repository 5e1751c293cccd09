import {type Spread, spreadOf} from "./statistics.ts"

export interface Pairs {
  readonly subject: Spread
  readonly yardstick: Spread
  /** The ratio of each pair: subject divided by yardstick. */
  readonly ratio: Spread
}

/** Measures subject and yardstick in turn, for equal load of the machine. Every other pair begins with the latter. */
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

/** The same for samples that were taken in pairs. */
export const pairsOf = (subject: readonly number[], yardstick: readonly number[]): Pairs => ({
  subject: spreadOf(subject),
  yardstick: spreadOf(yardstick),
  ratio: spreadOf(subject.map((measured, index) => measured / (yardstick[index] ?? Number.NaN))),
})
